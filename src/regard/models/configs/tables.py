"""Numbers of positions that follow from a config alone, by torch or by numpy: `xp` is either."""

import math
from functools import partial
from types import ModuleType
from typing import Any

from regard.errors import BadArgumentError

Array = Any  # a torch.Tensor or a numpy.ndarray


def frequencies(
    xp: ModuleType, d_model: int, base: int | float = 10000.0, device: object = None
) -> Array:
    """Radians per position of each pair, (half,), in float64: in float32 a far position's angle is
    off.

    Raises:
        BadArgumentError: an odd d_model, a base that is not positive.
    """
    if d_model < 2 or d_model % 2:
        raise BadArgumentError(f"d_model must be an even number of at least 2; got {d_model}.")
    if base <= 0:
        raise BadArgumentError(f"base must be positive; got {base}.")
    exponents = xp.arange(0, d_model, 2, dtype=xp.float64, device=device) / d_model
    return xp.asarray(base, dtype=xp.float64, device=device) ** -exponents


def sinusoids(xp: ModuleType, length: int, d_model: int, *, spread: bool = False) -> Array:
    """Sines and then cosines of the first positions, (length, d_model), in float32.

    Args:
        spread: whether the last frequency is 1 / base itself (fairseq), not that before it.
    """
    base = 10000.0 ** (d_model / (d_model - 2)) if spread and d_model > 2 else 10000.0
    angles = xp.arange(length, dtype=xp.float64)[:, None] * frequencies(xp, d_model, base)
    return xp.asarray(xp.concatenate([xp.sin(angles), xp.cos(angles)], -1), dtype=xp.float32)


def distance_rows(xp: ModuleType, distances: Array, *, buckets: int, longest: int) -> Array:
    """Rows of DeBERTa's table of distances, (…), each the query's position minus the key's: there
    are so many buckets on either side, of which half hold one distance each.

    Source: the log buckets of He et al. 2021's release, as transformers has them.
    """
    middle, to = buckets // 2, partial(xp.asarray, device=distances.device)
    size = abs(distances)
    ratio = to(xp.clip(size, middle, None), dtype=xp.float32) / middle
    logarithm = to(xp.log(to(ratio, dtype=xp.float64)), dtype=xp.float32)
    whole = to(math.log((longest - 1) / middle), dtype=xp.float32)
    far = to(xp.ceil(logarithm / whole * (middle - 1)), dtype=xp.int64) + middle
    row = xp.where(size <= middle, distances, far * xp.sign(distances))
    return xp.clip(row + buckets, 0, 2 * buckets - 1)


def every_distance_row(xp: ModuleType, *, buckets: int, longest: int) -> Array:
    """Rows of the distances from −n to n, (rows,), beyond which none changes."""
    reach, farthest = longest, 2**30

    def rows(*distances: int) -> Array:
        return distance_rows(xp, xp.asarray(distances), buckets=buckets, longest=longest)

    while (rows(-reach, reach) != rows(-farthest, farthest)).any():
        reach *= 2
    return rows(*range(-reach, reach + 1))


def relative_buckets(
    xp: ModuleType, offsets: Array, *, num_buckets: int, max_distance: int, bidirectional: bool
) -> Array:
    """Buckets of offsets, (…); see `positions.relative_buckets`."""
    directions = 2 if bidirectional else 1
    buckets = num_buckets // directions
    exact = buckets // 2
    if exact < 1 or num_buckets % directions or max_distance <= exact:
        raise BadArgumentError(
            f"num_buckets must be a multiple of {directions} and at least {2 * directions}, and"
            f" max_distance above the {exact} distances that have their own bucket;"
            f" got {num_buckets} and {max_distance}."
        )
    distance = abs(offsets) if bidirectional else xp.clip(-offsets, 0, None)
    # In float32, as every checkpoint has it: a distance on a border could else change its bucket.
    # Each library rounds its own logarithms of float32; those of float64 round to the same ones.
    to = partial(xp.asarray, device=offsets.device)
    ratio = to(xp.clip(distance, exact, None), dtype=xp.float32) / exact
    logarithm = to(xp.log(to(ratio, dtype=xp.float64)), dtype=xp.float32)
    share = logarithm / math.log(max_distance / exact) * (buckets - exact)
    far = xp.clip(exact + to(share, dtype=xp.int64), None, buckets - 1)
    bucket = xp.where(distance < exact, distance, far)
    return bucket + buckets * (offsets > 0) if bidirectional else bucket
