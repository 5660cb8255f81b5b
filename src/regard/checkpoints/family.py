"""Families of checkpoints: settings and names of weights, in both directions."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

from regard.checkpoints import heads
from regard.errors import BadArgumentError, UnsupportedError
from regard.lazy import torch

if TYPE_CHECKING:
    from torch import Tensor

    from regard.models.configs.config import ModelConfig

Settings = heads.Settings
Shape = tuple[int, ...]
Array = Any  # a torch.Tensor or a numpy.ndarray
Table = Iterable[tuple[str, str]]  # (ours, theirs), replaced in this order inside every name


@dataclass(frozen=True)
class Place:
    """Place and form of one of our weights in their file.

    Reading makes views, so that a memory-mapped weight stays the file's own memory.
    """

    name: str
    transposed: bool = False  # GPT-2's Conv1D keeps (in, out) where nn.Linear has (out, in)
    part: int = 0  # of `parts` equal pieces of one of their weights this is the first of `span` …
    parts: int = 1
    span: int = 1
    dim: int = 0  # … which are joined along this dimension, as they store it
    stack: int = 0  # theirs is so many matrices or vectors, one behind another; 0: it is one …
    place: int = 0  # … of which this is the number
    alternating: bool = False  # the parts take turns along `dim`, instead of lying side by side
    # dimensions of length one that theirs has in front: ViT's positions (1, n, d); or, below 0,
    # that ours has
    lead: int = 0


def _same(value: object) -> object:
    return value


@dataclass(frozen=True)
class Key:
    """A key of config.json, and the field of our config that has the same value."""

    field: str
    default: Any = ...  # where config.json lacks the key, as it says it; `...`: it must not
    read: Callable[[Any], Any] = _same  # their value → ours
    write: Callable[[Any], Any] = _same


@dataclass(frozen=True)
class Family:
    """The checkpoints of one architecture; a module of `checkpoints.families` holds it.

    Settings are one table, `keys`, for both directions; what it cannot say is said by `read` and
    `write`.
    """

    config: Callable[..., Any]  # the class of our config
    # model_type → the class in transformers, or its beginning where a head's ending follows.
    classes: Mapping[str, str]
    keys: Mapping[str, Key]  # config.json's → ours
    body: Table = ()  # of names: `base` goes before what it gives
    head: Mapping[str, Table] = field(default_factory=dict)  # of names of a head, by the head
    # (our name of the body, our config) → theirs, None of what no file has; instead of `body`.
    place: Callable[[str, Any], str | Place | None] | None = None
    heads: Mapping[str, str] = field(default_factory=dict)  # the ending of a class → its head
    labels: int = 2  # of a classification whose config.json does not say
    fixed: Settings = field(default_factory=dict)  # our fields that all its models share
    # model_type → what it means that config.json lacks a key, where that is not the key's default.
    defaults: Mapping[str, Settings] = field(default_factory=dict)
    written: Settings = field(default_factory=dict)  # keys with one value, not read
    refused: Settings = field(default_factory=dict)  # keys that must have one value
    # (config.json, our fields so far) → more of them, or others.
    read: Callable[[Settings, dict[str, Any]], dict[str, Any]] = lambda settings, fields: {}
    write: Callable[[Any], Settings] = lambda config: {}  # our config → more keys, or others
    # our config → its model_type; None where the family has no such model.
    type_of: Callable[[Any], str | None] = lambda config: ""
    # our config → {another of their names: the one in `names`} of tied weights: a file may have the
    # other name instead, or both, whose values are then verified to be equal.
    aliases: Callable[[Any], Mapping[str, str]] = lambda config: {}
    # (our config, torch or numpy) → {our name: value} of what no file has.
    constants: Callable[[Any, Any], Mapping[str, Any]] = lambda config, xp: {}
    # (our config, names in the weights) → our config: settles what config.json does not say.
    complete: Callable[[Any, Collection[str]], Any] | None = None
    base: str = ""  # their prefix that a file may have or lack, such as "bert."
    renamed: tuple[tuple[str, str], ...] = ()  # (old, new) endings in files of long ago
    ignored: tuple[str, ...] = ()  # patterns ("*.position_ids") of what is recomputed or unused

    def names(self, config: Any, ours: Iterable[str]) -> dict[str, str | Place]:
        """Return their names of all our weights that a file has."""
        head = config.head
        table = self.head.get(head, (("head.output", heads.PROJECTIONS.get(head, "head.output")),))
        names: dict[str, str | Place] = {}
        for name in ours:
            theirs: str | Place | None = self.base + rename(name, self.body)
            if name.startswith(("head.", "output.")):
                theirs = rename(name, table)
            elif self.place is not None:
                theirs = self.place(name, config)
            if theirs is not None:
                names[name] = theirs
        return names

    def fits(self, config: ModelConfig) -> bool:
        """Return True if a model of this config can be saved as this family."""
        same = all(getattr(config, name) == value for name, value in self.fixed.items())
        return same and self.type_of(config) is not None

    def to_config(self, config: Any) -> Settings:
        """config.json for a model of this configuration."""
        model_type = self.type_of(config) or next(iter(self.classes))
        name = self.classes[model_type]
        settings: Settings = {"model_type": model_type, "architectures": [name]}
        for key, entry in self.keys.items():
            settings[key] = entry.write(getattr(config, entry.field))
        if self.heads:
            settings |= heads.head_settings(config, name, self.heads)
        return settings | self.written | self.write(config)

    def from_config(self, settings: Settings) -> ModelConfig:
        """Return the configuration that config.json describes."""
        refuse_settings(settings, self.refused)
        settings = copy(settings)
        for key, value in self.defaults.get(settings["model_type"], {}).items():
            settings.setdefault(key, value)
        fields: dict[str, Any] = {**self.fixed}
        if self.heads:
            fields["head"] = heads.head_of(
                settings, self.classes[settings["model_type"]], self.heads
            )
            fields["labels"] = heads.read_labels(settings, fields["head"], self.labels)
        for key, entry in self.keys.items():
            value = settings[key] if entry.default is ... else settings.get(key, entry.default)
            fields[entry.field] = entry.read(value)
        fields |= self.read(settings, fields)
        for key, entry in self.keys.items():  # before a check of ranges compares them
            value, kind = fields[entry.field], _hints(self.config)[entry.field]
            if kind in (int, float) and not is_a(value, kind):
                raise BadArgumentError(f"{key} must be {kind.__name__}; got {value!r}.")
        return self.config(**fields)


def is_a(value: object, hint: object) -> bool:
    """Return True if a value is of a type, or a tuple of values of it."""
    if get_origin(hint) in (Union, UnionType):
        return any(is_a(value, kind) for kind in get_args(hint))
    if get_origin(hint) is tuple:
        kinds = get_args(hint)
        return isinstance(value, tuple) and all(is_a(item, kinds[0]) for item in value)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return hint not in (str, bool, NoneType) or isinstance(value, hint)


@cache
def _hints(config: type) -> dict[str, Any]:
    return get_type_hints(config)


def refuse_settings(settings: Settings, supported: Mapping[str, object]) -> None:
    """Raise UnsupportedError if config.json has another value than regard implements."""
    for name, value in supported.items():
        if settings.get(name, value) != value:
            raise UnsupportedError(
                f"{name} must be {json.dumps(value)} for a {settings['model_type']} model here;"
                f" config.json says {json.dumps(settings[name])}."
                " Load the model with transformers and give it to regard.trace."
            )


def rename(name: str, table: Table) -> str:
    """Replace each (ours, theirs) of `table` in `name`, in that order."""
    for ours, theirs in table:
        name = name.replace(ours, theirs)
    return name


def tied(**names: Mapping[str, str]) -> Callable[[Any], Mapping[str, str]]:
    """Return the `aliases` of models with a head whose table is the embedding's, by the head."""

    def aliases(config: ModelConfig) -> Mapping[str, str]:
        return names.get(config.head, {}) if getattr(config, "tied_output", True) else {}

    return aliases


def places(names: Mapping[str, str | Place]) -> dict[str, Place]:
    """Every name as a place."""
    return {
        ours: Place(theirs) if isinstance(theirs, str) else theirs for ours, theirs in names.items()
    }


def to_ours(places: Mapping[str, Place], tensors: Mapping[str, Array]) -> dict[str, Array]:
    """View their tensors, or arrays, under our names; nothing is copied."""
    return {ours: _read(tensors[place.name], place) for ours, place in places.items()}


def to_theirs(places: Mapping[str, Place], state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Arrange our tensors under their names; of weights that share a place the first is taken."""
    pieces: dict[str, dict[int, dict[int, tuple[Place, Tensor]]]] = {}
    for ours, place in places.items():
        parts = pieces.setdefault(place.name, {}).setdefault(place.place, {})
        parts.setdefault(place.part, (place, state[ours]))
    return {
        name: _stack([[stack[at][k] for k in sorted(stack[at])] for at in sorted(stack)])
        for name, stack in pieces.items()
    }


def their_shapes(places: Mapping[str, Place], ours: Mapping[str, Shape]) -> dict[str, Shape]:
    """Return the shapes that a file must have for weights of ours."""
    shapes: dict[str, Shape] = {}
    for name, place in places.items():
        shape = list(ours[name])
        if place.transposed:
            shape.reverse()
        shape[place.dim : place.dim + 1] = [
            n // place.span * place.parts for n in shape[place.dim :][:1]
        ]
        stack = (place.stack,) if place.stack else ()
        shapes[place.name] = (1,) * place.lead + stack + tuple(shape[max(0, -place.lead) :])
    return shapes


def in_dtype(tensor: Tensor, dtype: torch.dtype | None, *, copy: bool = False) -> Tensor:
    """Numbers (…) in `dtype`; counts and flags, and everything for None, as they are."""
    is_kept = dtype is None or not tensor.is_floating_point()
    return tensor.to(tensor.dtype if is_kept else dtype, copy=copy)


def _read(tensor: Array, place: Place) -> Array:
    if place.lead:
        tensor = tensor[(0,) * place.lead or (None,) * -place.lead]
    if place.stack:
        tensor = tensor[place.place]
    if place.alternating:
        turn = slice(place.part, None, place.parts)
        tensor = tensor[(slice(None),) * place.dim + (turn,)]
    elif place.parts > 1:
        size = tensor.shape[place.dim] // place.parts
        part = slice(size * place.part, size * (place.part + place.span))
        tensor = tensor[(slice(None),) * place.dim + (part,)]
    return tensor.T if place.transposed else tensor


def _stack(matrices: Sequence[Sequence[tuple[Place, Tensor]]]) -> Tensor:
    place = matrices[0][0][0]
    if not place.stack:
        return _join(matrices[0])
    assert len(matrices) == place.stack, f"{place.name} has {len(matrices)} of {place.stack}"
    return torch.stack([_join(pieces) for pieces in matrices])


def _join(pieces: Sequence[tuple[Place, Tensor]]) -> Tensor:
    parts = [tensor.T if place.transposed else tensor for place, tensor in pieces]
    place = pieces[0][0]
    count = sum(place.span for place, _ in pieces)
    assert count == place.parts, f"{place.name} has {count} of {place.parts} parts"
    joined = parts[0]
    if place.parts > 1:
        if place.alternating:
            joined = torch.stack(parts, place.dim + 1).flatten(place.dim, place.dim + 1)
        else:
            joined = torch.cat(parts, place.dim)
    return joined[(None,) * place.lead or (0,) * -place.lead] if place.lead else joined
