"""Whoever listens hears every attention, changes nothing by hearing, and may change the output."""

import torch

from regard.attention import Call, attend, listening
from regard.attention.scores import scaled_dot

QUERY, KEY, VALUE = torch.randn(3, 2, 3, 7, 5, generator=torch.Generator().manual_seed(1)).unbind()


def test_a_listener_hears_the_inputs_and_the_output():
    heard: list[Call] = []
    with listening(lambda call: heard.append(call)):
        output = attend(QUERY, KEY, VALUE)
    assert len(heard) == 1
    assert heard[0].inputs.query is QUERY
    assert heard[0].inputs.score is scaled_dot
    assert heard[0].output is output


def test_hearing_does_not_change_a_bit():
    alone = attend(QUERY, KEY, VALUE)
    with listening(lambda call: None):
        assert torch.equal(attend(QUERY, KEY, VALUE), alone)


def test_what_a_listener_returns_takes_the_place_of_the_output():
    with listening(lambda call: torch.zeros_like(call.output)):
        assert not attend(QUERY, KEY, VALUE).any()
    assert attend(QUERY, KEY, VALUE).any()


def test_the_innermost_listener_is_the_one_that_hears():
    outer, inner = [], []
    with listening(lambda call: outer.append(call)):
        with listening(lambda call: inner.append(call)):
            attend(QUERY, KEY, VALUE)
        assert (len(outer), len(inner)) == (0, 1)
        attend(QUERY, KEY, VALUE)
    attend(QUERY, KEY, VALUE)
    assert (len(outer), len(inner)) == (1, 1)


def test_a_log_sum_exp_that_the_kernel_gave_is_passed_on():
    heard: list[Call] = []
    with listening(lambda call: heard.append(call)):
        attend(QUERY, KEY, VALUE, kernel="blocked")
    expected = heard[0].inputs.lse()
    assert heard[0].lse is not None
    assert torch.allclose(heard[0].lse, expected, atol=1e-6)
