"""A healthy folder, and one for each thing that can be wrong with it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from regard.models import EncoderDecoder, EncoderDecoderConfig
from regard.tasks.translation.task import Translator
from regard.text import Tokenizer, train_pair


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small translator, as training saves it."""
    tokenizers = train_pair([("the dog", "der Hund")] * 5)
    config = EncoderDecoderConfig(
        tokenizers.source.vocab_size, d_model=8, d_ff=8, encoder_layers=1, decoder_layers=1,
        encoder_heads=2, decoder_heads=2, max_positions=19,
    )  # fmt: skip
    torch.manual_seed(1)
    path = tmp_path_factory.mktemp("doctor") / "model"
    Translator(EncoderDecoder(config).eval(), tokenizers).save(path)
    return path


@pytest.fixture
def folder(healthy: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(healthy, tmp_path / "model"))


def change(folder: Path, file: str, **changes: Any) -> None:
    path = folder / f"{file}.json"
    content = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({k: v for k, v in (content | changes).items() if v is not ...}))


def config(**changes: Any) -> Any:
    return lambda folder: change(folder, "config", **changes)


def tokenizer_config(**changes: Any) -> Any:
    return lambda folder: change(folder, "tokenizer_config", **changes)


def generation(**changes: Any) -> Any:
    return lambda folder: change(folder, "generation_config", **changes)


def weights(edit: Any) -> Any:
    def write(folder: Path) -> None:
        tensors = load_file(folder / "model.safetensors")
        edit(tensors)
        save_file(tensors, folder / "model.safetensors")

    return write


def cut(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-40])


def another_pad(folder: Path) -> None:
    """Its name is not in the vocabulary, so it gets an id behind it."""
    (folder / "special_tokens_map.json").unlink()
    change(folder, "tokenizer_config", pad_token="<p>")


def without_template(folder: Path) -> None:
    content = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps(content | {"post_processor": None}))


def more_tokens(folder: Path) -> None:
    tokenizer = Tokenizer.load(folder)
    tokenizer.backend.add_tokens(["<one>", "<two>"])
    tokenizer.save(folder)


def as_bin(folder: Path) -> None:
    file = folder / "model.safetensors"
    torch.save(load_file(file), folder / "pytorch_model.bin")
    file.unlink()


def causal(folder: Path) -> None:
    """As far as config.json tells, a decoder-only model; its weights are another matter."""
    names = {"is_encoder_decoder": False, "architectures": ["GPT2LMHeadModel"]}
    change(folder, "config", **names, decoder_start_token_id=None, pad_token_id=None)


DENSE = "model.encoder.layers.0.fc1.weight"
WRONG = {
    "no config": (lambda f: (f / "config.json").unlink(), "config", "it has no config.json"),
    "family": (config(model_type="rwkv"), "config", "says 'rwkv'"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "weights", "no model.safetensors"),
    "cut weights": (cut, "weights", "is damaged"),
    "a missing name": (weights(lambda t: t.pop(DENSE)), "names", f"{DENSE} is missing"),
    "a name too many": (
        weights(lambda t: t.update(extra=torch.ones(2))), "names", "extra is unexpected",
    ),
    "a shape": (
        config(encoder_ffn_dim=6, decoder_ffn_dim=6), "names",
        f"{DENSE} must be (6, 8) according to config.json but is (8, 8)",
    ),
    "untied": (
        weights(lambda t: t.update({"lm_head.weight": t["model.shared.weight"] + 1})), "ties",
        "lm_head.weight must equal model.shared.weight",
    ),
    "NaN": (
        weights(lambda t: t[DENSE][0].fill_(torch.nan)), "values",
        f"{DENSE} contains NaN or infinity",
    ),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), "tokenizer", "does not exist"),
    "a special token": (another_pad, "padding", "is 0, but the tokenizer pads with 360"),
    "too many tokens": (more_tokens, "vocabulary", "has ids up to 361, but the model has 360 rows"),
    "an id": (config(bos_token_id=400), "vocabulary", "bos_token_id is 400, but the vocabulary is"),
    "pad is eos": (config(pad_token_id=1), "padding", "are one token (1)"),
    "another pad": (config(pad_token_id=2), "padding", "is 2, but the tokenizer pads with 0"),
    "a mask of another pad": (
        config(pad_token_id=2), "running", "padded with 0 gives a different result",
    ),
    "no pad": (config(pad_token_id=None), "padding", "has no pad_token_id, but the tokenizer pad"),
    "another end": (
        config(eos_token_id=2), "special tokens", "eos_token_id is 2, but the tokenizer ends",
    ),
    "no end": (config(eos_token_id=None), "special tokens", "there is no eos_token_id"),
    "no template": (without_template, "special tokens", "does not add the end of sentence"),
    "another start": (
        generation(decoder_start_token_id=2), "decoder start", "is 0 in config.json and 2 in",
    ),
    "positions": (
        tokenizer_config(model_max_length=64), "positions",
        "model_max_length is 64 in tokenizer_config.json, but the model has 19 positions",
    ),
    "generation": (generation(num_beams=0), "generation", "num_beams must be"),
    "generation's pad": (generation(pad_token_id=2), "generation", "pad_token_id is 0 in config"),
    "generation's end": (generation(eos_token_id=[2, 3]), "generation", "and 2 or 3 in generation"),
}  # fmt: skip


def lines(out: str) -> list[tuple[str, str, str]]:
    """Level, check and message of each line but the last."""
    found = []
    for line in out.splitlines()[:-1]:
        level, rest = line.split(maxsplit=1)
        check, message = rest.split("  ", maxsplit=1)
        found.append((level, check, message.strip()))
    return found


def test_a_healthy_folder_has_nothing_wrong(regard: Any, healthy: Path) -> None:
    outcome = regard("doctor", healthy)
    assert outcome.code == 0
    assert {level for level, _, _ in lines(outcome.out)} == {"ok"}
    assert outcome.out.endswith("nothing is wrong.\n")


@pytest.mark.parametrize("name", ["en-de", "en-hi"])
def test_the_shipped_models_are_healthy(name: str, regard: Any) -> None:
    assert regard("doctor", name).code == 0


@pytest.mark.parametrize("fault", WRONG)
def test_a_fault_is_one_line_and_exit_code_1(fault: str, regard: Any, folder: Path) -> None:
    spoil, check, message = WRONG[fault]
    spoil(folder)
    outcome = regard("doctor", folder)
    assert (outcome.code, outcome.err) == (1, "")
    output = [text for level, of, text in lines(outcome.out) if (level, of) == ("wrong", check)]
    assert any(message in text for text in output), outcome.out


@pytest.mark.parametrize(
    ("spoil", "check", "message"),
    [
        (as_bin, "weights", "a .bin can contain code"),
        (lambda f: (f / "modeling_x.py").write_text("1"), "code", "modeling_x.py: never run here"),
        (generation(diversity_penalty=0.5), "generation", "sets diversity_penalty, not followed"),
    ],
)
def test_what_is_only_worth_knowing_is_a_note(
    spoil: Any, check: str, message: str, regard: Any, folder: Path
) -> None:
    spoil(folder)
    outcome = regard("doctor", folder)
    assert outcome.code == 0
    notes = [text for level, of, text in lines(outcome.out) if (level, of) == ("note", check)]
    assert any(message in text for text in notes), outcome.out


def test_a_decoder_is_asked_for_its_padding_side(regard: Any, folder: Path) -> None:
    causal(folder)
    output = lines(regard("doctor", folder).out)
    assert any(level == "note" and "set pad_token_id to 0" in text for level, _, text in output)
    change(folder, "config", pad_token_id=0)
    output = lines(regard("doctor", folder).out)
    assert any(level == "note" and '"padding_side": "left"' in text for level, _, text in output)
    change(folder, "tokenizer_config", padding_side="left")
    output = lines(regard("doctor", folder).out)
    assert ("ok", "padding") in {(level, check) for level, check, _ in output}


def test_a_large_model_is_run_when_it_is_asked_for(
    regard: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("regard.engine.doctor.checks.SMALL", 100)
    output = lines(regard("doctor", folder).out)
    [(level, message)] = [(level, text) for level, check, text in output if check == "running"]
    assert level == "note"
    assert "parameters were not run: --run runs them too" in message
    output = lines(regard("doctor", folder, "--run").out)
    assert ("ok", "running") in {(level, check) for level, check, _ in output}


def test_many_names_that_do_not_fit_are_counted(regard: Any, folder: Path) -> None:
    extra = {f"extra.{k}": torch.ones(2) for k in range(25)}
    weights(lambda tensors: tensors.update(extra))(folder)
    outcome = regard("doctor", folder)
    assert "and 5 more names do not fit" in outcome.out


def test_json_has_the_same_findings(regard: Any, folder: Path) -> None:
    change(folder, "config", pad_token_id=1)
    text = regard("doctor", folder)
    outcome = regard("doctor", folder, "--json")
    output = json.loads(outcome.out)
    assert (outcome.code, output["ok"], output["folder"]) == (1, False, str(folder))
    findings = [(entry["level"], entry["check"], entry["message"]) for entry in output["findings"]]
    assert findings == lines(text.out)


def test_a_name_that_is_no_folder_is_a_mistake_in_the_command(regard: Any) -> None:
    outcome = regard("doctor", "nowhere")
    assert outcome.code == 2
    assert "a shipped model (en-de, en-hi, " in outcome.err
