"""Heads between two words, beside the whole maps of every layer."""

import numpy as np
import pytest

import regard
from regard.errors import BadArgumentError
from regard.inspection import Trace


@pytest.fixture(scope="module")
def translation() -> Trace:
    return regard.load("en-de").trace("My sister bought an unbelievably old bicycle.")


def test_a_word_of_several_pieces_is_summed_and_heads_come_in_order(translation: Trace) -> None:
    axis = translation.axes["source"]
    [spans, *_] = [span for span in axis.words or () if span[1] - span[0] > 1]
    word = "".join(axis.tokens[slice(*spans)]).strip("▁")
    tops = translation.top(2, word, count=1000)
    expected = {
        f"{name}:{head}": translation[name].weights(head)[2, slice(*spans)].sum()
        for name in translation
        if name.endswith("cross")
        for head in range(translation[name].heads)
    }
    assert {top.name for top in tops} == expected.keys()
    for top in tops:
        assert top.weight == pytest.approx(float(expected[top.name]), abs=1e-6)
    assert [top.weight for top in tops] == sorted((top.weight for top in tops), reverse=True)
    assert translation.top(2, word, count=2) == tops[:2]


def test_positions_of_other_axes_are_named_by_them(translation: Trace) -> None:
    [best, *_] = translation.top(3, 1, axes=("source", "source"))
    assert translation.top(3, 1, axes=["source", "source"])[0] == best  # type: ignore[arg-type]
    weights = translation[best.tap].weights(best.head)
    assert best.weight == pytest.approx(float(np.asarray(weights)[3, 1]), abs=1e-6)
    assert best.tap.startswith("encoder.")


@pytest.mark.parametrize(
    ("places", "axes", "sentence"),
    [
        ((999, 0), None, r"query must be from 0 to \d+; got 999"),
        ((0, 999), None, r"key must be from 0 to \d+; got 999"),
        ((-1, 0), None, r"query must be from 0 to \d+; got -1"),
        ((0, "zebra"), None, "a word of source must be one of My, sister"),
        ((0, 0), ("source", "target"), "axes must be one of source and source, target and target"),
    ],
)
def test_what_is_not_there_is_said(
    translation: Trace,
    places: tuple[int, int | str],
    axes: tuple[str, str] | None,
    sentence: str,
) -> None:
    with pytest.raises(BadArgumentError, match=sentence):
        translation.top(*places, axes=axes)
