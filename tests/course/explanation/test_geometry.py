"""A head in two dimensions: what is exact, what is kept, and where the chain ends."""

import numpy as np
import pytest
import torch

from regard import RegardError
from regard.course.explanation import explain_vectors, geometry


def explanation(dim=5, heads=1):
    draw = torch.Generator().manual_seed(1)
    return explain_vectors(list("abcd"), torch.randn(4, dim, generator=draw), heads=heads)


def test_a_space_of_two_dimensions_is_its_own_plane():
    found = explanation(dim=2)
    drawn = geometry(found, spotlight=3)
    assert [plane.kept for plane in drawn.planes] == [1, 1, 1]
    assert np.allclose(drawn.planes[0].arrows["embedding"], found["vectors"].array[0])
    assert np.allclose(drawn.planes[1].arrows["key"], found["key"].array[0])


def test_one_dimension_lies_on_the_horizontal():
    drawn = geometry(explanation(dim=2, heads=2), head=1)
    assert all(y == 0 for _, y in drawn.planes[2].arrows["value"])


@pytest.mark.parametrize("heads", [1, 2])
def test_weighted_values_end_at_the_output(heads):
    drawn = geometry(explanation(dim=6, heads=heads), head=heads - 1, spotlight=2)
    assert drawn.token == "c"
    assert drawn.path[0] == (0, 0)
    assert len(drawn.path) == 5
    assert np.allclose(drawn.path[-1], drawn.planes[2].arrows["attended"][0])
    steps = np.diff(np.array(drawn.path), axis=0)
    values = np.array(drawn.planes[2].arrows["value"])
    assert np.allclose(steps, np.array(drawn.weights)[:, None] * values)


def test_the_plane_keeps_what_it_says():
    found = explanation(dim=6)
    plane = geometry(found).planes[0]
    length = (found["vectors"].array ** 2).sum()
    assert 0 < plane.kept < 1
    assert np.isclose((np.array(plane.arrows["embedding"]) ** 2).sum() / length, plane.kept)


def test_a_head_or_token_that_is_not_there_is_refused():
    with pytest.raises(RegardError, match="there are heads 0 to 0; got 1"):
        geometry(explanation(), head=1)
    with pytest.raises(RegardError, match="there are tokens 0 to 3; got 4"):
        geometry(explanation(), spotlight=4)
