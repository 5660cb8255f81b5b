"""The states of distances are DeBERTa's, and a score with them is a sum of three products."""

import numpy as np
import pytest
import torch

from regard import RegardError
from regard.attention.scores import scaled
from regard.models import EncoderConfig
from regard.models.configs.tables import distance_rows
from regard.models.layers import DistanceStates, MultiHeadAttention

LENGTH = 7


@pytest.mark.parametrize(
    ("buckets", "longest"), [(256, 512), (4, 19), (2, 3), (3, 9), (128, 130), (32, 512)]
)
def test_transformers_has_the_same_rows(buckets: int, longest: int) -> None:
    deberta = pytest.importorskip("transformers.models.deberta_v2.modeling_deberta_v2")
    distances = torch.arange(-1100, 1101)
    theirs = deberta.make_log_bucket_position(distances, buckets, longest).long() + buckets
    rows = distance_rows(torch, distances, buckets=buckets, longest=longest)
    assert torch.equal(rows, theirs.clamp(0, 2 * buckets - 1))
    numpys = distance_rows(np, distances.numpy(), buckets=buckets, longest=longest)
    assert (numpys == rows.numpy()).all()


def test_each_pair_has_the_state_of_its_distance() -> None:
    torch.manual_seed(3)
    module = DistanceStates(12, buckets=4, longest=9).eval()
    every = module.norm(module.table.weight)
    states, rows = module(LENGTH)
    for query in range(LENGTH):
        for key in range(LENGTH):
            apart = torch.tensor(query - key)
            row = distance_rows(torch, apart, buckets=4, longest=9)
            torch.testing.assert_close(states[rows[query, key]], every[row])


def test_scores_are_the_sum_of_three_products_as_the_paper_has_it() -> None:
    torch.manual_seed(5)
    score = scaled(18**-0.5)  # three times a head's width
    attention = MultiHeadAttention(12, 2, score=score)
    x, states = torch.randn(LENGTH, 12), torch.randn(4, 12)
    rows = torch.randint(0, 4, (LENGTH, LENGTH))
    first, second = attention.distances(states, rows).scores(
        score, *attention.project(x[None], x[None])
    )
    for head in range(2):
        part = slice(6 * head, 6 * head + 6)
        query, key = attention.query(x)[:, part], attention.key(x)[:, part]
        far_query, far_key = attention.query(states)[:, part], attention.key(states)[:, part]
        for i in range(LENGTH):
            for j in range(LENGTH):
                apart = rows[i, j]
                torch.testing.assert_close(
                    first[0, head, i, j], query[i] @ far_key[apart] / 18**0.5
                )
                torch.testing.assert_close(
                    second[0, head, i, j], key[j] @ far_query[apart] / 18**0.5
                )


@pytest.mark.parametrize("sizes", [(1, 9), (8, 5)])
def test_sizes_that_have_no_logarithm_are_refused(sizes: tuple[int, int]) -> None:
    buckets, longest = sizes
    with pytest.raises(RegardError, match=f"distance_buckets .* got {buckets} and {longest}"):
        EncoderConfig(9, distance_buckets=buckets, longest_distance=longest)
