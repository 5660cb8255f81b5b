"""Parts switched off in a run: positions that no other one sees, heads and edges; and looks, rows
whose edges are off but for one."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from regard.arrays import Array, arrays_of
from regard.attention import Call, Mask
from regard.attention.masks import PastSink
from regard.attention.record import Attention
from regard.errors import BadArgumentError, unknown
from regard.inspection.answers import AxisInfo
from regard.inspection.naming import readable, spelled
from regard.inspection.trace_data import Edit


class Position(NamedTuple):
    """A position that no other one sees, in any layer and head; it keeps its place."""

    axis: str
    position: int


class Head(NamedTuple):
    """A head that adds nothing to its layer's output (Michel et al. 2019, equation 2, ξ = 0)."""

    tap: str
    head: int


class Edge(NamedTuple):
    """A query that does not see a key in one head; its other weights make up for it (the attention
    knockout of Geva et al. 2023, section 5)."""

    tap: str
    head: int
    query: int
    key: int


class Look(NamedTuple):
    """A query that sees this key alone, so that all of its weight is there, in one head or, by
    None, in every head of a layer; the keys of several looks of one query share it evenly."""

    tap: str
    head: int | None
    query: int
    key: int


Part = Position | Head | Edge | Look
Looks = Mapping[int | str, int | str | Sequence[int | str]] | Sequence[str]
"""Looks by name: rows and what they look at, or "4:8" for row 4 that looks at position 8."""
Axes = Callable[[str], tuple[str, str]]
"""Of a tap: the axes of its queries and its keys."""


class Hidden(Mask):
    """All keys but these; with `own`, the query at each of those positions still sees itself."""

    def __init__(self, keys: Sequence[int], own: bool) -> None:
        self.keys, self.own = tuple(keys), own

    def tile(self, queries: Array, keys: Array) -> Array:
        arrays = arrays_of(keys)
        hidden = arrays.library.isin(keys, arrays.array(self.keys, like=keys))
        seen = arrays.expanded(~hidden, (len(queries), len(keys)))
        return (seen | (queries[:, None] == keys) if self.own else seen)[None, None]


class HiddenEdges(Mask):
    """Mask of these edges, and of all but these looks; `shift` is added to a mask's position to
    give a query."""

    def __init__(self, rows: Sequence[Edge | Look], heads: int, shift: int) -> None:
        self.edges = [part for part in rows if isinstance(part, Edge)]
        self.looks: dict[tuple[int, int], list[int]] = {}  # keys of each head and query
        for part in rows:
            for head in heads_of(part, heads) if isinstance(part, Look) else ():
                self.looks.setdefault((head, part.query), []).append(part.key)
        self.heads, self.shift = heads, shift
        self.rows = {*self.looks, *((edge.head, edge.query) for edge in self.edges)}

    def tile(self, queries: Array, keys: Array) -> Array:
        shape = (1, self.heads, len(queries), len(keys))
        arrays = arrays_of(keys)
        seen = arrays.library.ones(shape, dtype=arrays.library.bool, device=keys.device)
        queries = queries + self.shift
        for edge in self.edges:
            seen[:, edge.head] &= ~((queries == edge.query)[:, None] & (keys == edge.key))
        for (head, query), looked in self.looks.items():
            others = ~arrays.library.isin(keys, arrays.array(looked, like=keys))
            seen[:, head] &= ~((queries == query)[:, None] & others)
        return seen


def heads_of(part: Edge | Look, heads: int) -> Sequence[int]:
    """Heads that a part of a layer is of."""
    return range(heads) if part.head is None else [part.head]


def computed(attention: Attention) -> Array:
    """Return the output of an attention, (batch, heads, queries, value_dim)."""
    if isinstance(attention.query, np.ndarray):
        return attention.output()
    from regard.attention.kernels import run

    return run("auto", attention, False)[0]


def copied(x: Array) -> Array:
    """Return a copy of an array, (…)."""
    return x.copy() if isinstance(x, np.ndarray) else x.clone()


def hide(attention: Attention, hidden: Mask) -> Attention:
    """Put an attention under one more mask."""
    mask = attention.mask
    if isinstance(mask, PastSink):  # whose positions are those of the keys behind it
        return attention._replace(mask=PastSink(_both(mask.mask, hidden)))
    return attention._replace(mask=_both(mask, hidden))


def _both(mask: Mask | None, hidden: Mask) -> Mask:
    return hidden if mask is None else mask & hidden


def past_of(attention: Attention) -> int:
    """Return number of keys before those of the queries themselves, but for a learned sink."""
    sinks = isinstance(attention.mask, PastSink)
    return int(attention.key.shape[2] - attention.query.shape[2] - sinks)


def no_axes(tap: str) -> tuple[str, str]:
    """Axes of a run in which nothing is switched off."""
    return "", ""


@dataclass(frozen=True)
class SwitchedOff:
    """The attention of a run as it is without some of its parts."""

    parts: tuple[Part, ...] = ()
    axes: Axes = no_axes

    def __call__(self, tap: str, call: Call, past: int = 0) -> Call:
        """Compute one attention without them; `past` counts the queries before it in a decode."""
        queries, keys = self.axes(tap)
        hidden = [
            part.position for part in self.parts if isinstance(part, Position) and part.axis == keys
        ]
        edges = [part for part in self.parts if isinstance(part, Edge | Look) and part.tap == tap]
        heads = [part.head for part in self.parts if isinstance(part, Head) and part.tap == tap]
        if hidden:
            inputs = hide(call.inputs, Hidden(hidden, own=queries == keys))
            call = Call(inputs, computed(inputs), None)
        if edges:
            call = without_edges(call, edges, past)
        if heads:
            output = copied(call.output)
            output[:, heads] = 0
            call = call._replace(output=output)
        return call

    def looking(self, axis: str) -> list[int]:
        """Rows of an axis that look where they are made to, in order."""
        looks = (part for part in self.parts if isinstance(part, Look))
        return sorted({look.query for look in looks if self.axes(look.tap)[0] == axis})

    def before(self, row: int, axis: str) -> "SwitchedOff":
        """Return the same without the looks of this row of an axis and of those behind it."""
        later = {
            part
            for part in self.parts
            if isinstance(part, Look) and part.query >= row and self.axes(part.tap)[0] == axis
        }
        return SwitchedOff(tuple(part for part in self.parts if part not in later), self.axes)

    def under(self, edit: Edit) -> Edit:
        """Return the edit of a run in which they are switched off."""

        def both(tap: str, call: Call) -> Array:
            call = self(tap, call)
            replaced = edit(tap, call)
            return call.output if replaced is None else replaced

        return both if self.parts else edit

    def decoding(self) -> Edit:
        """Return the edit of a decode, which reads its text step by step."""
        past = 0

        def edit(tap: str, call: Call) -> Array:
            nonlocal past
            queries, keys = self.axes(tap)
            if queries == keys:  # in a decoder it comes first, with all that was read as its keys
                past = past_of(call.inputs)
            return self(tap, call, past).output

        return edit


def without_edges(call: Call, edges: Sequence[Edge | Look], past: int) -> Call:
    """Return the attention with these weights made zero and the rest of their rows normalized
    again."""
    _, heads, queries, _ = call.inputs.query.shape
    shift = past - past_of(call.inputs)
    hidden = HiddenEdges(edges, heads, shift)
    blank = copied(call.inputs.query)
    for head, looking in hidden.looks:
        if 0 <= looking - past < queries:
            blank[:, head, looking - past] = 0  # it asks for nothing: its keys share its weight
    inputs = hide(call.inputs._replace(query=blank), hidden)
    output, arrays = copied(call.output), arrays_of(call.output)
    for head, query in hidden.rows:
        row = query - past
        if 0 <= row < queries:
            rows = arrays.array([row], like=output)
            output[:, head, row] = inputs.of_head(head).output(rows)[:, 0, 0]
    return Call(inputs, output, None)


def part_of(name: int | str, axes: Sequence[str]) -> Part:
    """Read a part from its name in a link: "10" or "target:7", a position;
    "decoder.layers.1.cross:1", a head; "decoder.layers.1.cross:1:7:10", its edge from query 7 to
    key 10.

    Args:
        axes: whose positions can be named; a number alone is of the first.
    """
    place, *numbers = str(name).split(":")
    if place.isdecimal():
        place, numbers = axes[0], [place, *numbers]
    if numbers and all(number.isdecimal() for number in numbers):
        if place in axes and len(numbers) == 1:
            return Position(place, int(numbers[0]))
        if place not in axes and len(numbers) == 1:
            return Head(place, int(numbers[0]))
        if place not in axes and len(numbers) == 3:
            return Edge(place, *map(int, numbers))
    raise BadArgumentError(
        "a part to switch off must be a position such as 3, a head such as"
        " decoder.layers.0.self:1, or an edge such as decoder.layers.0.self:1:4:2, from query 4 to"
        f" key 2; got {str(name)[:80]!r}."
    )


def pairs_of(looks: Looks) -> list[tuple[str, str]]:
    """Rows and what they look at, by name: "4", "decoder.layers.1.cross:1:4" or a word, each with
    one position or word."""
    if isinstance(looks, Mapping):
        several = [(row, [to] if isinstance(to, int | str) else to) for row, to in looks.items()]
        looks = [f"{row}:{key}" for row, keys in several for key in keys]
    pairs = [(row, key) for row, _, key in (str(look).rpartition(":") for look in looks)]
    for row, key in pairs:
        if not (row and key):
            raise _no_look(row or key)
    return pairs


def _no_look(name: str) -> BadArgumentError:
    return BadArgumentError(
        "a look must be a row and the position that it looks at, such as 4:8, in one head"
        f" decoder.layers.0.cross:1:4:8, or their words; got {name[:80]!r}."
    )


def names_words(pairs: Iterable[tuple[str, str]]) -> bool:
    """Return True if a look is named by its words, which are known once a text is written."""
    return not all(_ROW.fullmatch(row) and key.isdecimal() for row, key in pairs)


_ROW = re.compile(r"([\w.]+:(\d+:)?)?\d+")


def placed(
    pairs: Iterable[tuple[str, str]], axes: Mapping[str, AxisInfo], between: tuple[str, str]
) -> list[tuple[str, str]]:
    """Look by the positions of their words.

    Args:
        between: the axes of their rows and of what these look at.
    """
    queries, keys = between
    return [
        (place, str(position))
        for row, key in pairs
        for place in ([row] if _ROW.fullmatch(row) else places(row, queries, axes[queries], True))
        for position in ([key] if key.isdecimal() else places(key, keys, axes[keys], False))
    ]


def places(word: str, axis: str, info: AxisInfo, row: bool) -> list[str]:
    """Positions of the tokens of a word, which must stand there once.

    Args:
        row: of an axis that predicts, where the word begins to be predicted; the rest follows.
    """
    spans = info.words or [(at, at + 1) for at in range(len(info.tokens))]
    words = [spelled(info.tokens[first:end]) for first, end in spans]
    if not (count := words.count(word)):
        raise unknown(f"a word of {axis}", word, list(dict.fromkeys(filter(None, words))))
    first, end = spans[words.index(word)]
    back = int(row and info.predicts is not None)
    if count > 1:
        at = ", ".join(str(spans[k][0] - back) for k, other in enumerate(words) if other == word)
        raise BadArgumentError(
            f"the word {word!r} stands in {axis} {count} times, at positions {at}; name a position."
        )
    pieces = [at for at in range(first, end) if spelled(info.tokens[at : at + 1])]
    return [str(position - back) for position in pieces if position >= back][: 1 if back else None]


def looks_at(
    pairs: Iterable[tuple[str, str]], taps: Iterable[str], axes: Axes, between: tuple[str, str]
) -> list[Look]:
    """Read looks from their names: of every layer between two axes, or of the one that is named."""
    looks = []
    for row, key in pairs:
        if not (_ROW.fullmatch(row) and key.isdecimal()):
            raise _no_look(f"{row}:{key}")
        *place, query = row.split(":")
        tap, head = (*place, None, None)[:2]
        layers = [tap] if tap else [name for name in taps if axes(name) == between]
        number = None if head is None else int(head)
        looks += [Look(name, number, int(query), int(key)) for name in layers]
    return looks


def check_parts(
    parts: Iterable[Part], lengths: Mapping[str, int], heads: Mapping[str, int], axes: Axes
) -> tuple[Part, ...]:
    """Return the parts, each once: positions, then heads, then edges, then looks, in order.

    Args:
        lengths: positions of each axis whose length is known beforehand.
    """
    kinds = (Position, Head, Edge, Look)
    ordered = sorted(
        set(parts),
        key=lambda part: (kinds.index(type(part)), *(-1 if x is None else x for x in part)),
    )
    for part in ordered:
        if not isinstance(part, Position) and part.tap not in heads:
            raise unknown("tap", part.tap, heads)
        if not isinstance(part, Position) and (part.head or 0) >= heads[part.tap]:
            raise BadArgumentError(
                f"{part.tap} has heads 0 to {heads[part.tap] - 1}; got {part.head}."
            )
        if isinstance(part, Look):
            _check_seen(part, ordered, axes)
        for axis, position in positions_of(part, axes):
            if position >= lengths.get(axis, position + 1):
                raise BadArgumentError(
                    f"positions of {axis} must be from 0 to {lengths[axis] - 1}; got {position}."
                )
    return tuple(ordered)


def _check_seen(look: Look, parts: Sequence[Part], axes: Axes) -> None:
    queries, keys = axes(look.tap)
    if queries == keys and look.tap.startswith("decoder") and look.key > look.query:
        raise BadArgumentError(
            f"{look.tap} sees no later position; got a look from {look.query} to {look.key}."
        )
    if Position(keys, look.key) in parts and (queries, look.query) != (keys, look.key):
        raise BadArgumentError(
            f"position {look.key} of {keys} is struck out, so nothing can look at it; put it back,"
            " or look at another one."
        )


def positions_of(part: Part, axes: Axes) -> list[tuple[str, int]]:
    """Return the positions that a part names, with their axes."""
    if isinstance(part, Position):
        return [part]
    if isinstance(part, Head):
        return []
    queries, keys = axes(part.tap)
    return [(queries, part.query), (keys, part.key)]


def notes_of(parts: Sequence[Part], axes: Mapping[str, AxisInfo], axes_of: Axes) -> list[str]:
    """Note of a trace on its parts that are switched off."""

    def named(axis: str, position: int, predicted: Sequence[str] | None = None) -> str:
        tokens = predicted or axes[axis].tokens
        there = position < len(tokens)  # an output may be shorter without the part
        return f"“{readable(tokens[position])}”" if there else f"position {position}"

    words = [named(*part) for part in parts if isinstance(part, Position)]
    notes = [f"struck out: no other position sees {', '.join(words)}"] if words else []
    for part in parts:
        if isinstance(part, Head):
            notes.append(f"switched off: head {part.head} of {part.tap}")
        elif isinstance(part, Edge):
            query, key = (named(*position) for position in positions_of(part, axes_of))
            notes.append(f"switched off: {query} to {key}, in head {part.head} of {part.tap}")
    seen: dict[str, dict[str, list[str]]] = {}  # of a row: keys, by where it sees them alone
    for part in parts:
        if isinstance(part, Look):
            queries, keys = axes_of(part.tap)
            where = part.tap if part.head is None else f"head {part.head} of {part.tap}"
            row = named(queries, part.query, axes[queries].predicts)
            seen.setdefault(row, {}).setdefault(where, []).append(named(keys, part.key))
    for row, keys_at in seen.items():
        taps: dict[str, list[str]] = {}
        for where, looked in keys_at.items():
            taps.setdefault(" and ".join(looked), []).append(where)
        notes += [f"pulled: {row} sees {key} alone, in {', '.join(at)}" for key, at in taps.items()]
    return notes
