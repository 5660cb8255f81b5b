"""Relative positions in buckets: near distances each have their own, far ones share.

Source: T5 (Raffel et al. 2020), section 2.1.
"""

import torch
from torch import Tensor

from regard.models.configs import tables
from regard.shapes import Int


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
    buckets: Tensor = tables.relative_buckets(
        torch,
        offsets,
        num_buckets=num_buckets,
        max_distance=max_distance,
        bidirectional=bidirectional,
    )
    return buckets
