"""A long text becomes a short one, as the checkpoint's settings and transformers have it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regard.tasks.summarization.task import Summarizer

TEXTS = ["A man is looking at the dog.", "two  hats ", "12 dogs ☃☃ end", "the <sep> man"]
# The settings of facebook/bart-large-cnn, but for the lengths.
LIKE_CNN: dict[str, Any] = {
    "num_beams": 4, "length_penalty": 2.0, "early_stopping": True, "no_repeat_ngram_size": 3,
    "min_length": 7, "max_length": 14, "forced_bos_token_id": 0, "forced_eos_token_id": 2,
}  # fmt: skip
Maker = Callable[..., Any]


def expected(summarizer: Summarizer, ids: list[int]) -> list[str]:
    return summarizer.tokenizers.target.tokens(ids[:-1] if ids[-1] == 2 else ids)


def test_a_checkpoints_own_settings_give_what_they_give_there(
    foreign: Maker, tmp_path: Path
) -> None:
    theirs = foreign("bart", tmp_path / "bart", **LIKE_CNN)
    ours = Summarizer.load(theirs.folder)
    for batch_size in (1, 3):
        for text, summary in zip(TEXTS, ours.run(TEXTS, batch_size=batch_size), strict=True):
            ids = theirs.generate(theirs.ids(text), do_sample=False, **LIKE_CNN)
            assert summary.tokens == expected(ours, ids)
            assert 6 <= len(summary.tokens) <= 12
            assert not summary.truncated
    assert len({summary.text for summary in ours.run(TEXTS)}) > 2


def test_the_tasks_settings_and_prefix_are_taken(foreign: Maker, tmp_path: Path) -> None:
    task = {"prefix": "two hats ", "num_beams": 2, "max_length": 6}
    theirs = foreign("t5", tmp_path / "t5", task_specific_params={"summarization": task})
    ours = Summarizer.load(theirs.folder)
    assert (ours.prefix, ours.generation.num_beams) == ("two hats ", 2)
    before = theirs.ids("two  hats ")[:-1]
    ids = theirs.generate([*before, *theirs.ids(TEXTS[0])], num_beams=2, max_new_tokens=5)
    (summary,) = ours.run(TEXTS[:1])
    assert summary.tokens == ours.tokenizers.target.tokens(ids)


def test_a_text_that_is_too_long_is_cut_and_the_summary_says_so(
    foreign: Maker, tmp_path: Path
) -> None:
    theirs = foreign("bart", tmp_path / "bart", **LIKE_CNN)
    ours = Summarizer.load(theirs.folder)
    long = " ".join(TEXTS * 3)
    assert len(theirs.ids(long)) > 37
    short, cut = ours.run([TEXTS[0], long])
    assert (short.truncated, cut.truncated) == (False, True)
    ids = [*theirs.ids(long)[:36], 2]
    assert cut.tokens == expected(ours, theirs.generate(ids, do_sample=False, **LIKE_CNN))
    exact = ours.tokenizers.source.decode(theirs.ids(long)[1:36])
    assert len(ours.encode(exact)) == 35
    assert not ours.run([exact])[0].truncated


def test_relative_positions_have_no_end(foreign: Maker, tmp_path: Path) -> None:
    ours = Summarizer.load(foreign("t5", tmp_path / "t5", n_positions=12).folder)
    assert not ours.run(["the man " * 20], max_new_tokens=3)[0].truncated


@pytest.mark.parametrize("empty", ["", " \n"])
def test_an_empty_text_has_an_empty_summary(empty: str, foreign: Maker, tmp_path: Path) -> None:
    ours = Summarizer.load(foreign("bart", tmp_path / "bart", prefix=" ", **LIKE_CNN).folder)
    counted: list[int] = []
    nothing, something = ours.run([empty, TEXTS[0]], progress=counted.append)
    assert (nothing.text, nothing.tokens, nothing.finished) == ("", [], True)
    assert something.text
    assert sum(counted) == 2
    assert ours.run([]) == []


def test_several_summaries_of_one_text_come_best_first(foreign: Maker, tmp_path: Path) -> None:
    ours = Summarizer.load(foreign("bart", tmp_path / "bart", **LIKE_CNN).folder)
    (summary,) = ours.run(TEXTS[:1], alternatives=3)
    scores = [each.score for each in summary.alternatives]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert summary.alternatives[0].tokens == summary.tokens
    assert ours(TEXTS[0]) == summary.text
