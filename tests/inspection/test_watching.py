"""Watching modules: what goes in and comes out, in the context that watches alone."""

import contextvars
import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from regard.inspection.watching import watching


class Scale(nn.Module):
    def forward(self, states: Tensor, *, by: float = 2.0) -> Tensor:
        if by == 0:
            raise ZeroDivisionError
        return by * states


ONES = torch.ones(2)


def test_arguments_and_output_are_seen():
    scale, seen = Scale(), []

    def before(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        seen.append((module, args[0].tolist(), kwargs))

    def after(module: nn.Module, args: tuple[Any, ...], output: Tensor) -> None:
        seen.append((module, args[0].tolist(), output.tolist()))

    with watching([scale], before=before, after=after):
        scale(ONES, by=3.0)
    scale(ONES)
    assert seen == [(scale, [1, 1], {"by": 3.0}), (scale, [1, 1], [3, 3])]


def test_another_context_is_not_seen_and_one_made_of_this_is():
    scale, seen = Scale(), []
    with watching([scale], after=lambda *call: seen.append(call)), ThreadPoolExecutor(1) as pool:
        pool.submit(scale, ONES).result()
        assert seen == []
        pool.submit(contextvars.copy_context().run, scale, ONES).result()
    assert len(seen) == 1


def test_watches_within_one_another_all_see():
    scale, seen = Scale(), []
    with watching([scale], after=lambda *call: seen.append("outer")):
        with watching([scale], after=lambda *call: seen.append("inner")):
            scale(ONES)
        scale(ONES)
    assert seen == ["outer", "inner", "outer"]


def test_no_hook_is_left_after_an_error():
    scale = Scale()
    with (
        pytest.raises(ZeroDivisionError),
        watching([scale], before=lambda *call: None, after=lambda *call: None),
    ):
        scale(ONES, by=0)
    assert not scale._forward_pre_hooks
    assert not scale._forward_pre_hooks_with_kwargs
    assert not scale._forward_hooks


def test_a_module_that_is_copied_or_pickled_meanwhile_is_not_watched_and_works():
    scale, seen = Scale(), []
    with watching([scale], before=lambda *call: seen.append(call)):
        for copied in (copy.deepcopy(scale), pickle.loads(pickle.dumps(scale))):
            assert copied(ONES).tolist() == [2, 2]
    assert seen == []


def test_another_thread_may_run_between_the_steps_in_which_a_hook_is_set():
    scale, seen = Scale(), []
    with watching([scale], before=lambda *call: seen.append(call)), ThreadPoolExecutor(1) as pool:
        scale._forward_pre_hooks_with_kwargs.clear()  # PyTorch notes this after the hook itself
        assert pool.submit(scale, ONES).result().tolist() == [2, 2]
    assert seen == []
