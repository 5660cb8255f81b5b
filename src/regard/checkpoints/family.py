"""What one family of checkpoints is: its settings and the names of its weights, both ways."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regard.errors import UnsupportedError

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from regard.models import Model

Settings = dict[str, Any]  # the content of config.json


@dataclass(frozen=True)
class Place:
    """Where one of our weights lies in their file, and how it lies there.

    Reading makes views, so that a memory-mapped weight stays the file's own memory.
    """

    name: str
    transposed: bool = False  # GPT-2's Conv1D keeps (in, out) where nn.Linear has (out, in)
    part: int = 0  # which of `parts` equal pieces of one of their weights this is …
    parts: int = 1
    dim: int = 0  # … which are joined along this dimension, as they store it
    lead: int = 0  # dimensions of length one that theirs has in front: ViT's positions (1, n, d)


@dataclass(frozen=True)
class Family:
    """The checkpoints of one architecture; a module of `checkpoints.families` holds it.

    `model` is first built without memory (`torch.device("meta")`), on which `names`, `aliases`
    and `constants` are asked.
    """

    model: Callable[[Any], Model]  # the class: our config → the model
    from_config: Callable[[Settings], Any]  # config.json → our config; UnsupportedError
    to_config: Callable[[Any], Settings]  # our config → config.json with model_type, architectures
    names: Callable[[Any], Mapping[str, str | Place]]  # model → {our name: theirs}, constants not
    # Whether a model of this config can be saved as this family.
    fits: Callable[[Any], bool] = lambda config: True
    # model → {another of their names: the one in `names`} of tied weights: a file may have the
    # other name instead, or both, whose values are then verified to be equal.
    aliases: Callable[[Any], Mapping[str, str]] = lambda model: {}
    constants: Callable[[Any], Mapping[str, Tensor]] = lambda model: {}  # model → {our name: value}
    # (our config, names in the weights) → our config: settles what config.json does not say.
    complete: Callable[[Any, Collection[str]], Any] | None = None
    base: str = ""  # their prefix that a file may have or lack, such as "bert."
    renamed: tuple[tuple[str, str], ...] = ()  # (old, new) endings in files of long ago
    ignored: tuple[str, ...] = ()  # patterns ("*.position_ids") of what is recomputed or unused


def refuse_settings(settings: Settings, wanted: Mapping[str, object]) -> None:
    """Raises UnsupportedError if config.json has another value than regard implements."""
    for name, value in wanted.items():
        if settings.get(name, value) != value:
            raise UnsupportedError(
                f"{name} must be {json.dumps(value)} for a {settings['model_type']} model here;"
                f" config.json says {json.dumps(settings[name])}."
                " Load the model with transformers and give it to regard.trace."
            )


def rename(name: str, table: Iterable[tuple[str, str]]) -> str:
    """Replaces each (ours, theirs) of `table` in `name`, in that order."""
    for ours, theirs in table:
        name = name.replace(ours, theirs)
    return name


def places(names: Mapping[str, str | Place]) -> dict[str, Place]:
    """Every name as a place."""
    return {
        ours: Place(theirs) if isinstance(theirs, str) else theirs for ours, theirs in names.items()
    }


def to_ours(places: Mapping[str, Place], tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Their tensors under our names: views, nothing is copied."""
    return {ours: _read(tensors[place.name], place) for ours, place in places.items()}


def to_theirs(places: Mapping[str, Place], state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Our tensors under their names; of weights that share a place the first is taken."""
    pieces: dict[str, dict[int, tuple[Place, Tensor]]] = {}
    for ours, place in places.items():
        pieces.setdefault(place.name, {}).setdefault(place.part, (place, state[ours]))
    return {name: _join([parts[k] for k in sorted(parts)]) for name, parts in pieces.items()}


def their_shapes(
    places: Mapping[str, Place], state: Mapping[str, Tensor]
) -> dict[str, tuple[int, ...]]:
    """The shapes that a file must have for a model that may have no memory yet."""
    shapes: dict[str, tuple[int, ...]] = {}
    for ours, place in places.items():
        shape = list(state[ours].shape)
        if place.transposed:
            shape.reverse()
        shape[place.dim : place.dim + 1] = [n * place.parts for n in shape[place.dim :][:1]]
        shapes[place.name] = (1,) * place.lead + tuple(shape)
    return shapes


def cast(tensor: Tensor, dtype: torch.dtype | None) -> Tensor:
    """Numbers (…) in `dtype`; counts and flags, and everything for None, as they are."""
    return tensor if dtype is None or not tensor.is_floating_point() else tensor.to(dtype)


def _read(tensor: Tensor, place: Place) -> Tensor:
    if place.lead:
        tensor = tensor[(0,) * place.lead]
    if place.parts > 1:
        tensor = tensor.tensor_split(place.parts, place.dim)[place.part]
    return tensor.T if place.transposed else tensor


def _join(pieces: Sequence[tuple[Place, Tensor]]) -> Tensor:
    parts = [tensor.T if place.transposed else tensor for place, tensor in pieces]
    place = pieces[0][0]
    assert len(pieces) == place.parts, f"{place.name} has {len(pieces)} of {place.parts} parts"
    joined = parts[0]
    if place.parts > 1:
        import torch

        joined = torch.cat(parts, place.dim)
    return joined[(None,) * place.lead] if place.lead else joined
