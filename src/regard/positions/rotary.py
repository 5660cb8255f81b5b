"""Rotary positions: query and key turn by their positions, so scores know the distance alone.

Source: RoFormer (Su et al. 2021), section 3.2.2.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.errors import RegardError


@dataclass(frozen=True)
class LinearScaling:
    """Every position counts 1/factor: a longer text in the same angles (Chen et al. 2023)."""

    factor: int | float
    magnitude: ClassVar[float] = 1.0  # of what is turned: its length stays

    def __call__(self, frequencies: Float[Tensor, " half"]) -> Float[Tensor, " half"]:
        return frequencies / self.factor


@dataclass(frozen=True)
class Llama3Scaling:
    """Slow hands turn 1/factor as fast, quick ones as before, those between somewhere between.

    Slow is what turns less than `low` times, quick what turns more than `high` times within the
    length that the model was first trained on (Llama 3.1's rope_type "llama3").
    """

    factor: int | float
    low: int | float  # low_freq_factor
    high: int | float  # high_freq_factor
    trained_positions: int  # original_max_position_embeddings
    magnitude: ClassVar[float] = 1.0

    def __call__(self, frequencies: Float[Tensor, " half"]) -> Float[Tensor, " half"]:
        turns = self.trained_positions / (2 * math.pi / frequencies)
        quick = ((turns - self.low) / (self.high - self.low)).clamp(0, 1)
        return (1 - quick) * frequencies / self.factor + quick * frequencies


@dataclass(frozen=True)
class YarnScaling:
    """As Llama 3's, but the way from quick to slow is straight over the pairs, not over their
    turns, and query and key grow, so that weights stay as uneven (Peng et al. 2023, YaRN, 3.2).
    """

    factor: int | float
    trained_positions: int  # original_max_position_embeddings
    magnitude: float  # attention_factor: what query and key are multiplied with
    quick: int | float = 32  # beta_fast: turns above which a hand is quick
    slow: int | float = 1  # beta_slow: turns below which it is slow
    whole_pairs: bool = True  # truncate: whether the way begins and ends at a pair

    def __call__(self, frequencies: Float[Tensor, " half"]) -> Float[Tensor, " half"]:
        half = len(frequencies)
        step = -math.log(float(frequencies[-1])) / (half - 1)  # from pair to pair, in logarithms
        start, end = (
            math.log(self.trained_positions / (2 * math.pi * turns)) / step
            for turns in (self.quick, self.slow)
        )
        if self.whole_pairs:
            start, end = math.floor(start), math.ceil(end)
        # Up to 2 · half − 1, as the published code has it, though there are but `half` pairs.
        start, end = max(start, 0), min(end, 2 * half - 1)
        slow = ((torch.arange(half) - start) / (end - start or 0.001)).clamp(0, 1)
        return (1 - slow) * frequencies + slow * frequencies / self.factor


Scaling = LinearScaling | Llama3Scaling | YarnScaling


def rotary_frequencies(
    dim: int, *, theta: int | float = 10000.0, scaling: Scaling | None = None
) -> Float[Tensor, " half"]:
    """Radians per position of each pair of dimensions: theta^(-2i / dim).

    In float32, angles too: models were trained with its rounding, which by position 10,000 is
    larger than what tells two checkpoints' outputs apart.

    Raises:
        RegardError: an odd dim, a theta that is not positive.
    """
    if dim < 2 or dim % 2:
        raise RegardError(f"rotary positions need an even head_dim of at least 2; got {dim}.")
    if theta <= 0:
        raise RegardError(f"theta must be positive; got {theta}.")
    frequencies = 1.0 / theta ** (torch.arange(0, dim, 2).float() / dim)
    return frequencies if scaling is None else scaling(frequencies)


def rotate(
    x: Float[Tensor, "*batch positions dim"],
    positions: Int[Tensor, "*#batch positions"],
    frequencies: Float[Tensor, " half"],
) -> Float[Tensor, "*batch positions dim"]:
    """Each pair of dimensions turned by position · frequency.

    Pairs are dimensions i and i + dim / 2, as in transformers' checkpoints (Llama's own files pair
    neighbours). rotate(q, m) · rotate(k, n) depends on m and n through m - n only.
    """
    angles = positions[..., None].float() * frequencies
    return turn(x, angles.cos(), angles.sin())


def turn(
    x: Float[Tensor, "*batch positions dim"],
    cosine: Float[Tensor, "*#batch positions half"],
    sine: Float[Tensor, "*#batch positions half"],
) -> Float[Tensor, "*batch positions dim"]:
    """`rotate` by angles whose cosine and sine are known."""
    first, second = x.chunk(2, -1)
    cosine, sine = cosine.to(x.dtype), sine.to(x.dtype)
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], -1)
