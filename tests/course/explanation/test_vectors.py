"""Attention over any vectors: its steps by hand, against torch, and what is refused."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from regard import RegardError, attend
from regard.attention import Dense
from regard.course.explanation import explain_vectors, principal, random_projections

TOKENS = list("abcde")
LONG, DIM = 5, 6


@pytest.fixture
def vectors():
    return torch.randn(LONG, DIM, generator=torch.Generator().manual_seed(3), dtype=torch.float64)


def array(explanation, name):
    return torch.from_numpy(explanation[name].array)


def test_the_smallest_example_by_hand():
    found = explain_vectors(["x", "y"], torch.tensor([[1.0, 0.0], [1.0, 2.0]]), score="dot")
    assert found["scores"].values == [[[1.0, 1.0], [1.0, 5.0]]]
    small, large = 1 / (1 + np.e**4), np.e**4 / (1 + np.e**4)
    assert np.allclose(found["weights"].array[0], [[0.5, 0.5], [small, large]])
    assert np.allclose(found["attended"].array[0], [[1, 1], [1, 2 * large]])
    assert np.allclose(found["residual"].array[0], [[2, 1], [2, 2 + 2 * large]])


def test_the_steps_stand_in_this_order(vectors):
    matrices = random_projections(DIM, 2, 3)
    found = explain_vectors(TOKENS, vectors, heads=2, positions=True, mask="causal", **matrices)
    assert [step.name for step in found.steps] == [
        "vectors", "positions", "query", "key", "value", "scores", "scaled", "masked", "weights",
        "attended", "joined", "projected", "residual",
    ]  # fmt: skip
    known = {table.name for table in found}
    assert all(name in known for step in found.steps for name in step.inputs)
    assert all(step.title and step.sentence.endswith(".") and step.equation for step in found.steps)


@pytest.mark.parametrize("score", ["dot", "scaled_dot", "cosine", "gaussian", "average"])
def test_the_output_is_attends(vectors, score):
    found = explain_vectors(TOKENS, vectors, score=score, mask="window", window=1)
    near = (torch.arange(LONG)[:, None] - torch.arange(LONG)).abs() <= 1
    expected = attend(vectors, vectors, vectors, score=score, mask=near)
    assert torch.allclose(array(found, "attended")[0], expected, atol=1e-12)


def test_heads_with_matrices_are_torchs_multi_head_attention(vectors):
    torch.manual_seed(5)
    matrices = {
        name: torch.randn(DIM, DIM, dtype=torch.float64)
        for name in ("query", "key", "value", "output")
    }
    found = explain_vectors(TOKENS, vectors, heads=3, mask="causal", **matrices)
    zero = torch.zeros(DIM, dtype=torch.float64)
    expected, weights = functional.multi_head_attention_forward(
        vectors[:, None], vectors[:, None], vectors[:, None], DIM, 3,
        torch.cat([matrices[name].mT for name in ("query", "key", "value")]),
        torch.zeros(3 * DIM, dtype=torch.float64), None, None, False, 0.0,
        matrices["output"].mT, zero, attn_mask=~torch.ones(LONG, LONG).tril().bool(),
        average_attn_weights=False,
    )  # fmt: skip
    assert torch.allclose(array(found, "projected")[0], expected[:, 0], atol=1e-12)
    assert torch.allclose(array(found, "weights"), weights[0], atol=1e-12)
    assert torch.allclose(array(found, "residual")[0], vectors + expected[:, 0], atol=1e-12)


def test_each_step_follows_from_those_it_names(vectors):
    found = explain_vectors(TOKENS, vectors, heads=2, temperature=0.25, mask="causal")
    scores, scaled = array(found, "scores"), array(found, "scaled")
    assert torch.allclose(scaled, scores / (3**0.5 * 0.25), atol=1e-12)
    assert found["scale"].values == [[[3**-0.5]]]
    allowed = array(found, "allowed").bool()
    assert torch.equal(array(found, "masked"), scaled.masked_fill(~allowed, -torch.inf))
    assert torch.allclose(array(found, "weights"), array(found, "masked").softmax(-1), atol=1e-12)
    joined = array(found, "attended").transpose(0, 1).flatten(1)
    assert torch.equal(array(found, "joined")[0], joined)


def test_a_lower_temperature_sharpens_and_positions_change_the_weights(vectors):
    plain = explain_vectors(TOKENS, vectors)
    sharp = explain_vectors(TOKENS, vectors, temperature=0.1)
    placed = explain_vectors(TOKENS, vectors, positions=True)
    assert sharp["weights"].array.max(-1).sum() > plain["weights"].array.max(-1).sum()
    assert not np.allclose(placed["weights"].array, plain["weights"].array)


def test_cross_attention_takes_keys_and_values_of_the_other_text(vectors):
    other = torch.randn(2, DIM, dtype=torch.float64)
    found = explain_vectors(TOKENS, vectors, key_tokens=["p", "q"], key_vectors=other)
    assert found.key_tokens == ["p", "q"]
    assert found["weights"].shape == [1, LONG, 2]
    assert torch.allclose(array(found, "attended")[0], attend(vectors, other, other), atol=1e-12)


def test_a_row_that_sees_nothing_has_no_weights(vectors):
    allowed = torch.ones(LONG, LONG, dtype=torch.bool)
    allowed[2] = False
    found = explain_vectors(TOKENS, vectors, mask=Dense(allowed))
    assert found["weights"].values[0][2] == [0.0] * LONG
    assert found["attended"].values[0][2] == [0.0] * DIM


def test_one_token_looks_at_itself():
    found = explain_vectors(["alone"], torch.ones(1, 3))
    assert found["weights"].values == [[[1.0]]]


def test_principal_directions_keep_the_most_length_and_are_orthonormal(vectors):
    onto = principal(vectors, 2)
    assert torch.allclose(onto.mT @ onto, torch.eye(2, dtype=torch.float64), atol=1e-12)
    kept = (vectors @ onto).square().sum()
    singular = torch.linalg.svdvals(vectors)
    assert torch.allclose(kept, singular[:2].square().sum())
    assert (onto.gather(0, onto.abs().argmax(0)[None]) > 0).all()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"tokens": [], "vectors": torch.zeros(0, 6)}, "the sentence has no word; give one"),
        ({"vectors": torch.zeros(4, 6)}, r"a row for each of 5 tokens, \(5, d_model\); got shape"),
        ({"tokens": ["a"] * 65, "vectors": torch.zeros(65, 6)}, "at most 64 tokens; got 65"),
        ({"heads": 4}, "6 dimensions cannot be shared by 4 heads; give head_dim"),
        ({"heads": 0}, "heads and head_dim must be at least 1; got heads=0"),
        ({"head_dim": 4}, r"heads · head_dim must be 6, its dimensions; got 1 · 4"),
        ({"temperature": 0}, "temperature must be at least 1e-100 and finite; got 0"),
        ({"temperature": 1e-320}, "temperature must be at least 1e-100 and finite; got 9.99"),
        ({"temperature": float("nan")}, "temperature must be at least .*; got nan"),
        ({"mask": "casual"}, "mask must be one of none, causal, window.*Did you mean 'causal'"),
        ({"score": "dots"}, "score must be one of .*Did you mean 'dot'"),
        ({"query": torch.zeros(6, 6)}, "key needs a matrix like the others"),
        (
            {name: torch.zeros(5, 6) for name in ("query", "key", "value")},
            r"the matrix of query must be \(d_model, heads · head_dim\) = \(6, 6\); got \(5, 6\)",
        ),
        (
            {name: torch.zeros(6, 6) for name in ("query", "key", "value")}
            | {"output": torch.zeros(3, 6)},
            r"the matrix of output must be \(heads · head_dim, d_model\) = \(6, 6\); got \(3, 6\)",
        ),
        ({"positions": True, "tokens": ["a"], "vectors": torch.zeros(1, 3)}, "even number"),
    ],
)
def test_what_does_not_fit_is_refused(vectors, changes, sentence):
    given = {"tokens": TOKENS, "vectors": vectors, **changes}
    with pytest.raises(RegardError, match=sentence):
        explain_vectors(**given)
