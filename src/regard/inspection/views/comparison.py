"""Two parts of maps as one figure: beside each other, or the first minus the second."""

from dataclasses import replace
from typing import TYPE_CHECKING

from regard.errors import BadArgumentError
from regard.inspection.views.part import SIGNS, Part, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CLIPPED = 48  # characters of a text in a title, as on the page


def comparison(
    first: Part, second: Part, scale: Scale = "linear", *, one_scale: bool = False
) -> "Figure":
    """Both maps on one sheet, each with its labels.

    Args:
        one_scale: one color scale holds both, from zero to the larger of their largest values.
    """
    from regard.figures.heatmap import side_by_side

    maps = [
        replace(each.map(scale), title=_titled(each, other))
        for each, other in ((first, second), (second, first))
    ]
    return side_by_side(*maps, one_scale=one_scale)


def difference(first: Part, second: Part) -> "Figure":
    """The first minus the second, cell by cell, with the tokens of the first.

    A cell that either masks is masked.

    Raises:
        BadArgumentError: maps or parts of two shapes, whose cells do not correspond, or parts of
            two quantities.
    """
    from regard.figures.heatmap import drawn

    for one, other in ((first.shape, second.shape), (first.values.shape, second.values.shape)):
        if one != other:
            raise BadArgumentError(
                "a difference needs two maps of one shape; these have"
                f" {one[0]:,} × {one[1]:,} and {other[0]:,} × {other[1]:,} cells: put them side by"
                " side, or choose a text with as many tokens."
            )
    if first.quantity != second.quantity:
        raise BadArgumentError(
            f"a difference needs one quantity; got {first.quantity!r} and {second.quantity!r}."
        )
    same_tokens = (first.rows, first.columns) == (second.rows, second.columns)
    note = "" if same_tokens else "compared position by position, named by the first's tokens"
    short = second.place if first.model == second.model else second.title
    subtrahend = f"{short}, {_quoted(second)}" if first.text != second.text else short
    subtracted = replace(
        first.map(),
        weights=first.values - second.values,
        title=f"{_titled(first, second)} minus {subtrahend}",
        quantity=f"{SIGNS[first.quantity]}, first minus second",
        scale="difference",
        note=note,
    )
    return drawn(subtracted)


def _titled(one: Part, other: Part) -> str:
    """With the text, where that tells the two apart."""
    return one.title if one.text == other.text else f"{one.title}, {_quoted(one)}"


def _quoted(one: Part) -> str:
    text = " ".join(one.text.split())
    return f"“{text if len(text) <= _CLIPPED else text[: _CLIPPED - 1] + '…'}”"
