"""Readers of the files that people train on, evaluate with and give to commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from fixtures.tasks import rows
from fuzz.small_models import TEXT
from regard.cli.lines import read_lines
from regard.course.words import load_vectors
from regard.course.words.segmentation import read_sentences
from regard.course.words.vectors import WordVectors
from regard.data import TokenStore, read_pairs
from regard.data.batches import Batches
from regard.data.documents import read_documents
from regard.errors import RegardError
from regard.tasks.classification.read import read_labeled
from regard.tasks.embedding.read import read_text_pairs
from regard.tasks.images.preparation import Preparation
from regard.tasks.images.read import open_pictures
from regard.tasks.question_answering.read import QuestionReader
from regard.tasks.question_answering.train_options import QuestionAnsweringOptions
from regard.tasks.summarization.score import read_documents_with_summaries
from regard.tasks.transcription.audio import read_sound
from regard.training import RunFolder
from regard.training.prepared import prepare_once

SOUNDS = ("wav", "flac", "ogg", "mp3", "aiff", "w64")


def make_pairs(folder: Path) -> list[str]:
    found = [{"source": f"a dog {k}", "target": f"ein Hund {k}"} for k in range(5)]
    return _tables(folder, "pairs", found)


def read_pair_file(folder: Path, name: str) -> None:
    list(read_pairs(folder / name))
    list(read_pairs(folder / name, on_bad_line=_skip))


TABLES: dict[str, Callable[[str], Any]] = {
    "classification": lambda path: read_labeled(path, on_bad_line=_skip),
    "embedding": lambda path: read_text_pairs(path, on_bad_line=_skip),
    "summarization": lambda path: read_documents_with_summaries(path, on_bad_line=_skip),
    "question-answering": lambda path: _questions(path),
    "text": lambda path: read_documents(path, on_bad_line=_skip),
}


def make_tables(folder: Path) -> list[str]:
    names = []
    for task in TABLES:
        found = rows("classification" if task == "text" else task)[:5]
        if task == "embedding":
            found = [row | {"score": str(k)} for k, row in enumerate(found)]
        names += _tables(folder, task, found)
    answer = {"text": "river", "answer_start": 6}
    asked = {"question": "Where?", "id": "1", "answers": [answer], "is_impossible": False}
    article = {"title": "a", "paragraphs": [{"context": "By a river.", "qas": [asked]}]}
    squad = folder / "question-answering.json"
    squad.write_text(json.dumps({"version": "1", "data": [article, article]}))
    (folder / "text.txt").write_text("A dog.\n\nA house, a tree.\n" * 3)
    return [*names, squad.name, "text.txt"]


def read_table(folder: Path, name: str) -> None:
    list(TABLES[name.partition(".")[0]](str(folder / name)))


def make_pictures(folder: Path) -> list[str]:
    pixels = np.arange(4 * 6 * 5 * 3, dtype=np.uint8).reshape(4, 6, 5, 3)
    np.savez(folder / "images.npz", images=pixels, labels=np.array(["a", "b", "a", "b"]))
    names = ["images.npz"]
    with suppress(ImportError):
        from PIL import Image

        (folder / "files" / "a").mkdir(parents=True)
        for ending in ("png", "jpg", "gif", "bmp", "webp"):
            Image.fromarray(pixels[0]).save(folder / "files" / "a" / f"one.{ending}")
            names.append(f"files/a/one.{ending}")
    return names


def make_sounds(folder: Path) -> list[str]:
    """A tone of 50 ms in two channels; its head is most of a file."""
    import soundfile

    steps = np.arange(400) / 8000
    tone = np.stack([np.sin(2000 * steps), np.cos(3000 * steps)], 1) / 2
    for ending in SOUNDS:
        soundfile.write(folder / f"tone.{ending}", tone, 8000)
    return [f"tone.{ending}" for ending in SOUNDS]


def read_sounds(folder: Path, name: str) -> None:
    read_sound(folder / name, 16000)


def read_pictures(folder: Path, name: str) -> None:
    """An image is read as the one of its folder."""
    preparation = Preparation(size=(4, 4))
    if name.endswith(".npz"):
        pictures = open_pictures(str(folder / name), say=print)
        list(pictures.sizes()), list(pictures.read(preparation))
        return
    pictures = open_pictures(str(folder / "files"), say=print)
    pictures.files = [folder / name]  # type: ignore[attr-defined]
    list(pictures.sizes()), list(pictures.read(preparation))


def make_words(folder: Path) -> list[str]:
    (folder / "text.txt").write_text(f"{TEXT}.\nDon't — “so”: ध ☕️ 🧑‍🚀 naïve 東京。\n" * 3)
    return ["text.txt"]


def read_words(folder: Path, name: str) -> None:
    """As `regard words train` reads its text."""
    with (folder / name).open("rb") as file:
        lines = [line for group in read_lines(file, name=name) for line in group]
    read_sentences((line.text for line in lines), 1)


def make_vectors(folder: Path) -> list[str]:
    vectors = WordVectors(["a", "dog", "ध"], np.arange(12, dtype=np.float32).reshape(3, 4))
    names = ["text.txt", "text.vec.gz", "binary.bin"]
    for name in names:
        vectors.save(folder / name)
    vectors.save(folder / "folder")
    return [*names, "folder/words.txt", "folder/vectors.safetensors"]


def read_vectors(folder: Path, name: str) -> None:
    vectors = load_vectors(folder / name.partition("/")[0])
    vectors.neighbors(vectors.words[0])


def make_lines(folder: Path) -> list[str]:
    lines = [{"text": TEXT, "id": 3}, {"text": "a", "more": [1, None]}]
    (folder / "lines.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return ["lines.jsonl"]


def read_line_file(folder: Path, name: str) -> None:
    for keep_bad in (True, False):
        with (folder / name).open("rb") as file:
            list(read_lines(file, name=name, json_lines=True, keep_bad=keep_bad))


def make_run(folder: Path) -> list[str]:
    run = RunFolder(folder, warn=_skip)
    run.start({"seed": 1, "data": "a"}, free=set(), threads=1)
    run.log({"step": 1, "loss": 2.5})
    TokenStore.write(folder / "train.tokens", [([3, 4], [5])] * 4, vocab_size=9)
    (folder / "asked").write_text("what it was made from")
    _prepare(folder)
    return ["run.json", "log.jsonl", "train.tokens", "data/prepared.json", "data/made.txt"]


def read_run(folder: Path, name: str) -> None:
    run = RunFolder(folder, warn=_skip)
    run.start({"seed": 1, "data": "a"}, free=set(), threads=1)
    run.cut_log(1)
    store = TokenStore.open(folder / "train.tokens")
    Batches(store, max_tokens=64, pad_id=0, eos_id=1).at(0)
    _prepare(folder)


def _prepare(folder: Path) -> None:
    def make() -> tuple[str, dict[str, Any]]:
        (folder / "data" / "made.txt").write_text("made")
        return "made", {}

    prepare_once(folder / "data", [str(folder / "asked")], {"seed": 1}, make, say=_skip)


def _questions(path: str) -> Any:
    options = QuestionAnsweringOptions(output="")
    return QuestionReader(options, _skip).read(path, _skip)


def _tables(folder: Path, stem: str, found: list[dict[str, str]]) -> list[str]:
    """The same rows in each form."""
    names = [f"{stem}.tsv", f"{stem}.csv", f"{stem}.jsonl"]
    header = list(found[0])
    for name, sign in zip(names[:2], "\t,", strict=True):
        quote = '"' if sign == "," else ""
        lines = [sign.join(f"{quote}{cell}{quote}" for cell in row.values()) for row in found]
        (folder / name).write_text("\n".join([sign.join(header), *lines]) + "\n")
    (folder / names[2]).write_text("\n".join(map(json.dumps, found)))
    with suppress(ImportError):
        import pyarrow
        import pyarrow.parquet

        columns = {key: [row[key] for row in found] for key in header}
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / f"{stem}.parquet")
        names.append(f"{stem}.parquet")
    return names


def _skip(what: object) -> None:
    assert not isinstance(what, RegardError)
