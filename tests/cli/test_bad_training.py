"""A mistake in what a task is trained on: one sentence, exit code 2, and nothing is lost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fixtures.pictures import bars
from fixtures.tasks import OPTIONS, SUMMARIES, options, rows, write_data, write_rows
from regard.training import RunFolder

TASKS = tuple(OPTIONS)
TEXT = [task for task in TASKS if task != "image-classification"]
RUNNING = ("language-model", "masked-language-model")
CYRILLIC = "привет\n".encode("cp1251") * 9
HEADER = b"text\tlabel\tpair\n"
NOISE = np.random.default_rng(3).bytes(3000)


def expected(task: str, kind: str) -> str:
    """What the message about a file of this kind says."""
    if task == "image-classification":
        return {
            "missing": "expected a folder of images or an .npz at",
            "empty": "it is empty",
            "binary": "is not an .npz of arrays",
            "cyrillic": "is not an .npz of arrays",
            "folder": "a sub-folder of images for each label",
        }[kind]
    return {
        "missing": "but there is no such file. Check the path.",
        "empty": "but it is empty. Check that it is the right file.",
        "binary": "line 1: expected UTF-8, but byte",
        "cyrillic": "would take all 1" if task == "translation" else ": expected UTF-8, but byte",
        "folder": "expected files of text in the folder"
        if task in RUNNING
        else "is a folder. Name a file in it.",
    }[kind]


@pytest.fixture
def refused(regard: Any, tmp_path: Path) -> Callable[..., str]:
    """The one sentence about a command that fails; it leaves no run, and no file is changed."""

    def run(task: str, data: Path, *more: object, output: Path | None = None) -> str:
        output = output or tmp_path / "run"
        before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
        outcome = regard("train", task, data, *options(task), "--output", output, *more)
        assert outcome.code == 2, outcome.err
        assert outcome.out == ""
        assert "Traceback" not in outcome.err
        message = outcome.err.splitlines()[-1]
        assert message.startswith("regard: ")
        assert not (output / "run.json").exists()
        assert all(file.read_bytes() == content for file, content in before.items())
        return str(message)

    return run


@pytest.mark.parametrize("kind", ["missing", "empty", "binary", "cyrillic", "folder"])
@pytest.mark.parametrize("task", TASKS)
def test_a_file_that_is_none(task: str, kind: str, refused: Any, tmp_path: Path) -> None:
    if task in SUMMARIES:
        pytest.importorskip("rouge_score")
    path = tmp_path / f"data{write_data(task, tmp_path).suffix}"
    if kind == "folder":
        path.mkdir()
    elif kind != "missing":
        cyrillic = HEADER + CYRILLIC if path.suffix == ".tsv" else CYRILLIC
        path.write_bytes({"empty": b"", "binary": NOISE, "cyrillic": cyrillic}[kind])
    assert expected(task, kind) in refused(task, path)


@pytest.mark.parametrize("task", TASKS)
def test_an_output_that_cannot_be_a_folder(task: str, refused: Any, tmp_path: Path) -> None:
    if task in SUMMARIES:
        pytest.importorskip("rouge_score")
    data = write_data(task, tmp_path)
    assert "part of its path is a file" in refused(task, data, output=data / "run")


@pytest.mark.parametrize("task", TASKS)
def test_a_folder_in_which_another_process_trains(task: str, refused: Any, tmp_path: Path) -> None:
    if task in SUMMARIES:
        pytest.importorskip("rouge_score")
    with RunFolder(tmp_path / "run").locked():
        message = refused(task, write_data(task, tmp_path))
    assert "another process is training in" in message
    assert message.endswith("Wait for it to end, or give another --output.")


@pytest.mark.parametrize(
    ("task", "flag", "columns"),
    [
        ("classification", "--text", "text, label"),
        ("classification", "--label", "text, label"),
        ("summarization", "--document", "document, summary"),
        ("question-answering", "--context", "question, context, answer"),
        ("embedding", "--pair", "text, pair"),
    ],
)
def test_a_column_that_is_not_there(
    task: str, flag: str, columns: str, refused: Any, tmp_path: Path
) -> None:
    message = refused(task, write_data(task, tmp_path), flag, "nope")
    assert message.endswith(f"has no column 'nope'; its columns are {columns}. Name one of them.")


@pytest.mark.parametrize("task", RUNNING)
def test_records_without_the_column_of_the_text(task: str, refused: Any, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "records.jsonl", [{"wording": "a dog"}] * 3)
    assert "its columns are wording. Name one with --text" in refused(task, data)
    assert "has no column 'nope'; its columns are wording" in refused(task, data, "--text", "nope")


def test_one_label_only(refused: Any, tmp_path: Path) -> None:
    data = write_rows(
        tmp_path / "one.tsv", [{"text": f"dog {k}", "label": "good"} for k in range(30)]
    )
    assert "needs at least two labels" in refused("classification", data)
    images, labels = bars(30, 1)
    np.savez(tmp_path / "one.npz", images=images, labels=np.full_like(labels, "lies"))
    output = tmp_path / "images"
    message = refused("image-classification", tmp_path / "one.npz", output=output)
    assert "only ['lies']" in message


def test_a_label_for_each_text(refused: Any, tmp_path: Path) -> None:
    data = write_rows(
        tmp_path / "each.tsv", [{"text": f"dog {k}", "label": f"dog {k}"} for k in range(30)]
    )
    assert "texts held out as dev is one that is trained on too" in refused("classification", data)


def test_a_dev_label_that_is_not_trained_on(refused: Any, tmp_path: Path) -> None:
    dev = write_rows(
        tmp_path / "dev.tsv",
        [{"text": "a cat", "label": "good"}, {"text": "a mouse", "label": "ugly"}],
    )
    message = refused("classification", write_data("classification", tmp_path), "--dev", dev)
    assert "dev.tsv, line 3, has the label 'ugly', which no training text has" in message
    images, labels = bars(20, 5)
    np.savez(tmp_path / "dev.npz", images=images, labels=np.where(labels == "lies", "lies", "up"))
    data = write_data("image-classification", tmp_path)
    output = tmp_path / "images"
    message = refused("image-classification", data, "--dev", tmp_path / "dev.npz", output=output)
    assert "dev.npz has the label 'up', which no training image has" in message


def test_a_folder_of_broken_pictures(refused: Any, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    pictures, labels = bars(30, 1)
    for number, (picture, label) in enumerate(zip(pictures, labels, strict=True)):
        (tmp_path / "pictures" / label).mkdir(parents=True, exist_ok=True)
        file = tmp_path / "pictures" / label / f"{number}.png"
        image.fromarray(picture).save(file)
        file.write_bytes(file.read_bytes()[:60])
    message = refused("image-classification", tmp_path / "pictures")
    assert "none of its 30 can be read" in message
    assert "is not an image Pillow can read" in message
    assert message.endswith("Save it again, or take it away.")


WRONG = {
    "translation": "language-model",
    "classification": "image-classification",
    "image-classification": "classification",
    "language-model": "classification",
    "masked-language-model": "language-model",
    "question-answering": "image-classification",
    "embedding": "language-model",
    "summarization": "classification",
    "extractive-summarization": "language-model",
}


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small models with random weights and their tokenizers: an encoder, a GPT and a ViT."""
    import torch

    from regard.checkpoints import save_pretrained
    from regard.models import (
        Decoder,
        Encoder,
        VisionTransformer,
        decoder_preset,
        encoder_preset,
        vision_preset,
    )
    from regard.tasks.images.preparation import Preparation, write_preparation
    from regard.text.continuous import train_continuous
    from regard.text.train import train_tokenizer

    folder = tmp_path_factory.mktemp("bases")
    texts = [row["text"] for row in rows("classification")]
    torch.manual_seed(1)
    words = train_tokenizer(texts, encoder=True)
    save_pretrained(
        Encoder(encoder_preset("tiny", words.vocab_size, head="none")), folder / "classification"
    )
    words.save(folder / "classification")
    letters = train_continuous(iter(texts), kind="characters", vocab_size=None)
    config = decoder_preset(
        "tiny", letters.vocab_size, max_positions=32, bos_id=letters.eos_id, eos_id=letters.eos_id
    )
    save_pretrained(Decoder(config), folder / "language-model")
    letters.save(folder / "language-model")
    config = vision_preset(
        "mini", head="classification", labels=("a", "b"), image_size=(12, 12), patch_size=(4, 4)
    )
    save_pretrained(VisionTransformer(config), folder / "image-classification")
    write_preparation(
        Preparation((12, 12), mean=(0.5,) * 3, std=(0.5,) * 3), folder / "image-classification"
    )
    return folder


NEW = {"--vocab-size", "--d-model", "--heads", "--layers", "--tokenizer", "--patch-size"}


@pytest.fixture
def continued(refused: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """As `refused`, of a run that continues from a model, without the options of new ones."""

    def run(task: str, data: Path, base: Path) -> str:
        words = OPTIONS[task].split()
        pairs = zip(words[::2], words[1::2], strict=True)
        kept = [f"{flag} {value}" for flag, value in pairs if flag not in NEW | {"--preset"}]
        monkeypatch.setitem(OPTIONS, task, " ".join(kept))
        return str(refused(task, data, "--from", base))

    return run


@pytest.mark.parametrize("task", TASKS)
def test_a_model_of_another_kind_is_refused_before_the_data_is_read(
    task: str, continued: Any, bases: Path, tmp_path: Path
) -> None:
    if task in SUMMARIES:
        pytest.importorskip("rouge_score")
    base = bases / WRONG[task]
    message = continued(task, write_data(task, tmp_path), base)
    assert str(base) in message
    assert not (tmp_path / "run").exists()


def test_what_is_left_out_or_cut_is_said(regard: Any, tmp_path: Path) -> None:
    data = write_data("classification", tmp_path)
    with open(data, "a") as file:
        file.write("   \tgood\n" + "a dog " * 300 + "\tgood\n")
    short = ("--max-steps", 1, "--eval-every", 1, "--max-length", 16)
    outcome = regard(
        "train", "classification", data, *options("classification"), *short, "--output",
        tmp_path / "texts",
    )  # fmt: skip
    assert outcome.code in (0, 3)  # after one step a model may know one label alone
    assert "1 empty text (first at line 142)" in outcome.err
    assert "1 texts cut to 16" in outcome.err
    examples = rows("question-answering")
    examples[3]["answer"] = "the moon"
    data = write_rows(tmp_path / "away.jsonl", examples)
    outcome = regard(
        "train", "question-answering", data, *options("question-answering"), *short[:4],
        "--output", tmp_path / "questions",
    )  # fmt: skip
    assert outcome.code == 0
    assert "(first at line 4)" in outcome.err
    assert "answer" in outcome.err.splitlines()[0]
