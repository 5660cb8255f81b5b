"""The figure of all heads has what the page's view has: each head, its name, in its order."""

from types import SimpleNamespace

import pytest

pytest.importorskip("matplotlib")

import regard
from regard import RegardError
from regard.inspection.answers import HeadInfo, PatternScore
from regard.inspection.views.all_heads import Placed, all_heads, arranged, heads_figure, side_of

Known = tuple[str | None, float, float, float | None]


@pytest.fixture(scope="module")
def trace():
    return regard.load("en-de").trace("The dog sees the cat.", num_beams=1)


def head(number: int, known: Known) -> Placed:
    pattern, share, entropy, distance = known
    scores = [PatternScore("next", 0.1, 0.1, 9)]
    if pattern:
        scores.append(PatternScore(pattern, share, 0.1, 9))
    info = HeadInfo(number, entropy, distance, 0, 0.0, False, scores, pattern)
    return Placed(SimpleNamespace(name="a"), info, None)


# The example of web/src/heads/arrange.test.ts.
ALL = [
    head(number, known)
    for number, known in enumerate(
        [
            ("previous", 0.6, 2, 3),
            (None, 0, 1, None),
            ("first", 0.9, 3, 1),
            ("previous", 0.8, 0.5, 2),
            (None, 0, 4, 5),
        ]
    )
]


@pytest.mark.parametrize(
    ("order", "pattern", "expected"),
    [
        ("layer", "", [0, 1, 2, 3, 4]),
        ("pattern", "", [2, 3, 0, 1, 4]),
        ("entropy", "", [3, 1, 0, 2, 4]),
        ("distance", "", [2, 3, 0, 4, 1]),
        ("layer", "previous", [0, 3]),
        ("pattern", "previous", [3, 0]),
        ("layer", "none", [1, 4]),
        ("layer", "induction", []),
    ],
)
def test_heads_are_in_the_order_of_the_page(order, pattern, expected) -> None:
    assert [each.info.head for each in arranged(ALL, order, pattern)] == expected


def test_every_head_is_there_with_its_layer_and_the_name_of_what_it_does(
    trace, texts, check_paper
) -> None:
    figure = heads_figure(trace)
    check_paper(figure)
    said = [text.get_text() for text in texts(figure)]
    for block in ("encoder self-attention", "decoder self-attention", "cross-attention"):
        assert block in said
    assert [said.count(f"layer {layer}") for layer in range(3)] == [3, 3, 3]
    assert [said.count(f"head {number}") for number in range(4)] == [3, 3, 3, 3]
    named = [each.info.pattern for each in all_heads(trace) if each.info.pattern]
    for name in set(named):
        assert sum(text.split()[0] == name for text in said) == named.count(name)


def test_each_picture_is_its_heads(trace) -> None:
    (axes, *_) = heads_figure(trace, shade="one").axes
    pictures = [image.get_array() for image in axes.images]
    sides = ["encoder", "decoder", "cross"]  # of the blocks
    heads = sorted(all_heads(trace), key=lambda each: sides.index(side_of(each.tap)))
    assert len(pictures) == len(heads) == 9 * 4
    for picture, each in zip(pictures, heads, strict=True):
        assert picture.shape[:2] == each.picture.shape
        strongest = each.picture[~(each.picture != each.picture)].max()
        light = picture[..., :3].sum(-1)
        darkest = each.picture[light == light.min()]
        assert strongest in darkest


def test_what_there_is_not_is_refused(trace) -> None:
    with pytest.raises(RegardError, match="no head of this text has the pattern 'induction'"):
        heads_figure(trace, pattern="induction")
    for wrong in ({"order": "x"}, {"pattern": "x"}, {"shade": "x"}):
        with pytest.raises(RegardError, match="got 'x'"):
            heads_figure(trace, **wrong)
