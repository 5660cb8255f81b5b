"""A labeled rectangle of a map, for export: as a figure for paper, or as numbers for NumPy."""

import io
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from regard import figures
from regard.errors import BadArgumentError, UnavailableError, check_choice
from regard.inspection.answers import Group, Quantity
from regard.inspection.naming import joined
from regard.inspection.tap import Tap
from regard.inspection.trace_data import TraceData
from regard.inspection.views.labels import labels, query_labels
from regard.inspection.views.statistics import head_summary, sink_of
from regard.inspection.views.tiles import Head, TileRequest, spans, tile, tile_of
from regard.lazy import PIL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Scale = Literal["linear", "log", "row", "sink"]
LARGEST_SIDE = 2048  # rows or columns
SIGNS = {"weight": "weight α", "norm": "‖α·f(x)‖", "score": "score"}


@dataclass(frozen=True, eq=False)
class Part:
    """Cells with what stands at their rows and columns."""

    values: NDArray[np.float32]  # (rows, columns); NaN where the mask forbids
    rows: list[str]  # tokens, words or sentences
    columns: list[str]
    row_labels: list[str]  # as they are read in a figure: "eine → Tasse", the row that predicts it
    column_labels: list[str]
    origin: tuple[int, int]  # the place of the first row and column in the whole map
    model: str
    tap: Tap
    head: Head
    quantity: Quantity
    group: Group
    row_name: str  # "query: target"
    column_name: str
    peaks: list[float] | None = None  # of a sound: how loud its columns are, up to its end

    def npz(self) -> bytes:
        """Return the contents of an .npz file."""
        file = io.BytesIO()
        np.savez_compressed(
            file,
            values=self.values,
            rows=np.array(self.rows, dtype=str),
            columns=np.array(self.columns, dtype=str),
            origin=np.array(self.origin),
            model=np.array(self.model),
            tap=np.array(self.tap.name),
            head=np.array(str(self.head)),
            quantity=np.array(self.quantity),
            group=np.array(self.group),
        )
        return file.getvalue()

    def figure(self, scale: Scale = "linear") -> "Figure":
        """Return a figure, which `regard.figures.style.save` writes.

        Args:
            scale: "linear", "log", "row" (each row by its largest), or "sink": linear up to the
                largest outside the column of the sink.
        """
        check_choice("scale", scale, get_args(Scale))
        quantity, limits = SIGNS[self.quantity], None
        if scale == "sink" and self.group == "token":
            sink = sink_of(head_summary(self.tap), self.head)
            column = -1 if sink is None else sink - self.origin[1]
            if 0 <= column < len(self.columns):
                others = np.delete(self.values, column, axis=1)
                limits = (0.0, float(np.nanmax(others, initial=0.0, where=np.isfinite(others))))
                quantity += f", scaled without {self.column_labels[column]!r}"
        which = "mean over heads" if self.head == "mean" else f"head {self.head}"
        values, columns, note = self.values, self.column_labels, ""
        if self.peaks:
            behind = float(np.nansum(values[:, len(self.peaks) :])) / len(values)
            values, columns = values[:, : len(self.peaks)], columns[: len(self.peaks)]
            if self.quantity == "weight" and behind > 0:
                note = f"{100 * behind:.1f} % of the weight is in the silence behind the end"
        return figures.heatmap.heatmap(
            values,
            self.row_labels,
            columns,
            title=f"{PurePath(self.model).name}: {self.tap.name}, {which}",
            quantity=quantity,
            scale="linear" if scale == "sink" else scale,
            limits=limits,
            row_name=self.row_name,
            column_name=self.column_name,
            origin=self.origin,
            wave=self.peaks,
            width_mm=figures.style.PAGE_MM if self.peaks else figures.style.COLUMN_MM,
            note=note,
        )


def part(
    trace: TraceData,
    tap: str,
    head: Head = "mean",
    *,
    queries: slice = slice(None),
    keys: slice = slice(None),
    quantity: Quantity = "weight",
    group: Group = "token",
) -> Part:
    """Take a rectangle of a head's map, or of the mean over heads.

    Args:
        queries, keys: counted in tokens, or in words or sentences by `group`.
    """
    layer = trace[tap]
    rows, columns = names(trace, layer.queries, group), names(trace, layer.keys, group)
    first_row, last_row, _ = queries.indices(len(rows))
    first_column, last_column, _ = keys.indices(len(columns))
    height, width = last_row - first_row, last_column - first_column
    if not (0 < height <= LARGEST_SIDE and 0 < width <= LARGEST_SIDE):
        raise BadArgumentError(
            f"an export has from 1 to {LARGEST_SIDE:,} rows and columns; this part of {tap} has"
            f" {max(height, 0):,} x {max(width, 0):,}: choose others by queries and keys."
        )
    request = TileRequest(
        tap, head, 0, first_row, first_column, height, width, quantity, group=group
    )
    predicting = " → prediction" if trace.axes[layer.queries].predicts else ""
    return Part(
        values=tile_of(trace, request).values,
        rows=rows[first_row:last_row],
        columns=columns[first_column:last_column],
        row_labels=query_labels(trace, layer.queries, group)[first_row:last_row],
        column_labels=labels(trace, layer.keys, group)[first_column:last_column],
        origin=(first_row, first_column),
        model=trace.model_name,
        tap=layer,
        head=head,
        quantity=quantity,
        group=group,
        row_name=f"query: {layer.queries}{predicting}",
        column_name=f"key: {layer.keys}",
        peaks=_peaks(trace, layer.keys, group, slice(first_column, last_column)),
    )


def _peaks(trace: TraceData, axis: str, group: Group, columns: slice) -> list[float] | None:
    """Return the peaks of the columns that are no silence."""
    peaks, groups = trace.axes[axis].peaks, spans(trace, axis, group)
    if peaks is None:
        return None
    if groups is not None:
        peaks = [max(peaks[first:last]) for first, last in groups if first < len(peaks)]
    return peaks[columns] or None


def names(trace: TraceData, axis: str, group: Group) -> list[str]:
    """Names of rows or columns: tokens, or the words or sentences that they spell."""
    tokens = trace.axes[axis].tokens
    groups = spans(trace, axis, group)
    if groups is None:
        return tokens
    if trace.axes[axis].peaks is not None:
        return [tokens[first] for first, _ in groups]
    words = (joined(tokens[first:last]) for first, last in groups)
    return [text.replace("▁", " ").replace("Ġ", " ").strip() for text in words]


COLORS = 64  # which look the same, in a third of the bytes

# As the page's firstTap (web/src/state.ts): the last layer of the first kind that there is.
FIRST = (("decoder", "cross"), ("decoder", "self"), ("encoder", "self"))


def picture(trace: TraceData) -> bytes | None:
    """Return a PNG of 300 dpi: the mean over heads of the layer that the page would show first.

    Lines between words where the text is short, else a map.

    Returns:
        None where there is nothing to draw: matplotlib is missing, or the layer has more than
        2,048 rows or columns.
    """
    taps = [[tap for tap in trace.values() if (tap.side, tap.kind) == kind] for kind in FIRST]
    tap = next((matches[-1] for matches in taps if matches), None)
    if tap is None or max(tap.rows, tap.columns) > LARGEST_SIDE:
        return None
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "picture.png"
            figures.style.save(_figure(trace, tap.name, tap.kind), path)
            return _in_few_colors(path)
    except UnavailableError:
        return None


def _figure(trace: TraceData, tap: str, kind: str) -> "Figure":
    group: Group = "word" if trace.axes[trace[tap].queries].words else "token"
    if trace.axes[trace[tap].keys].peaks:
        return part(trace, tap, group=group).figure()
    try:
        return lines(trace, tap, group, at_output=kind == "cross")
    except BadArgumentError:  # more tokens than a page has lines
        return part(trace, tap).figure()


def lines(trace: TraceData, tap: str, group: Group = "token", *, at_output: bool) -> "Figure":
    """Return a small map, the mean over heads, as lines between tokens or words.

    Args:
        at_output: a row for each unit of the output, of the steps that predict it, instead of those
            that read it.
    """
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
    return figures.flow.flow(
        tile(layer, request, row_spans=row_spans, column_spans=column_spans).values,
        rows,
        columns,
        title=f"{PurePath(trace.model_name).name}: {tap}, mean over heads",
        quantity=SIGNS["weight"],
        row_name=layer.queries,
        column_name=layer.keys,
    )


def _in_few_colors(path: Path) -> bytes:
    file = io.BytesIO()
    with PIL.Image.open(path) as image:
        image.convert("RGB").quantize(COLORS).save(file, "PNG", optimize=True)
    return file.getvalue()
