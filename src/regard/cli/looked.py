"""A trace in the terminal, for `regard look`: as a map of words, and as JSON."""

import json
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.checkpoints import hub
from regard.cli.progress import waiting
from regard.engine.options import TraceRequest
from regard.errors import BadArgumentError, shortened
from regard.figures import terminal
from regard.lines import is_number, one_line
from regard.options import check_options
from regard.tasks import images, looking, matching

if TYPE_CHECKING:
    from regard.inspection.trace import Trace
    from regard.inspection.views.tiles import Head

LARGEST_GRID = 2**14  # cells in the terminal


@dataclass
class PlainLook:
    """A call of `regard look` that prints, of which nothing but its head and tap can be wrong."""

    model: str
    text: str
    tap: str | None = None
    head: str | None = None
    terminal: bool = False
    as_json: bool = False

    def run(self) -> None:
        """Print what was asked for."""
        head, request = head_of(self.head), TraceRequest(hub.short_name(self.model), self.text)
        check_options(request)
        if self.terminal:
            check_grid(self.text)
        trace = traced(self.model, False, self.text, {})
        chosen = checked(trace, self.tap, head)
        if self.terminal:
            print(grid_of(trace, chosen, head))
        if self.as_json:
            print(as_json_of(trace, request))


def traced(model: str, saved: bool, text: str, options: dict[str, Any]) -> "Trace":
    """Return the trace of a text, or the one that is saved there."""
    words = "" if saved else f" on {len(text.split()):,} words"
    with waiting(f"reading {model}" if saved else f"running {model}{words}"):
        if saved:
            from regard.inspection import Trace

            return Trace.load(model)
        opened, seen = looking.open_for_looking(model), Path(text)
        # A matcher reads texts and images.
        is_file = isinstance(opened, matching.task.Matcher) and images.task.is_image(seen)
        return looking.look_at(opened, seen if is_file else text, **options)


def checked(trace: "Trace", tap: str | None, head: "Head") -> str:
    """Return the tap that was asked for, if it is there and has that head: by default the last that
    looks across, else the last of all."""
    across = [layer_tap.name for layer_tap in trace.values() if layer_tap.kind == "cross"]
    layer = trace[tap or (across or list(trace))[-1]]
    layer.heads_of(None if head == "mean" else head)
    return layer.name


def head_of(name: str | None) -> "Head":
    """Return the head of that name, a number or the mean over all."""
    if name is None or name == "mean":
        return "mean"
    if not is_number(name):
        raise BadArgumentError(f"--head must be a number from 0, or mean; got {name!r}.")
    return int(name)


def check_grid(text: str) -> None:
    """Refuse a text whose map of words has no room in a terminal, before a model reads it.

    Self-attention has a column and a row for each word; a translation's map is about as large, and
    a model of one reads no text of this length.
    """
    words = len(text.split())
    _check_cells(words, words)


def _check_cells(rows: int, columns: int) -> None:
    if rows * columns > LARGEST_GRID:
        raise BadArgumentError(
            f"a map of {rows:,} x {columns:,} words is too large for the terminal;"
            " leave out --terminal to see it on the page."
        )


def grid_of(trace: "Trace", tap: str, head: "Head") -> str:
    """Return a layer's map of words, to be printed."""
    import numpy as np

    from regard.inspection.views.part import names
    from regard.inspection.views.tiles import TileRequest, spans, tile

    layer = trace[tap]
    rows, row_spans = names(trace, layer.queries, "word"), spans(trace, layer.queries, "word")
    columns, column_spans = names(trace, layer.keys, "word"), spans(trace, layer.keys, "word")
    if not rows or not columns:
        axis = trace.axes[layer.keys if rows else layer.queries]
        what = "the text has" if axis.predicts is None else f"{trace.model_name} wrote"
        raise BadArgumentError(
            f"{what} no word, only {one_line(shortened(' '.join(axis.predicts or axis.tokens)))};"
            " leave out --terminal to see the map of these on the page."
        )
    tokens, peaks = trace.axes[layer.keys].tokens, trace.axes[layer.keys].peaks
    if peaks is not None:
        count = min(terminal.sound_columns(), len(peaks))
        column_spans = [*pairwise(len(peaks) * k // count for k in range(count + 1))]
        columns = [tokens[first] for first, _ in column_spans]
    _check_cells(len(rows), len(columns))
    step = ""
    if layer.kind == "cross" and trace.axes[layer.queries].predicts and row_spans:
        # As `regard translate --attention`: what was looked at to find a word, not after it.
        row_spans = [(first - 1, last - 1) for first, last in row_spans]
        step = " at the step that predicts it"
    weights = tile(
        layer,
        TileRequest(tap, head, height=len(rows), width=len(columns)),
        row_spans=row_spans,
        column_spans=column_spans,
    ).values
    which = f"mean over {layer.heads} heads" if head == "mean" else f"head {head}"
    unit = "position" if row_spans is None else "word"
    caption = f"α of {tap}, {which}; a row for each {unit} of {layer.queries}{step}"
    if peaks is not None and column_spans is not None:
        behind = 1 - float(weights.sum(1).mean())
        caption += f", by its largest; {100 * behind:.1f} % is in the silence behind the sound"
        loud = [max(peaks[first:last]) for first, last in column_spans]
        return terminal.sound_grid(loud, rows, weights, caption=caption)
    if column_spans is not None:
        inside = {key for span in column_spans for key in range(*span)}
        outside = dict.fromkeys(token for key, token in enumerate(tokens) if key not in inside)
        caption += f"; the rest goes to {one_line(', '.join(outside))}" if outside else ""
    return terminal.alignment_grid(columns, rows, np.nan_to_num(weights), caption=caption)


def as_json_of(trace: "Trace", request: TraceRequest) -> str:
    """Everything about a trace but its numbers."""
    from regard.inspection.views.page import describe

    return json.dumps(asdict(describe(trace, request.id)), ensure_ascii=False)
