"""Buckets of distance are T5's."""

import pytest
import torch

from regard import RegardError
from regard.models.positions import relative_buckets


def test_buckets_of_both_directions_by_hand() -> None:
    # 8 buckets, 4 for each direction: distances 0 and 1 alone, 2 … 3 (under √(2 · 8) = 4) together,
    # 4 … together with all beyond.
    offsets = torch.tensor([0, -1, -2, -3, -4, -7, -50, 1, 2, 3, 4, 50])
    buckets = relative_buckets(offsets, num_buckets=8, max_distance=8)
    assert buckets.tolist() == [0, 1, 2, 2, 3, 3, 3, 5, 6, 6, 7, 7]


def test_keys_that_follow_share_bucket_zero_where_one_direction_counts() -> None:
    offsets = torch.tensor([[5, 1, 0], [-1, -2, -99]])
    buckets = relative_buckets(offsets, num_buckets=4, max_distance=8, bidirectional=False)
    assert buckets.tolist() == [[0, 0, 0], [1, 2, 3]]


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("buckets", "distance"), [(32, 128), (10, 31), (64, 300)])
def test_transformers_has_the_same_buckets(
    bidirectional: bool, buckets: int, distance: int
) -> None:
    t5 = pytest.importorskip("transformers.models.t5.modeling_t5")
    offsets = torch.arange(-1009, 1013)
    ours = relative_buckets(
        offsets, num_buckets=buckets, max_distance=distance, bidirectional=bidirectional
    )
    theirs = t5.T5Attention._relative_position_bucket(offsets, bidirectional, buckets, distance)
    assert torch.equal(ours, theirs)
    assert set(ours.tolist()) == set(range(buckets)) - ({buckets // 2} if bidirectional else set())


@pytest.mark.parametrize(
    "how",
    [
        dict(num_buckets=7),
        dict(num_buckets=2),
        dict(num_buckets=1, bidirectional=False),
        dict(num_buckets=32, max_distance=8),
    ],
)
def test_buckets_that_cannot_be_are_refused(how: dict[str, int]) -> None:
    with pytest.raises(RegardError, match="num_buckets must be a multiple of"):
        relative_buckets(torch.arange(3), **how)  # type: ignore[arg-type]
