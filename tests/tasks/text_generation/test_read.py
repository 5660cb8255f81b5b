"""What is held out is not trained on, and what is left out is counted."""

import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.data import documents, store
from regard.tasks.fill_mask.train import MaskedLanguageModelRecipe
from regard.tasks.fill_mask.train_options import MaskedLanguageModelOptions
from regard.tasks.text_generation import blocks
from regard.tasks.text_generation import read as corpus
from regard.tasks.text_generation.read import Documents, split_documents, write_tokens
from regard.tasks.text_generation.train import LanguageModelRecipe
from regard.tasks.text_generation.train_options import LanguageModelOptions
from regard.text import train as text_train
from regard.text.continuous import train_continuous


def split(path: Path, dev: Path | None = None, fraction: float = 0.1):
    said: list[str] = []
    options = LanguageModelOptions(dev=dev and str(dev), dev_fraction=fraction)
    found = split_documents(str(path), options, say=said.append)
    return found, said


def folder_of(path: Path, texts: dict[str, str]) -> Path:
    path.mkdir()
    for name, text in texts.items():
        (path / name).write_text(text)
    return path


def test_the_last_tenth_of_one_text_is_dev(tmp_path: Path) -> None:
    text = "".join(f"word{k}\n" for k in range(9000))
    (tmp_path / "a.txt").write_text(text)
    found, said = split(tmp_path / "a.txt")
    train, dev = ("".join(piece.text for piece in part) for part in (found.train(), found.dev()))
    assert train == text[: int(0.9 * len(text))]
    assert dev == text[len(train) :]
    assert said == [f"{tmp_path}/a.txt: documents: 1 read, 1 kept; none left out",
                    "dev: the last 10% of the text"]  # fmt: skip


def test_of_many_documents_whole_ones_are_dev(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    lines = [f'{{"text": "document {k}"}}\n' for k in range(50)]
    file.write_text("".join(lines))
    found, _ = split(file)
    train = {piece.text for piece in found.train()}
    dev = {piece.text for piece in found.dev()}
    assert len(train) == 45
    assert len(dev) == 5
    assert not train & dev
    file.write_text("".join(lines[::-1]))
    assert {piece.text for piece in split(file)[0].dev()} == dev  # in any order


def test_empty_and_repeated_documents_are_left_out(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path / "texts", {"a.txt": "one\n", "b.txt": "two\n", "c.txt": " \n", "d.txt": "one \n"}
    )
    dev = tmp_path / "dev.txt"
    dev.write_text("two\n")
    found, said = split(folder, dev)
    assert [piece.text for piece in found.train()] == ["one\n"]
    assert [piece.text for piece in found.dev()] == ["two\n"]
    assert "4 read, 1 kept" in said[0]
    for reason in ("1 in dev too", "1 empty text", "1 duplicate"):
        assert reason in said[0]


def test_lines_of_bad_encoding_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"good\n\xff bad \xfe\nok\n")
    documents = Documents(str(tmp_path / "a.txt"), None)
    assert "".join(piece.text for piece in documents.pieces()) == "good\nok\n"
    assert "1 lines: bad encoding (first at line 2)" in str(documents.report)


def test_nothing_left_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("same\n")
    with pytest.raises(RegardError, match=r"no document is left of .* 1 in dev too"):
        split(tmp_path / "a.txt", tmp_path / "a.txt")


def test_documents_become_one_stream_with_separators(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "texts", {"a.txt": "ab\n", "b.txt": "b\n"})
    documents = Documents(str(folder), None)
    tokenizer = train_continuous(["ab\n"], kind="characters")
    store, size = write_tokens(
        tmp_path / "a.tokens", documents.pieces(), tokenizer, separator=tokenizer.eos_id
    )
    a, b, line = (tokenizer.encode(letter)[0] for letter in "ab\n")
    end = tokenizer.eos_id
    assert store.tokens.tolist() == [end, a, b, line, end, b, line, end]
    assert size == 5


@pytest.mark.long("reads a long text")
@pytest.mark.parametrize(
    ("recipe", "options"),
    [
        (LanguageModelRecipe, LanguageModelOptions(block=16, vocab_size=300)),
        (MaskedLanguageModelRecipe, MaskedLanguageModelOptions(max_length=128, vocab_size=400)),
    ],
    ids=["language-model", "masked-language-model"],
)
def test_a_longer_text_takes_no_more_memory(
    recipe: Any, options: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is in memory at a time is made a small part of what it is, so that little text shows it.
    monkeypatch.setattr(documents, "PIECE", 2**11)
    monkeypatch.setattr(store, "_TOKENS_AT_ONCE", 2**13)
    monkeypatch.setattr(store, "_PAIRS_AT_ONCE", 2**6)
    monkeypatch.setattr(corpus, "_AT_ONCE", 2)
    monkeypatch.setattr(blocks, "_AT_ONCE", 2)
    monkeypatch.setattr(text_train, "MOST_CHARACTERS", 2**16)
    draw = random.Random(41)
    words = ["".join(draw.choices("etaoinshr", k=draw.randint(1, 8))) for _ in range(500)]
    peaks = []
    for size in (1, 3):
        file = tmp_path / f"{size}.txt"
        lines = (" ".join(draw.choices(words, k=12)) + "\n" for _ in range(4000 * size))
        file.write_text("".join(lines))
        tracemalloc.start()
        data = recipe(str(file), options, say=lambda sentence: None, command="").prepare(
            tmp_path / str(size)
        )
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(data.train.tokens) > file.stat().st_size / 8  # all of it has been read
    assert peaks[1] - peaks[0] < 100_000  # the longer file has 430,000 bytes more
