"""Every bad input as a command: one line that says what is wrong, exit code 2, no traceback."""

import json
import resource

import pytest
import torch

from regard.checkpoints import save_pretrained
from regard.models import EncoderDecoder, EncoderDecoderConfig
from regard.tasks.translation.task import Translator
from regard.text import train_pair

FILES = {
    "good.tsv": b"".join(f"dog {k}.\thund {k}.\n".encode() for k in range(40)),
    "dev.tsv": b"a hund.\tein Hund.\n",
    "empty.tsv": b"",
    "blank.tsv": b"\n\n",
    "no_tab.tsv": b"a dog.\tein Hund.\na dog and no tab\n",
    "latin.tsv": b"\xff\t\xff\n",
    "utf16.tsv": b"a\0\0" * 9,
    "broken.tsv.gz": b"\x1f\x8b\x08\x00aaaaaaaaaaaa",
    "long.txt": b"the dog " * 30 + b".\n",
    "second.txt": b"the dog\n" + b"the dog " * 30 + b".\n",
    "long.tsv": b"the dog " * 30 + b".\tder Hund.\n",
    "latin.txt": "für Hunde\n".encode() + "für\n".encode("latin-1"),
    "one.en": b"a\nb\n",
    "one.de": b"a\n",
    "folder/in_it.txt": b"a\n",
}
TRAIN = ("train", "translation")
CASES = {
    "translate --input none.txt": "expected a file at none.txt, but there is no such file. Check",
    "translate a --model small --num-beams 9999": "--num-beams must be from 1 to 1024",
    "generate a --alternatives 1000000 --do-sample": "--alternatives must be from 1",
    "train translation good.tsv --vocab-size 2147483648": "--vocab-size must be at most 1,048,576",
    "train translation good.tsv --vocab-size 9223372036854775807": "--vocab-size must be at most",
    "translate --input empty.tsv": "expected lines of text in empty.tsv, but it is empty. Check",
    "translate --input folder": "folder stands for several files. Add --output, a file for",
    "translate --input broken.tsv.gz": "broken.tsv.gz is damaged gzip",
    "translate \udcff --model small": "line 1: the text is not valid Unicode: it has the lone",
    "translate a --model en-dee": "there is no folder en-dee; give a model folder, a shipped model",
    "translate a --model folder": "folder is not a model folder: it has no config.json",
    "translate a --model misfit": "the model has vectors for 300 tokens only. Leave it out, or use",
    "translate a --model broken": "broken/model.safetensors is damaged",
    "translate a --model small --output good.tsv/x": "good.tsv is a file; a folder was expected",
    "translate a --model small --attention --attention-step no": "must be one of output, input",
    "translate a --model small --length-penalty 1000": "--length-penalty must be from -100",
    "evaluate small none.tsv": "expected the data at none.tsv",
    "evaluate small empty.tsv": "in empty.tsv, but it is empty. Check that it is the right file.",
    "evaluate small blank.tsv": "one per line was expected. Check that it is the right file.",
    "evaluate small latin.tsv": "latin.tsv, line 1: expected UTF-8, but byte 0xff is not",
    "evaluate small long.tsv": "may have 18 tokens with small; got one of ",
    "evaluate klingon good.tsv": "there is no folder klingon; give a model folder",
    "info klingon": "there is no folder klingon; give a model folder",
    "train translation good.tsv --output=": "--output is empty. Give a value, or leave it out.",
    "train translation none.tsv": "expected a file at none.tsv",
    "train translation empty.tsv": "expected lines of text in empty.tsv, but it is empty. Check",
    "train translation blank.tsv": "no sentence pair is left after cleaning (0 read, 0 kept;",
    "train translation no_tab.tsv --strict": "no_tab.tsv, line 2: expected a sentence",
    "train translation latin.tsv": "latin.tsv, line 1: expected UTF-8, but byte 0xff is not",
    "train translation utf16.tsv": "utf16.tsv must be UTF-8, but it looks like UTF-16",
    "train translation broken.tsv.gz": "broken.tsv.gz is damaged gzip",
    "train translation folder": "expected a file, but folder is a folder",
    "train translation --source one.en --target one.de": "one.en has 2 and one.de has 1",
    "train translation good.tsv --output good.tsv/run": "part of its path is a file",
    "train translation good.tsv --preset huge": "--preset must be one of tiny, small, base, big",
    "train translation good.tsv --norm both": "--norm must be one of post, pre; got 'both'",
    "train translation good.tsv --dropout 1.5": "--dropout must be from 0 to 255/256; got 1.5",
    "train translation good.tsv --learning-rate nan": "--learning-rate must be above 0; got nan",
    "train translation good.tsv --seed -1": "--seed must be from 0",
    "train translation good.tsv --max-length 600": "--max-length must be at most 511 with this",
    "train translation good.tsv --max-epochs 0": "--max-epochs must be above 0",
    "train translation good.tsv --max-minutes 0": "--max-minutes must be above 0",
    "train translation good.tsv --dev empty.tsv": "expected lines of text in empty.tsv",
    "train translation good.tsv --test none.tsv": "expected a file at none.tsv",
    "train translation good.tsv --test no_tab.tsv --strict": "line 2: expected a sentence",
    "train translation good.tsv --vocab-size 10": "--vocab-size must be at least",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files above, a small model, one that its tokenizer does not fit, and one cut short."""
    path = tmp_path_factory.mktemp("bad")
    for name, content in FILES.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_bytes(content)
    tokenizers = train_pair([("the dog", "der Hund")] * 5)
    size = tokenizers.source.vocab_size
    config = EncoderDecoderConfig(
        size, d_model=8, d_ff=8, encoder_layers=1, decoder_layers=1, encoder_heads=2,
        decoder_heads=2, max_positions=19,
    )  # fmt: skip
    torch.manual_seed(1)
    translator = Translator(EncoderDecoder(config).eval(), tokenizers)
    for name in ("small", "misfit", "broken"):
        translator.save(path / name)
    small = EncoderDecoder(EncoderDecoderConfig(300, d_model=8, d_ff=8, max_positions=19))
    save_pretrained(small, path / "misfit")
    weights = path / "broken" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-40])
    return path


@pytest.mark.parametrize("command", CASES)
def test_a_mistake_is_one_line_and_leaves_nothing(command, regard, folder, monkeypatch, tmp_path):
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    arguments = command.split()
    if arguments[:2] == ["train", "translation"] and "--output" not in arguments:
        arguments += ["--output", str(tmp_path / "run")]
    outcome = regard(*arguments)
    assert outcome.code == 2
    *said, message = outcome.err.splitlines()
    assert message.startswith("regard: ")
    assert CASES[command] in message
    # Training may first have printed what it read, and the first translation packs the model.
    said = [line for line in said if not line.startswith("regard: packing small")]
    assert not said or arguments[0] == "train"
    assert outcome.out == ""
    assert sorted(folder.rglob("*")) == before
    assert not (tmp_path / "run" / "run.json").exists()


@pytest.mark.parametrize("option", ["--window=0:", "--mask=", "--head="])
def test_a_number_of_many_digits_is_a_mistake_as_any(option, regard):
    outcome = regard("explain", "the dog", option + "9" * 5000)
    assert outcome.code == 2
    assert outcome.err.startswith("regard: ")
    assert outcome.err.count("\n") == 1


REFUSED = {
    "latin.txt": "latin.txt, line 2: expected UTF-8, but byte 0xfc is not: it looks like LATIN1",
    "second.txt": "line 2: a sentence may have 18 tokens with small; got one of ",
}


@pytest.mark.parametrize("file", REFUSED)
def test_a_refused_line_is_named_and_the_others_are_answered(file, regard, folder, monkeypatch):
    monkeypatch.chdir(folder)
    outcome = regard("translate", "--input", file, "--model", "small", "--max-new-tokens", 3)
    assert outcome.code == 2
    others = ("cut off", "packing small")
    said = outcome.err.splitlines()
    [message] = [line for line in said if not any(words in line for words in others)]
    assert message.startswith(f"regard: {REFUSED[file]}")
    first, second = outcome.out.split("\n")[:-1]
    assert first
    assert second == ""


def test_a_full_disk_while_a_translation_is_written_is_one_line(regard, folder, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    source = tmp_path / "in.txt"
    source.write_text("the dog\n" * 300)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        outcome = regard(
            "translate", "--input", source, "--output", tmp_path / "out.txt", "--model",
            folder / "small", "--num-beams", 1, "--max-new-tokens", 9,
        )  # fmt: skip
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1].startswith(
        f"regard: {tmp_path / 'out.txt'}: File too large"
    )
    assert list(tmp_path.iterdir()) == [source]


def test_a_full_disk_while_training_keeps_what_was_saved(regard, folder, tmp_path):
    def train(steps):
        return regard(
            *TRAIN, folder / "good.tsv", "--dev", folder / "dev.tsv", "--output", tmp_path,
            "--vocab-size", 376, "--max-steps", steps, "--eval-every", 1, "--max-tokens", 16,
            "--dev-sentences", 1, "--max-length", 10,
        )  # fmt: skip

    assert train(1).code == 0
    first = {file: file.read_bytes() for file in (tmp_path / "checkpoints").rglob("*.*")}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, hard))  # the model fits, its state not
    try:
        outcome = train(2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert outcome.code == 2
    assert "regard: the checkpoint of step 2 cannot be written to" in outcome.err
    assert {file: file.read_bytes() for file in (tmp_path / "checkpoints").rglob("*.*")} == first
    assert "Resuming from step 1." in train(2).err
    assert json.loads((tmp_path / "run.json").read_text())["options"]["max_steps"] == 2
