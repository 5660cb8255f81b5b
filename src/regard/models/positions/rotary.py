"""Rotary positions: query and key are rotated by angles that grow with their positions, so a score
depends on the distance alone.

Source: RoFormer (Su et al. 2021), section 3.2.2.
"""

import torch
from torch import Tensor

from regard.errors import BadArgumentError
from regard.models.configs.scaling import Scaling
from regard.shapes import Float, Int


def rotary_frequencies(
    dim: int, *, theta: int | float = 10000.0, scaling: Scaling | None = None
) -> Float[Tensor, " half"]:
    """Radians per position of each pair of dimensions, (half,): theta^(-2i / dim).

    Frequencies and angles are float32, as in training: by position 10,000 their rounding changes
    the output more than a test of a checkpoint allows.

    >>> rotary_frequencies(8)
    tensor([1.0000, 0.1000, 0.0100, 0.0010])

    Raises:
        BadArgumentError: an odd dim, a theta that is not positive.
    """
    if dim < 2 or dim % 2:
        raise BadArgumentError(f"rotary positions need an even head_dim of at least 2; got {dim}.")
    if theta <= 0:
        raise BadArgumentError(f"theta must be positive; got {theta}.")
    frequencies = 1.0 / theta ** (torch.arange(0, dim, 2).float() / dim)
    return frequencies if scaling is None else scaling(frequencies)


def rotate(
    x: Float[Tensor, "*batch positions dim"],
    positions: Int[Tensor, "*#batch positions"],
    frequencies: Float[Tensor, " half"],
) -> Float[Tensor, "*batch positions dim"]:
    """Each pair of dimensions rotated by position · frequency: x (…, positions, dim), positions
    (…, positions) and frequencies (half,) → (…, positions, dim).

    Pairs are dimensions i and i + dim / 2, as in transformers' checkpoints (Llama's own files pair
    neighbors). rotate(q, m) · rotate(k, n) depends on m and n through m - n only.

    >>> x, frequencies = torch.tensor([[1.0, 2.0, 0.0, 1.0]]), rotary_frequencies(4)
    >>> at_3, at_5 = (rotate(x, torch.tensor([place]), frequencies) for place in (3, 5))
    >>> at_13, at_15 = (rotate(x, torch.tensor([place]), frequencies) for place in (13, 15))
    >>> (at_3 @ at_5.T).allclose(at_13 @ at_15.T)
    True
    """
    angles = positions[..., None].float() * frequencies
    return apply_rotary(x, angles.cos(), angles.sin())


def apply_rotary(
    x: Float[Tensor, "*batch positions dim"],
    cosine: Float[Tensor, "*#batch positions half"],
    sine: Float[Tensor, "*#batch positions half"],
) -> Float[Tensor, "*batch positions dim"]:
    """`rotate`, given the cosines and sines of the angles, (…, positions, half) each; of more
    dimensions than 2 · half the others stay as they are."""
    half = cosine.shape[-1]
    first, second, rest = x[..., :half], x[..., half : 2 * half], x[..., 2 * half :]
    cosine, sine = cosine.to(x.dtype), sine.to(x.dtype)
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine, rest], -1)
