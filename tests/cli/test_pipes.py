"""Files that can be read only once: a FIFO, /dev/stdin."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from regard.generation import GenerationConfig
from regard.tasks.classification.task import Classification, Label
from regard.tasks.embedding.task import Embedding
from regard.tasks.question_answering.task import Answer, Answers
from regard.tasks.summarization.task import Summary
from regard.tasks.text_generation.task import Continuation
from regard.tasks.translation.task import Translation

TEXT = b"one two\nthree\n\nfour\n"
PAIRS = b"a dog\tein Hund\na cat\teine Katze\n"


@pytest.fixture
def fifo(tmp_path: Path) -> Callable[..., Path]:
    """Makes a named pipe that a thread writes to as soon as it is opened, once."""

    def make(content: bytes, name: str = "pipe") -> Path:
        path = tmp_path / name
        os.mkfifo(path)
        threading.Thread(target=path.write_bytes, args=(content,), daemon=True).start()
        return path

    return make


class Model:
    """Answers every task's `run`, and keeps the texts."""

    generation = GenerationConfig()
    not_followed = ()
    computed_by = "torch"
    room = max_length = 9
    width = 2

    def __init__(self):
        self.texts = []

    def run_by(self, engine, **settings):
        return self

    def with_options(self, **options):
        return self, options

    def run_rows(self, rows, **options):
        self.texts += [text for text, *_ in rows]
        return [self.result for _ in rows]

    @property
    def result(self):
        results = {
            "translation": Translation("answer", 1.0, True),
            "summarization": Summary("answer", 1.0, True),
            "text-generation": Continuation("answer", 1.0, True),
            "text-classification": Classification([Label("good", 1.0)], ["good"]),
            "question-answering": Answers([Answer("answer", 0, 6, 1.0)]),
            "feature-extraction": Embedding(np.zeros(2, np.float32)),
        }
        return results[self.task]


@pytest.fixture
def model(monkeypatch):
    from regard.tasks import loading

    model = Model()

    def load(name, task):
        model.task = task
        return model

    monkeypatch.setattr(loading, "load", load, raising=False)
    return model


@pytest.mark.parametrize("command", ["translate", "summarize", "classify"])
def test_a_fifo_is_read_once_and_gives_every_line(command, regard, model, fifo):
    outcome = regard(command, "--model", "any", "--input", fifo(TEXT))
    assert (outcome.code, outcome.err) == (0, "")
    assert len(outcome.out.splitlines()) == 4
    assert model.texts == ["one two", "three", "four"]


@pytest.mark.parametrize("command", ["encode", "generate"])
def test_a_fifo_gives_every_line_to_what_answers_empty_ones_too(command, regard, model, fifo):
    outcome = regard(command, "--model", "any", "--input", fifo(TEXT))
    assert outcome.code == 0
    assert model.texts == ["one two", "three", "", "four"]


def test_questions_and_their_context_come_from_fifos(regard, monkeypatch, fifo):
    from regard.tasks import loading

    asked = []

    class Answerer:
        def run_by(self, engine, **settings):
            return self

        def with_options(self, **options):
            return self, options

        def run_rows(self, rows, **options):
            asked.extend(rows)
            return [Answers([]) for _ in rows]

    monkeypatch.setattr(loading, "load", lambda name, task: Answerer(), raising=False)
    context = fifo(b"\xef\xbb\xbfThe context.", "context")
    outcome = regard("answer", "-m", "any", "--input", fifo(b"who?\nwhat?\n"), "-c", context)
    assert (outcome.code, outcome.err) == (0, "")
    assert asked == [("who?", "The context."), ("what?", "The context.")]


def test_words_are_counted_from_a_fifo(regard, fifo):
    pytest.importorskip("scipy")
    outcome = regard("words", "represent", fifo(b"a dog\na cat\n"), "--csv")
    assert outcome.out == ",a,cat,dog\na dog,1,0,1\na cat,1,1,0\n"


def test_word_vectors_are_trained_from_a_fifo(regard, fifo, tmp_path):
    text = fifo(b"the dog sees the cat\n" * 40)
    outcome = regard("words", "train", text, "-o", tmp_path / "made", "--dim", 3, "--epochs", 1)
    assert outcome.code == 0
    assert "from 40 lines" in outcome.out


def test_meaning_reads_a_fifo(fifo):
    from regard.cli.commands.meaning import _read

    assert _read(fifo(b"the bank\tmoney\nthe bank\triver\n", "pipe.tsv")) == (
        ["the bank", "the bank"], ["money", "river"],
    )  # fmt: skip


def test_look_reads_a_fifo(fifo):
    from regard.cli.commands.look import _text

    assert _text(None, fifo(b"The dog sees.\n")) == "The dog sees."


def test_a_translator_is_scored_on_pairs_from_a_fifo(fifo):
    from regard.tasks.translation.score import read_test_set

    assert read_test_set(fifo(PAIRS)) == [("a dog", "ein Hund"), ("a cat", "eine Katze")]


def test_parquet_comes_through_a_fifo(fifo, tmp_path):
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet

    from regard.data import read_pairs

    pyarrow.parquet.write_table(pa.table({"source": ["a"], "target": ["b"]}), tmp_path / "made")
    pipe = fifo((tmp_path / "made").read_bytes(), "pipe.parquet")
    assert [(pair.source, pair.target) for pair in read_pairs(pipe)] == [("a", "b")]


def test_training_refuses_a_pipe_and_says_why(regard, tmp_path):
    os.mkfifo(tmp_path / "pipe")  # without a writer: it must not be opened
    outcome = regard("train", "translation", tmp_path / "pipe", "--output", tmp_path / "run")
    assert outcome.code == 2
    assert "can be read only once, and training reads its files several times" in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_stdin_by_its_name_gives_every_line():
    program = "from regard.cli.texts import text_groups; from pathlib import Path\n"
    program += "groups = text_groups(None, Path('/dev/stdin'), False, what='a text')\n"
    program += "print([line.text for group in groups for line in group])"
    shown = subprocess.run([sys.executable, "-c", program], input=TEXT, capture_output=True)
    assert shown.stdout.decode().strip() == "['one two', 'three', '', 'four']"


def test_an_empty_pipe_is_refused_before_a_model_is_loaded(regard, fifo):
    outcome = regard("translate", "--model", "no such model", "--input", fifo(b""))
    assert outcome.code == 2
    assert "but it is empty. Check that it is the right file" in outcome.err
