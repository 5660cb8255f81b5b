"""A trace as one HTML file that opens without a server and without a network."""

import base64
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from regard.arrays import Array, arrays_of, as_numpy
from regard.attention import capped
from regard.files import whole_file
from regard.inspection.answers import OF_FILES
from regard.inspection.tap import Tap
from regard.inspection.trace_data import TraceData
from regard.inspection.views.formula import scale
from regard.inspection.views.page import describe
from regard.inspection.views.statistics import summary_of
from regard.inspection.views.tiles import TileRequest, thumbnails, tile, visible
from regard.studio.page import of_json, one_file, plain

LONGEST = 1024  # cells along a side of the largest tiles that it asks for
TILE = 256  # cells along the side of the tiles that the page asks for
THUMBNAIL = 48
ENTRIES = 2**31  # weights computed for tiles that were not chosen: about half a minute
ID = "file"


def to_html(
    trace: TraceData,
    path: str | os.PathLike[str],
    *,
    taps: Sequence[str] | None = None,
    heads: Sequence[int] | None = None,
    limit_mb: float = 16,
    query: str = "",
) -> list[str]:
    """Write the page with all of a short text, and of a long one what fits, coarse levels first.

    Args:
        taps, heads: the maps to keep, the most wanted first; all of them, as far as they fit.
        limit_mb: what the numbers may add to the file, in megabytes.
        query: what to show first, as the page's address has it ("tap=…&head=3").

    Returns:
        What was left out, a sentence each; the page says the same.
    """
    chosen = [trace[name] for name in taps] if taps is not None else _in_order(trace)
    for tap in chosen:
        for head in heads or ():
            tap.heads_of(head)
    answers, left_out = _answers(trace, chosen, heads, int(limit_mb * 1e6))
    content: dict[str, Any] = {
        "trace": asdict(describe(trace, ID))
        | {"can_ablate": False, "can_rewrite": False}
        | {"model": shared_name(trace), "text": shared_text(trace)},
        "answers": answers,
        "left_out": left_out,
    }
    if query:
        content["query"] = query
    with whole_file(path) as file:
        html = one_file(shared_text(trace), {"regard-trace": of_json(content)})
        file.write_text(html, encoding="utf-8")
    return left_out


def shared_name(trace: TraceData) -> str:
    """Return the model's name without the folders of the machine that it is on."""
    name = trace.model_name
    return name if name.startswith("hub:") else PurePath(name).name or name


def shared_text(trace: TraceData) -> str:
    """Return the text, or the name of the file that was looked at; none of an image that came as
    text."""
    if trace.task not in OF_FILES:
        return trace.text
    return "" if trace.text.startswith("data:") else PurePath(trace.text).name


def _answers(
    trace: TraceData, chosen: list[Tap], heads: Sequence[int] | None, limit: int
) -> tuple[dict[str, Any], list[str]]:
    answers: dict[str, Any] = {}
    for tap in trace.values():  # an overview of everything costs little
        answers[_key("summary", tap=tap.name)] = plain(asdict(summary_of(trace, tap.name)))
        answers[_key("scale", tap=tap.name)] = scale(tap.score, tap.head_dim)
        pictures = thumbnails(tap, THUMBNAIL)[0]
        answers[_key("thumbnails", tap=tap.name, size=THUMBNAIL)] = _packed(pictures)
    maps = [
        (tap, head) for tap in chosen for head in (range(tap.heads) if heads is None else heads)
    ]
    left, large = limit, []
    first = chosen[0] if chosen else None
    if first and trace.axes[first.keys].peaks and first.heads * _size(first) > limit:
        for request in _whole(first):  # the wave of a sound is under the mean over all heads
            answers[_key("tile", **asdict(request))] = _packed(tile(first, request).values)
            left -= _encoded(request.height * request.width)
    for tap, head in maps:
        if _size(tap) <= left:
            answers |= _map(tap, head)
            left -= _size(tap)
        else:
            large.append((tap, head))
    coarse = set()
    for tap, request in _fitting(large, left, ENTRIES if heads is None else math.inf):
        answers[_key("tile", **asdict(request))] = _packed(tile(tap, request).values)
        coarse.add((request.tap, request.head))
    total = sum(tap.heads for tap in trace.values())
    left_out = []
    if coarse:
        left_out.append(f"{len(coarse):,} of {total:,} maps are included at coarse levels only.")
    if missing := total - len(maps) + len(large) - len(coarse):
        left_out.append(f"{missing:,} of {total:,} maps are not included, only their thumbnails.")
    if left_out:
        left_out.append("`regard look` shows all of it.")
    return answers, left_out


def _in_order(trace: TraceData) -> list[Tap]:
    """Return the layers, first those across from the last one on, with which the page begins."""
    return sorted(trace.values(), key=lambda tap: -tap.layer if tap.kind == "cross" else 1)


def _whole(tap: Tap) -> Iterator[TileRequest]:
    """Yield the mean over heads as the page asks for all of it (`fetchRows` of web/src/weights)."""
    for row in range(0, tap.rows, LONGEST):
        for column in range(0, tap.columns, LONGEST):
            size = min(LONGEST, tap.rows - row), min(LONGEST, tap.columns - column)
            yield TileRequest(tap.name, "mean", 0, row, column, *size)


def _map(tap: Tap, head: int) -> dict[str, Any]:
    """Everything of one head: its weights, and what the equation of each is made of."""
    where = {"tap": tap.name, "head": head}
    rows, columns = tap.rows_of(slice(None)), tap.columns_of(slice(None))
    key_head = head // (tap.heads // tap.key_heads)
    vectors = (tap.query[0, head], tap.key[0, key_head], tap.value[0, key_head])
    numbers = {
        _key("map", quantity="weight", **where): visible(tap, head, rows, columns, "weight"),
        _key("lse", **where): tap.lse(head),
        _key("vectors", **where): np.concatenate([_flat(vector) for vector in vectors]),
    }
    if _needs_scores(tap):
        scores = visible(tap, head, rows, columns, "score")
        numbers[_key("map", quantity="score", **where)] = scores
    if tap.bias is not None:
        bias = tap.bias[0, head if tap.bias.shape[1] > 1 else 0]
        whole = tap.arrays.expanded(tap.arrays.floats(bias), (tap.rows, tap.columns))
        numbers[_key("bias", **where)] = whole
    if tap.value_norms is not None:
        numbers[_key("value_norms", **where)] = tap.value_norms[0, head]
    return {key: _packed(values) for key, values in numbers.items()}


def _size(tap: Tap) -> int:
    """Size of what `_map` makes, in characters."""
    maps = 1 + _needs_scores(tap) + (tap.bias is not None)
    vectors = tap.rows * tap.head_dim + tap.columns * (tap.head_dim + tap.value.shape[3])
    return _encoded(maps * tap.rows * tap.columns + vectors + tap.rows + tap.columns)


def _needs_scores(tap: Tap) -> bool:
    """Return True if a score is more than a multiple of q·k, which the page makes itself."""
    return isinstance(tap.score, capped) or scale(tap.score, tap.head_dim) is None


def _fitting(
    maps: list[tuple[Tap, int]], room: float, entries: float
) -> Iterator[tuple[Tap, TileRequest]]:
    """Tiles of maps in turn, each map's coarsest before a finer one of any, for so many characters
    and weights that have to be computed. A map has no finer tile than its first that is too
    much."""
    going_on = [(tap, _requests(tap, head)) for tap, head in maps]
    while going_on:
        turn, going_on = going_on, []
        for tap, requests in turn:
            request = next(requests, None)
            if request is None:
                continue
            cells = request.height * request.width
            characters, weights = _encoded(cells), cells * 4**request.level
            if characters <= room and weights <= entries:
                room, entries = room - characters, entries - weights
                yield tap, request
                going_on.append((tap, requests))


def _requests(tap: Tap, head: int) -> Iterator[TileRequest]:
    """Yield the tiles of a map as the page asks for them: the whole map in one, then finer
    levels."""
    longest = max(tap.rows, tap.columns)
    for level in range(max(math.ceil(math.log2(longest / TILE)), 0), -1, -1):
        height, width = (-(-length // 2**level) for length in (tap.rows, tap.columns))
        for row in range(0, height, TILE):
            for column in range(0, width, TILE):
                tall, wide = min(TILE, height - row), min(TILE, width - column)
                yield TileRequest(tap.name, head, level, row, column, tall, wide)


def _key(what: str, **question: object) -> str:
    """Key of a question as the page writes it: sorted by name, encoded as JavaScript does."""
    pairs = (f"{name}={quote(str(question[name]), safe=_UNRESERVED)}" for name in sorted(question))
    return f"{what}?{'&'.join(pairs)}"


_UNRESERVED = "!'()*"  # beside letters, digits and _.-~


def _flat(vectors: Array) -> NDArray[np.float32]:
    return as_numpy(arrays_of(vectors).floats(vectors)).reshape(-1)


def _packed(values: Array) -> dict[str, Any]:
    array = np.ascontiguousarray(as_numpy(values), dtype="<f4")
    return {"shape": list(array.shape), "f32": base64.b64encode(array.tobytes()).decode("ascii")}


def _encoded(numbers: int) -> int:
    """Characters that base64 takes for so many float32."""
    return -(-numbers * 4 // 3) * 4
