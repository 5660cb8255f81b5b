"""A trace as one picture, for places where its page does not run, such as a saved notebook."""

import io
import tempfile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from regard.errors import BadArgumentError, UnavailableError
from regard.inspection.answers import Group
from regard.inspection.trace_data import TraceData
from regard.inspection.views.labels import labels, query_labels
from regard.inspection.views.part import LARGEST_SIDE, SIGNS, part
from regard.inspection.views.tiles import TileRequest, spans, tile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = 64  # which look the same, in a third of the bytes

# As the page's firstTap (web/src/state.ts): the last layer of the first kind that there is.
FIRST = (("decoder", "cross"), ("decoder", "self"), ("encoder", "self"))


def picture(trace: TraceData) -> bytes | None:
    """A PNG of 300 dpi: the mean over heads of the layer that the page would show first.

    Lines between words where the text is short, else a map.

    Returns:
        None where there is nothing to draw: matplotlib is missing, or the layer has more than
        2,048 rows or columns.
    """
    taps = [[tap for tap in trace.values() if (tap.side, tap.kind) == kind] for kind in FIRST]
    tap = next((found[-1] for found in taps if found), None)
    if tap is None or max(tap.rows, tap.columns) > LARGEST_SIDE:
        return None
    from regard.figures.style import save  # slow to import, as matplotlib is

    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "picture.png"
            save(_figure(trace, tap.name, tap.kind), path)
            return _in_few_colors(path)
    except UnavailableError:
        return None


def _figure(trace: TraceData, tap: str, kind: str) -> "Figure":
    group: Group = "word" if trace.axes[trace[tap].queries].words else "token"
    try:
        return lines(trace, tap, group, at_output=kind == "cross")
    except BadArgumentError:  # more tokens than a page has lines
        return part(trace, tap).figure()


def lines(trace: TraceData, tap: str, group: Group = "token", *, at_output: bool) -> "Figure":
    """A small map, the mean over heads, as lines between tokens or words.

    Args:
        at_output: a row for each unit of the output, of the steps that predict it, instead of those
            that read it.
    """
    from regard.figures.flow import flow

    layer = trace[tap]
    columns, column_spans = labels(trace, layer.keys, group), spans(trace, layer.keys, group)
    row_spans = spans(trace, layer.queries, group) or [(row, row + 1) for row in range(layer.rows)]
    rows = query_labels(trace, layer.queries, group)
    if at_output:
        # The row before a unit's first token predicts it; nothing predicts the first of all.
        units = zip(labels(trace, layer.queries, group), row_spans, strict=True)
        written = [(label, first - 1, last - 1) for label, (first, last) in units if first > 0]
        rows = [label for label, _, _ in written]
        row_spans = [(first, last) for _, first, last in written]
    request = TileRequest(tap, "mean", 0, 0, 0, len(rows), len(columns), group=group)
    return flow(
        tile(layer, request, row_spans=row_spans, column_spans=column_spans).values,
        rows,
        columns,
        title=f"{PurePath(trace.model_name).name}: {tap}, mean over heads",
        quantity=SIGNS["weight"],
        row_name=layer.queries,
        column_name=layer.keys,
    )


def _in_few_colors(path: Path) -> bytes:
    from PIL import Image  # comes with matplotlib

    file = io.BytesIO()
    with Image.open(path) as image:
        image.convert("RGB").quantize(COLORS).save(file, "PNG", optimize=True)
    return file.getvalue()
