"""Relative positions in buckets: near distances each have their own, far ones share.

Source: T5 (Raffel et al. 2020), section 2.1.
"""

import math

import torch
from jaxtyping import Int
from torch import Tensor

from regard.errors import BadArgumentError


def relative_buckets(
    offsets: Int[Tensor, "*any"],
    *,
    num_buckets: int = 32,
    max_distance: int = 128,
    bidirectional: bool = True,
) -> Int[Tensor, "*any"]:
    """Offsets (…), each the key's position minus the query's → buckets 0 … num_buckets - 1, (…).

    Half of the buckets hold one distance each; those of the other half grow with its logarithm up
    to `max_distance`, and the last takes all beyond. Where both directions count, keys after the
    query have the upper half of the buckets; else they share bucket 0 with the query itself.

    >>> relative_buckets(torch.tensor([-200, -20, -1, 0, 1, 20, 200]))
    tensor([15, 10,  1,  0, 17, 26, 31])

    Raises:
        BadArgumentError: too few buckets, or a max_distance that leaves none for far offsets.
    """
    directions = 2 if bidirectional else 1
    buckets = num_buckets // directions
    exact = buckets // 2
    if exact < 1 or num_buckets % directions or max_distance <= exact:
        raise BadArgumentError(
            f"num_buckets must be a multiple of {directions} and at least {2 * directions}, and"
            f" max_distance above the {exact} distances that have their own bucket;"
            f" got {num_buckets} and {max_distance}."
        )
    distance = offsets.abs() if bidirectional else (-offsets).clamp(min=0)
    # In float32, as every checkpoint has it: a distance on a border could else change its bucket.
    ratio = (distance.clamp(min=exact).float() / exact).log() / math.log(max_distance / exact)
    far = (exact + (ratio * (buckets - exact)).long()).clamp(max=buckets - 1)
    bucket = torch.where(distance < exact, distance, far)
    return bucket + buckets * (offsets > 0) if bidirectional else bucket
