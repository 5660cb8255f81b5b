"""Positions checked against the length of their axis."""

import torch
from torch import Tensor

from regard.errors import BadArgumentError


def one(name: str, index: int, length: int) -> slice:
    if not 0 <= index < length:
        raise BadArgumentError(f"{name} must be from 0 to {length - 1}; got {index}.")
    return slice(index, index + 1)


def indices(name: str, part: slice, length: int, device: torch.device) -> Tensor:
    if not isinstance(part, slice) or (part.step or 1) < 1:
        raise BadArgumentError(
            f"{name} must be a slice that runs forward, like slice(0, 64); got {part!r}."
        )
    for end in (part.start, part.stop):
        if end is not None and not -length <= end <= length:
            raise BadArgumentError(
                f"{name} must lie within 0 to {length}; got {part.start} to {part.stop}."
            )
    return torch.arange(length, device=device)[part]
