"""Rotary positions against hand-computed values, transformers' functions, and their own reason."""

import math

import pytest
import torch

from regard import RegardError
from regard.models.positions import (
    LinearScaling,
    Llama3Scaling,
    Scaling,
    YarnScaling,
    rotary_frequencies,
    rotate,
)


def test_a_quarter_turn_by_hand() -> None:
    # Dimensions 0 and 2 are a pair; at frequency π/2 position 1 turns (3, 5) into (-5, 3).
    x = torch.tensor([[3.0, 7.0, 5.0, 11.0]])
    frequencies = torch.tensor([math.pi / 2, math.pi])
    turned = rotate(x, torch.tensor([1]), frequencies)
    torch.testing.assert_close(turned, torch.tensor([[-5.0, -7.0, 3.0, -11.0]]))
    assert torch.equal(rotate(x, torch.tensor([0]), frequencies), x)


def test_frequencies_by_hand() -> None:
    expected = torch.tensor([1.0, 10_000 ** (-1 / 3), 10_000 ** (-2 / 3)])
    torch.testing.assert_close(rotary_frequencies(6), expected)
    torch.testing.assert_close(rotary_frequencies(4, theta=100), torch.tensor([1.0, 0.1]))


def test_scores_know_the_distance_alone() -> None:
    torch.manual_seed(3)
    query, key = torch.randn(2, 1, 10, dtype=torch.float64).unbind()
    frequencies = rotary_frequencies(10).double()

    def score(query_at: int, key_at: int) -> torch.Tensor:
        at = torch.tensor([query_at]), torch.tensor([key_at])
        return rotate(query, at[0], frequencies) @ rotate(key, at[1], frequencies).T

    torch.testing.assert_close(score(11, 4), score(107, 100), rtol=1e-4, atol=1e-4)
    assert not torch.allclose(score(11, 4), score(11, 5), rtol=1e-2)


def test_lengths_are_kept() -> None:
    x = torch.randn(2, 3, 5, 14)
    turned = rotate(x, torch.randint(0, 999, (2, 1, 5)), rotary_frequencies(14))
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))


def test_linear_scaling_divides_every_frequency() -> None:
    torch.testing.assert_close(
        rotary_frequencies(6, scaling=LinearScaling(4)), rotary_frequencies(6) / 4
    )


def test_llama3_scaling_by_hand() -> None:
    # Trained on 2π · 8 positions the frequencies 1, 0.25 and 0.0625 turn 8, 2 and 0.5 times. With
    # low 1 and high 4, the first is kept, the last divided, and the middle a third of the way.
    scaling = Llama3Scaling(8, 1, 4, original_max_position_embeddings=round(2 * math.pi * 8))
    scaled = scaling(torch.tensor([1.0, 0.25, 0.0625]))
    third = (50 / (2 * math.pi) * 0.25 - 1) / 3  # 2π · 8 is rounded to 50
    middle = third * 0.25 + (1 - third) * 0.25 / 8
    torch.testing.assert_close(scaled, torch.tensor([1.0, middle, 0.0625 / 8]))


YARN = {
    "rope_type": "yarn",
    "factor": 8.0,
    "attention_factor": 1.25,
    "original_max_position_embeddings": 512,
}


@pytest.mark.parametrize(
    ("rope", "scaling"),
    [
        ({"rope_type": "default"}, None),
        ({"rope_type": "linear", "factor": 2.5}, LinearScaling(2.5)),
        (
            {
                "rope_type": "llama3",
                "factor": 8.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 512,
            },
            Llama3Scaling(8.0, 1.0, 4.0, 512),
        ),
        (YARN, YarnScaling(8.0, 1.25, original_max_position_embeddings=512)),
        (
            YARN | {"truncate": False},
            YarnScaling(8.0, 1.25, truncate=False, original_max_position_embeddings=512),
        ),
        (
            YARN | {"beta_fast": 0.9, "beta_slow": 0.5, "factor": 8.0},
            YarnScaling(8.0, 1.25, 0.9, 0.5, original_max_position_embeddings=512),
        ),
    ],
)
def test_transformers_turns_as_far(rope: dict[str, object], scaling: Scaling | None) -> None:
    llama = pytest.importorskip("transformers.models.llama.modeling_llama")
    config = llama.LlamaConfig(
        hidden_size=66,
        num_attention_heads=3,
        head_dim=22,
        max_position_embeddings=4096,  # 8 · 512
        rope_parameters=rope | {"rope_theta": 50_000.0},
    )
    theirs = llama.LlamaRotaryEmbedding(config)
    frequencies = rotary_frequencies(22, theta=50_000.0, scaling=scaling)
    torch.testing.assert_close(frequencies, theirs.inv_freq, rtol=1e-6, atol=0)

    torch.manual_seed(5)
    query, key = torch.randn(2, 2, 3, 7, 22).unbind()
    positions = torch.randint(0, 2000, (2, 7))
    expected = llama.apply_rotary_pos_emb(query, key, *theirs(query, positions))
    assert theirs.attention_scaling == (1.0 if scaling is None else scaling.attention_factor)
    for x, turned in zip((query, key), expected, strict=True):
        ours = rotate(x, positions[:, None], theirs.inv_freq)
        torch.testing.assert_close(ours * theirs.attention_scaling, turned, rtol=0, atol=1e-6)


@pytest.mark.parametrize("dim", [0, 7])
def test_an_odd_width_is_refused(dim: int) -> None:
    with pytest.raises(RegardError, match=f"even head_dim of at least 2; got {dim}"):
        rotary_frequencies(dim)


def test_a_theta_that_is_not_positive_is_refused() -> None:
    with pytest.raises(RegardError, match="theta must be positive; got -1"):
        rotary_frequencies(6, theta=-1)
