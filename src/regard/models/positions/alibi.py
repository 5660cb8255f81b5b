"""ALiBi: no positions at all, but a penalty on the score that grows with the distance.

Source: Train Short, Test Long (Press et al. 2022), section 3.
"""

import torch
from torch import Tensor

from regard.errors import BadArgumentError
from regard.shapes import Float


def alibi_slopes(num_heads: int) -> Float[Tensor, " heads"]:
    """Slopes of the heads' penalties, (heads,): 2^(-8/h), 2^(-16/h), … for h heads.

    Where h is no power of two, the slopes of the power below come first, then every second one of
    the power above, as in the authors' code and every checkpoint.

    >>> alibi_slopes(4)
    tensor([0.2500, 0.0625, 0.0156, 0.0039])
    """
    if num_heads < 1:
        raise BadArgumentError(f"num_heads must be at least 1; got {num_heads}.")
    power = 1 << (num_heads.bit_length() - 1)  # the largest power of two that is not above
    slopes = _geometric(power) + _geometric(2 * power)[::2][: num_heads - power]
    return torch.tensor(slopes)


def alibi(
    slopes: Float[Tensor, " heads"], queries: int, keys: int
) -> Float[Tensor, "heads queries keys"]:
    """Slopes (heads,) → the bias to add to scores, (heads, queries, keys).

    It is -slope · |query's position - key's position|.
    The last query belongs to the last key, as in masks and in decoding with a cache.

    >>> alibi(torch.tensor([0.5]), queries=2, keys=3)
    tensor([[[-0.5000, -0.0000, -0.5000],
             [-1.0000, -0.5000, -0.0000]]])
    """
    rows = torch.arange(keys - queries, keys, device=slopes.device)
    columns = torch.arange(keys, device=slopes.device)
    return -slopes[:, None, None] * (rows[:, None] - columns).abs()


def _geometric(num_heads: int) -> list[float]:
    return [2 ** (-8 * head / num_heads) for head in range(1, num_heads + 1)]
