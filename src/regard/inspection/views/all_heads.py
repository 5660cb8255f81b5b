"""Every head of a trace as a small map with the name of what it does, as the page's view has it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError, check_choice
from regard.inspection.answers import HeadInfo, PatternName, PatternScore
from regard.inspection.tap import Tap
from regard.inspection.trace_data import TraceData
from regard.inspection.views.statistics import summary_of
from regard.inspection.views.tiles import thumbnails

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regard.figures.small_maps import Block, SmallMap

Order = Literal["layer", "pattern", "entropy", "distance"]
Wanted = Literal[PatternName, "none", ""]  # "": all heads; "none": those without a name
Shade = Literal["each", "one"]  # a scale for each, or one for all

SIZE = 48  # cells along a picture's longer side
LONG = 256  # positions, from which a causal map is shown per row: web/src/color/survey.ts
_SHORT = {"encoder": "enc", "decoder": "dec", "cross": "cross"}
_ORDERS = {
    "pattern": "by the pattern's share",
    "entropy": "by entropy",
    "distance": "by mean distance",
}
_UNDER = {
    "layer": "the share of the weight on it",
    "pattern": "the share of the weight on it",
    "entropy": "its entropy in bits",
    "distance": "its mean distance in tokens",
}


@dataclass(frozen=True, eq=False)
class Placed:
    """One head, with what is known of it."""

    tap: Tap
    info: HeadInfo
    picture: NDArray[np.float32]  # (height, width); NaN where the mask forbids


def all_heads(trace: TraceData) -> list[Placed]:
    """The heads of all layers, one layer behind the other, as the page's overview has them."""
    found = []
    for name, tap in trace.items():
        pictures, _ = thumbnails(tap, SIZE)
        heads = summary_of(trace, name).heads
        found += [Placed(tap, info, pictures[info.head]) for info in heads]
    return found


def arranged(heads: Iterable[Placed], order: Order = "layer", wanted: Wanted = "") -> list[Placed]:
    """Those that are wanted, in order: by the largest share of the wanted pattern, or of the one
    that names the head; by the smallest entropy or distance. Heads without it come last."""

    def worth(one: Placed) -> float:
        if order == "pattern":
            score = _score(one.info, wanted)
            return 1.0 if score is None else -score.share
        value = one.info.entropy if order == "entropy" else one.info.distance
        return float("inf") if value is None else value

    shown = [each for each in heads if not wanted or (each.info.pattern or "none") == wanted]
    return shown if order == "layer" else sorted(shown, key=worth)


def heads_figure(
    trace: TraceData, order: Order = "layer", pattern: Wanted = "", shade: Shade = "each"
) -> "Figure":
    """Layers by heads, a block for each kind of attention; by another order, or of one pattern, all
    in one block.

    Args:
        pattern: the one whose heads are shown; "none" for those without a name.
        shade: "each" on a scale that shows most of it, or "one" scale for all.

    Raises:
        BadArgumentError: an unknown name, or a pattern that names no head of this trace.
    """
    from regard.figures.small_maps import Block, Row, small_maps

    check_choice("order", order, get_args(Order))
    check_choice("shade", shade, get_args(Shade))
    check_choice("pattern", pattern, get_args(Wanted))
    heads = arranged(all_heads(trace), order, pattern)
    if not heads:
        raise BadArgumentError(
            f"no head of this text has the pattern {pattern!r}; choose another pattern."
        )
    if order == "layer" and not pattern:
        blocks = _by_layer(heads)
    else:
        several = len({side_of(tap) for tap in trace.values()}) > 1
        maps = [_small_map(each, _place(each, several), order) for each in heads]
        blocks = [Block("", [Row("", maps)])]
    which = {"": "all heads", "none": "heads without a pattern"}.get(pattern, f"{pattern} heads")
    parts = [f"{PurePath(trace.model_name).name}: {which}", _ORDERS.get(order, "")]
    name = "the pattern that names it, if one is well above chance"
    under = f"{name}, and {_UNDER[order]}"
    shades = "; each on a scale of its own" if shade == "each" else ""
    return small_maps(
        blocks,
        one_scale=shade == "one",
        title=", ".join(part for part in parts if part),
        notes=[f"below each head: {under}{shades}"],
    )


def side_of(tap: Tap) -> str:
    """ "encoder", "decoder" or, of attention between them, "cross"."""
    return "cross" if tap.kind == "cross" else tap.side


def _by_layer(heads: Sequence[Placed]) -> list["Block"]:
    from regard.figures.small_maps import Block, Row

    layers: dict[str, list[Placed]] = {}
    for each in heads:
        layers.setdefault(each.tap.name, []).append(each)
    blocks: dict[str, list[Row]] = {}
    for own in layers.values():
        tap = own[0].tap
        maps = [_small_map(each, f"head {each.info.head}", "layer") for each in own]
        blocks.setdefault(side_of(tap), []).append(Row(f"layer {tap.layer}", maps))
    titles = {
        side: "cross-attention" if side == "cross" else f"{side} self-attention" for side in blocks
    }
    return [Block(titles[side] if len(blocks) > 1 else "", rows) for side, rows in blocks.items()]


def _small_map(one: Placed, name: str, order: Order) -> "SmallMap":
    from regard.figures.passages import percent
    from regard.figures.small_maps import SmallMap

    score, info = _score(one.info), one.info
    if order == "entropy":
        measured = _brief(info.entropy)
    elif order == "distance" and info.distance is not None:
        measured = _brief(info.distance)
    else:
        measured = percent(score.share) if score else ""
    tap = one.tap
    return SmallMap(
        one.picture,
        name,
        [text for text in (score.name if score else "", measured) if text],
        per_row=tap.causal and max(tap.rows, tap.columns) > LONG,
    )


def _place(one: Placed, several: bool) -> str:
    """ "dec 2·1": layer 2, head 1."""
    side = f"{_SHORT[side_of(one.tap)]} " if several else ""
    return f"{side}{one.tap.layer}·{one.info.head}"


def _score(info: HeadInfo, wanted: Wanted = "") -> PatternScore | None:
    """Of the wanted pattern, else of the head's own name."""
    name = wanted if wanted and wanted != "none" else info.pattern
    return next((each for each in info.patterns if each.name == name), None)


def _brief(value: float) -> str:
    """As the page writes it: 3.1, 24, 2k."""
    if value < 9.95:
        return f"{value:.1f}"
    return f"{value:.0f}" if value < 999.5 else f"{value / 1000:.0f}k"
