"""ALiBi's slopes are the paper's and transformers'; its bias is a straight line."""

import pytest
import torch

from regard import RegardError
from regard.models.positions import alibi, alibi_slopes


def test_eight_heads_have_the_papers_slopes() -> None:
    assert alibi_slopes(8).tolist() == [2.0**-k for k in range(1, 9)]


def test_slopes_between_powers_of_two_by_hand() -> None:
    # Four heads have 2^-2 … 2^-8; the next three are the first, third and fifth of eight heads.
    expected = [2.0**-2, 2.0**-4, 2.0**-6, 2.0**-8, 2.0**-1, 2.0**-3, 2.0**-5]
    assert alibi_slopes(7).tolist() == expected


@pytest.mark.parametrize("heads", [1, 2, 3, 5, 12, 16, 20, 31])
def test_transformers_has_the_same_slopes(heads: int) -> None:
    bloom = pytest.importorskip("transformers.models.bloom.modeling_bloom")
    tensor = bloom.build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)
    torch.testing.assert_close(alibi_slopes(heads), tensor[:, 0, 1])


def test_the_bias_grows_with_the_distance_in_both_directions() -> None:
    bias = alibi(torch.tensor([0.5, 0.25]), 2, 3)  # queries stand at positions 1 and 2
    assert bias.tolist() == [
        [[-0.5, 0.0, -0.5], [-1.0, -0.5, 0.0]],
        [[-0.25, 0.0, -0.25], [-0.5, -0.25, 0.0]],
    ]


def test_a_model_has_heads() -> None:
    with pytest.raises(RegardError, match="at least 1; got 0"):
        alibi_slopes(0)
