"""`regard summarize`: one text in, one summary out, and what was left out is said."""

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

import regard.tasks.loading
from regard.generation import GenerationConfig
from regard.tasks.summarization.task import Summary


class FirstWord:
    """A summarizer whose summary is the first word; it reads four words and ends within ten."""

    not_followed: tuple[str, ...] = ()
    prefix = ""
    room = 4
    generation = GenerationConfig()

    def __init__(self) -> None:
        self.seen: list[SimpleNamespace] = []

    def run_by(self, engine: str, **settings: Any) -> "FirstWord":
        return self

    def with_options(self, **options: Any) -> tuple["FirstWord", dict[str, Any]]:
        self.prefix = options.pop("prefix", "")
        options.pop("tokens", None)
        return self, options

    def run_rows(self, rows: Sequence[tuple[str, ...]], **options: Any) -> list[Summary]:
        return self.run([text for (text,) in rows], **options)

    def run(self, texts: Sequence[str], *, progress: Any, **options: Any) -> list[Summary]:
        self.seen.append(SimpleNamespace(texts=list(texts), options=options))
        progress(len(texts))
        return [
            Summary(words[0], -0.5, len(words[0]) < 10, truncated=len(words) > 4, tokens=words[:1])
            for words in map(str.split, texts)
        ]


@pytest.fixture
def first_word(monkeypatch: pytest.MonkeyPatch) -> FirstWord:
    summarizer = FirstWord()
    monkeypatch.setattr(regard.tasks.loading, "load", lambda name, task: summarizer)
    return summarizer


def test_each_line_becomes_a_line(regard, first_word):
    outcome = regard("summarize", "-m", "x", stdin=b"one two\n\n\xc3\xbc b\n")
    assert (outcome.code, outcome.out, outcome.err) == (0, "one\n\nü\n", "")
    assert first_word.seen[0].texts == ["one two", "ü b"]


def test_options_reach_the_summarizer_and_others_are_left_to_the_model(regard, first_word):
    regard(
        "summarize", "a b", "-m", "x", "--max-new-tokens", 9, "--min-new-tokens", 3,
        "--num-beams", 2, "--length-penalty", 0.5, "--no-repeat-ngram-size", 4,
        "--batch-size", 5, "--prefix", "sum up: ",
    )  # fmt: skip
    assert first_word.seen[0].options == {
        "max_new_tokens": 9, "min_new_tokens": 3, "num_beams": 2, "length_penalty": 0.5,
        "no_repeat_ngram_size": 4, "batch_size": 5,
    }  # fmt: skip
    assert first_word.prefix == "sum up: "
    regard("summarize", "a b", "-m", "x")
    assert first_word.seen[1].options == {"batch_size": 8}


def test_what_was_cut_is_said_with_its_line(regard, first_word):
    outcome = regard("summarize", "-m", "x", stdin=b"a\na b c d e\nunendingly\n")
    assert outcome.out == "a\na\nunendingly\n"
    first, second = outcome.err.splitlines()
    assert first.startswith("regard: line 2 is longer than the 4 tokens that the model reads")
    assert second.startswith("regard: the summary of line 3 was cut off before it ended")


def test_json_passes_other_fields_through(regard, first_word):
    outcome = regard(
        "summarize", "-m", "x", "--json", stdin=b'{"id": 7, "text": "a b c d e"}\nplain\n\n'
    )
    first, second, third = map(json.loads, outcome.out.splitlines())
    assert first == {
        "id": 7, "text": "a b c d e", "summary": "a", "score": -0.5, "finished": True,
        "truncated": True,
    }  # fmt: skip
    assert (second["text"], second["summary"], second["truncated"]) == ("plain", "plain", False)
    assert third == {"text": "", "summary": ""}


def test_a_file_becomes_a_file(regard, first_word, tmp_path):
    (tmp_path / "in.txt").write_text("one two\nthree\n")
    outcome = regard("summarize", "-m", "x", "-i", tmp_path / "in.txt", "-o", tmp_path / "out.txt")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    assert (tmp_path / "out.txt").read_text() == "one\nthree\n"


def test_settings_that_are_not_followed_are_said_once(regard, first_word):
    first_word.not_followed = ("typical_p",)
    assert regard("summarize", "-m", "org/x", stdin=b"a\nb\n").err == (
        "regard: org/x asks for typical_p; regard ignores that.\n"
    )


def test_the_shipped_model_takes_a_sentence_of_the_text(regard):
    text = (
        "Deep networks are hard to train. We propose a simple method that trains them faster. It"
        " is two pages long."
    )
    outcome = regard("summarize", text)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "We propose a simple method that trains them faster.\n"
    assert regard("summarize", text, "--alternatives", 3).out.count("\n") == 3


def test_options_of_models_that_write_are_refused_for_one_that_takes_sentences(regard):
    outcome = regard("summarize", "a text", "--num-beams", 2)
    assert outcome.code == 2
    assert outcome.err == (
        "regard: --num-beams belongs to a model that writes; summaries takes a sentence of the"
        " text. Leave it out.\n"
    )


def test_a_model_that_is_not_there_is_named(regard, tmp_path):
    outcome = regard("summarize", "a text", "-m", tmp_path / "none")
    assert outcome.code == 2
    assert "there is no folder" in outcome.err


def test_nothing_to_read_is_said(regard, first_word):
    outcome = regard("summarize", "-m", "x", stdin=None)
    assert outcome.code == 2
    assert "nothing to read: give a text in quotes" in outcome.err
