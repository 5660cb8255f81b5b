"""Several threads on one model: each sees its own run, to the bit, whatever the others do."""

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch

import regard
from regard.course.explanation import explain_tap, running
from regard.inspection import cross_attention
from regard.inspection.recording import Memory, capturing
from regard.inspection.views.ablation import ablate
from regard.models import EncoderDecoder, EncoderDecoderConfig

THREADS = 6
SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1]])
TARGET = torch.tensor([[4, 22, 13, 6, 1]])
OTHER = torch.tensor([[8, 3, 3, 14, 21, 9, 1]])  # what threads read that look at nothing
CROSS = "decoder.layers.1.cross"


@pytest.fixture(scope="module")
def model() -> EncoderDecoder:
    torch.manual_seed(3)
    config = EncoderDecoderConfig(
        31, d_model=12, d_ff=20, encoder_layers=2, decoder_layers=3, encoder_heads=3,
        decoder_heads=2, max_positions=11, norm="post",
    )  # fmt: skip
    return EncoderDecoder(config).eval()


@torch.no_grad()
def run(model: EncoderDecoder) -> Any:
    return model(OTHER, TARGET).tolist()


def trace(model: EncoderDecoder) -> Any:
    traced = regard.trace(model, source=SOURCE, target=TARGET)
    taps = [(name, *(t.tolist() for t in (p.query, p.key, p.value))) for name, p in traced.items()]
    return taps, traced.output.tolist()


def align(model: EncoderDecoder) -> Any:
    return cross_attention(model, SOURCE, TARGET).tolist()


def switch_off(model: EncoderDecoder) -> Any:
    return ablate(regard.trace(model, source=SOURCE, target=TARGET), "head", CROSS, head=1)


def explain(model: EncoderDecoder) -> Any:
    again = running(model, source=SOURCE, target=TARGET)
    found = explain_tap(model, again, CROSS, list("abcde"), key_tokens=list("tuvwxyz"))
    return [(step.name, step.array.tolist()) for step in found.steps]


LOOKS = [run, trace, align, switch_off, explain]


def test_each_thread_sees_what_it_would_see_alone(model: EncoderDecoder):
    alone = [look(model) for look in LOOKS]

    def see(thread: int) -> list[Any]:
        """All of them, several times over, in an order of the thread's own."""
        turns = [(turn + thread) % len(LOOKS) for turn in range(3 * len(LOOKS))]
        return [(turn, LOOKS[turn](model)) for turn in turns]

    with ThreadPoolExecutor(THREADS) as pool:
        for seen in pool.map(see, range(THREADS)):
            for turn, result in seen:
                assert result == alone[turn], LOOKS[turn].__name__
    assert not any(each._forward_pre_hooks or each._forward_hooks for each in model.modules())


def test_a_model_can_be_copied_and_pickled_while_others_trace_it(model: EncoderDecoder):
    alone = run(model), trace(model)

    def copies(_: int) -> Any:
        return run(pickle.loads(pickle.dumps(copy.deepcopy(model)))), trace(model)

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(each == alone for each in pool.map(copies, range(4 * THREADS)))


def in_another_thread(function: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def test_a_run_in_another_thread_is_not_heard(model: EncoderDecoder):
    captured: list[str] = []
    with capturing(model, lambda name, call: captured.append(name)):
        in_another_thread(lambda: run(model))
        assert captured == []
        run(model)
    assert len(captured) == 8


def test_nothing_is_written_to_the_model_while_somebody_listens(model: EncoderDecoder):
    before = [dict(vars(module)) for module in model.modules()]
    with capturing(model, lambda name, call: None):
        assert [dict(vars(module)) for module in model.modules()] == before


def test_the_last_spare_memory_may_go_to_another_thread(monkeypatch: pytest.MonkeyPatch):
    class Emptied(list[Any]):
        """There was one a moment ago."""

        def __bool__(self) -> bool:
            return True

    monkeypatch.setattr(Memory, "_spare", Emptied())
    assert Memory().copy(torch.ones(3)).tolist() == [1, 1, 1]
