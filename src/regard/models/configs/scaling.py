"""Scalings of the frequencies of rotary positions, for longer texts; `positions.rotary` uses them.

Each is called with the frequencies, (half,), and returns others.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from regard.arrays import Array, arrays_of
from regard.errors import BadArgumentError

# The fields of the scalings are named as in the rope_parameters of a config.json.


@dataclass(frozen=True)
class LinearScaling:
    """Divides every frequency by factor: longer texts in the same angles (Chen et al. 2023).

    >>> from regard.models.positions import rotary_frequencies
    >>> rotary_frequencies(4, scaling=LinearScaling(2.0))
    tensor([0.5000, 0.0050])
    """

    rope_type: ClassVar[str] = "linear"
    attention_factor: ClassVar[float] = 1.0  # query and key are multiplied by it
    factor: int | float

    def __call__(self, frequencies: Array) -> Array:
        return frequencies / self.factor


@dataclass(frozen=True)
class DynamicScaling:
    """Keeps every frequency within the texts that the model was trained on; in longer ones they
    would depend on the length (NTK-aware, 2023), and such texts are refused here.

    >>> from regard.models.positions import rotary_frequencies
    >>> rotary_frequencies(4, scaling=DynamicScaling(2.0))
    tensor([1.0000, 0.0100])
    """

    rope_type: ClassVar[str] = "dynamic"
    attention_factor: ClassVar[float] = 1.0
    factor: int | float

    def __call__(self, frequencies: Array) -> Array:
        return frequencies


@dataclass(frozen=True)
class Llama3Scaling:
    """Divides low frequencies by factor, keeps high ones, and interpolates in between.

    Within the length of the texts that the model was first trained on, a low frequency makes fewer
    than `low_freq_factor` full rotations, and a high one more than `high_freq_factor` (Llama 3.1).

    >>> from regard.models.positions import rotary_frequencies
    >>> scaling = Llama3Scaling(8.0, 1.0, 4.0, original_max_position_embeddings=8192)
    >>> rotary_frequencies(8) / rotary_frequencies(8, scaling=scaling)
    tensor([1.0000, 1.0000, 1.0000, 4.6815])
    """

    rope_type: ClassVar[str] = "llama3"
    attention_factor: ClassVar[float] = 1.0
    factor: int | float
    low_freq_factor: int | float
    high_freq_factor: int | float
    original_max_position_embeddings: int  # the length of those texts, in tokens

    def __post_init__(self) -> None:
        if not self.low_freq_factor < self.high_freq_factor:
            raise BadArgumentError(
                "high_freq_factor must be above low_freq_factor;"
                f" got {self.high_freq_factor:g} and {self.low_freq_factor:g}."
            )

    def __call__(self, frequencies: Array) -> Array:
        low, high = self.low_freq_factor, self.high_freq_factor
        rotations = self.original_max_position_embeddings / (2 * math.pi / frequencies)
        share = ((rotations - low) / (high - low)).clip(0, 1)  # that stays as it is
        return (1 - share) * frequencies / self.factor + share * frequencies


@dataclass(frozen=True)
class YarnScaling:
    """As Llama3Scaling, but interpolates linearly in the number of the pair of dimensions, and
    multiplies query and key so that weights stay as uneven (Peng et al. 2023, YaRN, section 3.2).

    >>> from regard.models.positions import rotary_frequencies
    >>> scaling = YarnScaling(4.0, 1.1386, original_max_position_embeddings=4096)
    >>> rotary_frequencies(8) / rotary_frequencies(8, scaling=scaling)
    tensor([1.0000, 1.0000, 1.6000, 4.0000])
    """

    rope_type: ClassVar[str] = "yarn"
    factor: int | float
    attention_factor: float  # query and key are multiplied by it
    beta_fast: int | float = 32  # frequencies of more rotations than this are kept
    beta_slow: int | float = 1  # frequencies of fewer rotations than this are divided by factor
    truncate: bool = True  # whether the interpolation begins and ends at a whole pair
    _: KW_ONLY
    original_max_position_embeddings: int  # tokens, as in Llama3Scaling

    def __call__(self, frequencies: Array) -> Array:
        half = len(frequencies)
        step = -math.log(float(frequencies[-1])) / (half - 1)  # from pair to pair, in logarithms
        start, end = (
            math.log(self.original_max_position_embeddings / (2 * math.pi * rotations)) / step
            for rotations in (self.beta_fast, self.beta_slow)
        )
        if self.truncate:
            start, end = math.floor(start), math.ceil(end)
        # Up to 2 · half − 1, as in the published code, although there are only `half` pairs.
        start, end = max(start, 0), min(end, 2 * half - 1)
        pairs = arrays_of(frequencies).count(half, like=frequencies)
        divided = ((pairs - start) / (end - start or 0.001)).clip(0, 1)
        return (1 - divided) * frequencies + divided * frequencies / self.factor


@dataclass(frozen=True)
class LongScaling:
    """Divides each frequency by a number of its own, and multiplies query and key (LongRoPE, Ding
    et al. 2024). A text longer than those that the model was first trained on has other numbers
    for all of its tokens, `long_factor`; such texts are refused here.

    >>> from regard.models.positions import rotary_frequencies
    >>> scaling = LongScaling((1.0, 2.0), (4.0, 9.0), 1.19, long_positions=131072)
    >>> rotary_frequencies(4, scaling=scaling)
    tensor([1.0000, 0.0050])
    """

    rope_type: ClassVar[str] = "longrope"
    short_factor: tuple[float, ...]  # of each pair
    long_factor: tuple[float, ...]
    attention_factor: float  # query and key are multiplied by it
    _: KW_ONLY
    long_positions: int  # the longest text with `long_factor`, in tokens

    def __call__(self, frequencies: Array) -> Array:
        return frequencies / arrays_of(frequencies).array(self.short_factor, like=frequencies)


Scaling = LinearScaling | DynamicScaling | Llama3Scaling | YarnScaling | LongScaling


def stretched(positions: int, scaling: Scaling | None) -> int:
    """Tokens of a text at most, of a model that was trained on so many: where a scaling divides
    the angles by a factor, they reach that much further."""
    if not isinstance(scaling, LinearScaling | Llama3Scaling | YarnScaling):
        return positions
    first = getattr(scaling, "original_max_position_embeddings", positions)
    return max(positions, int(first * scaling.factor))
