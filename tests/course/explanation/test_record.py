"""The data of an explanation: looked up by name, and JSON through and through."""

import json
from dataclasses import asdict

import numpy as np
import pytest
import torch

from regard import RegardError
from regard.course.explanation import explain_vectors


@pytest.fixture(scope="module")
def explanation():
    return explain_vectors(list("abc"), torch.randn(3, 4), heads=2, mask="causal")


def test_a_step_and_a_parameter_are_found_by_name(explanation):
    assert explanation["scores"].shape == [2, 3, 3]
    assert explanation["allowed"].shape == [2, 3, 3]
    assert "weights" in explanation
    assert "projected" not in explanation


def test_an_unknown_step_is_named_with_the_nearest(explanation):
    with pytest.raises(RegardError, match=r"step must be one of .*; got 'score'\. Did you mean"):
        explanation["score"]


def test_what_is_hidden_is_none_in_json_and_minus_infinity_in_arrays(explanation):
    masked = explanation["masked"]
    assert masked.values[0][0][1:] == [None, None]
    assert np.array_equal(np.isneginf(masked.array[1]), ~np.tri(3, dtype=bool))
    assert json.loads(json.dumps(asdict(explanation), allow_nan=False)) == asdict(explanation)


def test_axes_of_tokens_have_names(explanation):
    assert explanation.labels("queries") == explanation.labels("keys") == ["a", "b", "c"]
    assert explanation.labels("d_model") is None
