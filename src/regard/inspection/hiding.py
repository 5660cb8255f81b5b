"""Parts switched off in a run: positions that no other one sees, heads, and single edges."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from regard.attention import Call, Mask
from regard.attention.kernels import run
from regard.attention.record import Attention
from regard.errors import BadArgumentError, unknown
from regard.inspection.answers import AxisInfo
from regard.inspection.naming import readable
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


Part = Position | Head | Edge
Axes = Callable[[str], tuple[str, str]]
"""Of a tap: the axes of its queries and its keys."""


class Hidden(Mask):
    """All keys but these; with `own`, the query at each of those positions still sees itself."""

    def __init__(self, keys: Sequence[int], own: bool) -> None:
        self.keys, self.own = tuple(keys), own

    def tile(self, queries: Tensor, keys: Tensor) -> Tensor:
        hidden = torch.isin(keys, torch.tensor(self.keys, device=keys.device))
        seen = (~hidden).expand(len(queries), len(keys))
        return (seen | (queries[:, None] == keys) if self.own else seen)[None, None]


class HiddenEdges(Mask):
    """Mask of these edges of these heads; `shift` is added to a mask's position to give a query."""

    def __init__(self, edges: Sequence[Edge], heads: int, shift: int) -> None:
        self.edges, self.heads, self.shift = tuple(edges), heads, shift

    def tile(self, queries: Tensor, keys: Tensor) -> Tensor:
        shape = (1, self.heads, len(queries), len(keys))
        seen = torch.ones(shape, dtype=torch.bool, device=keys.device)
        for edge in self.edges:
            rows = queries + self.shift == edge.query
            seen[:, edge.head] &= ~(rows[:, None] & (keys == edge.key))
        return seen


def hide(attention: Attention, hidden: Mask) -> Attention:
    """Put an attention under one more mask."""
    mask = hidden if attention.mask is None else attention.mask & hidden
    return attention._replace(mask=mask)


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
        edges = [part for part in self.parts if isinstance(part, Edge) and part.tap == tap]
        heads = [part.head for part in self.parts if isinstance(part, Head) and part.tap == tap]
        if hidden:
            inputs = hide(call.inputs, Hidden(hidden, own=queries == keys))
            call = Call(inputs, run("auto", inputs, False)[0], None)
        if edges:
            call = without_edges(call, edges, past)
        if heads:
            output = call.output.clone()
            output[:, heads] = 0
            call = call._replace(output=output)
        return call

    def under(self, edit: Edit) -> Edit:
        """The edit of a run in which they are switched off."""

        def both(tap: str, call: Call) -> Tensor:
            call = self(tap, call)
            replaced = edit(tap, call)
            return call.output if replaced is None else replaced

        return both if self.parts else edit

    def decoding(self) -> Edit:
        """The edit of a decode, which reads its text step by step."""
        past = 0

        def edit(tap: str, call: Call) -> Tensor:
            nonlocal past
            queries, keys = self.axes(tap)
            if queries == keys:  # in a decoder it comes first, with all that was read as its keys
                past = call.inputs.key.shape[2] - call.inputs.query.shape[2]
            return self(tap, call, past).output

        return edit


def without_edges(call: Call, edges: Sequence[Edge], past: int) -> Call:
    """The attention with these weights made zero and the rest of their rows normalized again."""
    _, heads, queries, _ = call.inputs.query.shape
    shift = past - (call.inputs.key.shape[2] - queries)
    inputs = hide(call.inputs, HiddenEdges(edges, heads, shift))
    output = call.output.clone()
    for edge in edges:
        row = edge.query - past
        if 0 <= row < queries:
            rows = torch.tensor([row], device=output.device)
            attended = inputs.of_head(edge.head).output(rows)
            output[:, edge.head, row] = attended[:, 0, 0].to(output.dtype)
    return Call(inputs, output, None)


def part_of(name: int | str, axes: Sequence[str]) -> Part:
    """Read a part from its name in a link: "10" or "target:7", a position;
    "decoder.layers.2.cross:1", a head; "decoder.layers.2.cross:1:7:10", its edge from query 7 to
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


def check_parts(
    parts: Iterable[Part], lengths: Mapping[str, int], heads: Mapping[str, int], axes: Axes
) -> tuple[Part, ...]:
    """The parts, each once: positions, then heads, then edges, in order.

    Args:
        lengths: positions of each axis whose length is known beforehand.
    """
    ordered = sorted(set(parts), key=lambda each: (len(each), not isinstance(each, Position), each))
    for part in ordered:
        if not isinstance(part, Position) and part.tap not in heads:
            raise unknown("tap", part.tap, heads)
        if not isinstance(part, Position) and part.head >= heads[part.tap]:
            raise BadArgumentError(
                f"{part.tap} has heads 0 to {heads[part.tap] - 1}; got {part.head}."
            )
        for axis, position in positions_of(part, axes):
            if position >= lengths.get(axis, position + 1):
                raise BadArgumentError(
                    f"positions of {axis} must be from 0 to {lengths[axis] - 1}; got {position}."
                )
    return tuple(ordered)


def positions_of(part: Part, axes: Axes) -> list[tuple[str, int]]:
    """The positions that a part names, with their axes."""
    if isinstance(part, Position):
        return [part]
    if isinstance(part, Head):
        return []
    queries, keys = axes(part.tap)
    return [(queries, part.query), (keys, part.key)]


def notes_of(parts: Sequence[Part], axes: Mapping[str, AxisInfo], axes_of: Axes) -> list[str]:
    """Notes of a trace on its parts that are switched off."""

    def named(axis: str, position: int) -> str:
        tokens = axes[axis].tokens
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
    return notes
