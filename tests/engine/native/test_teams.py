"""Threads that share one text's products and heads: no bit depends on how many they are."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
import torch

from fixtures.families import DECODERS
from regard.engine.native import library
from regard.engine.native.decodes import NativeDecoder
from regard.engine.native.library import Threads
from regard.engine.native.loading import open_native
from regard.generation import GenerationConfig, generate
from regard.models import Decoder, DecoderConfig

VOCAB = 20_000  # the logits of one row have several parts
PROMPT = np.random.default_rng(5).integers(2, VOCAB, (1, 300))
GREEDY = GenerationConfig(max_new_tokens=12, eos_token_id=1)
BEAMS = GenerationConfig(max_new_tokens=6, num_beams=3, eos_token_id=1)
FAMILIES = ("gpt2", "llama", "gpt_oss")


def model(family: str) -> Decoder:
    torch.manual_seed(3)
    sizes: Any = dict(d_model=128, d_ff=512, num_heads=8, num_layers=2, max_positions=400)
    if family != "gpt2":
        sizes |= dict(num_key_heads=4, head_dim=16)
    return Decoder(DecoderConfig(VOCAB, **DECODERS[family] | sizes)).eval()


def opened(family: str, precision: str = "fp32") -> NativeDecoder:
    native = open_native(model(family), precision)
    assert isinstance(native, NativeDecoder)
    return native


def computed(native: NativeDecoder) -> list[Any]:
    """Searches; the logits of a prompt and of a token behind it; states of a text and their
    logits."""
    batch = native.start()
    states = native.hidden(PROMPT)
    return [
        native.generate(PROMPT, GREEDY),
        native.generate(PROMPT, BEAMS),
        batch.step(PROMPT).tobytes(),
        batch.step(PROMPT[:, :1]).tobytes(),
        states.tobytes(),
        native.logits(states[0, -3:]).tobytes(),
    ]


@pytest.mark.parametrize("precision", library.PRECISIONS)
@pytest.mark.parametrize("family", FAMILIES)
def test_one_two_and_three_threads_have_the_same_bits(family: str, precision: str) -> None:
    native = opened(family, precision)
    expected = computed(native)
    for native.threads in map(Threads, (2, 3, 3)):
        assert computed(native) == expected


@pytest.mark.parametrize("family", FAMILIES)
def test_a_team_writes_the_tokens_of_torch(family: str) -> None:
    native = opened(family)
    native.threads = Threads(3)
    with torch.no_grad():
        [[expected]] = generate(model(family).start(), torch.from_numpy(PROMPT), GREEDY)
    [[got]] = native.generate(PROMPT, GREEDY)
    assert got.tokens == expected.tokens
    assert got.score == pytest.approx(expected.score, abs=1e-5)


def test_many_callers_have_a_team_each() -> None:
    native = opened("llama", "int8")
    expected = computed(native)
    native.threads = Threads(2)
    with ThreadPoolExecutor(6) as pool:
        assert all(found == expected for found in pool.map(computed, [native] * 12))


def test_calls_at_the_same_time_share_threads() -> None:
    native = open_native(model("gpt2"), threads=5, shared=True)
    assert isinstance(native, NativeDecoder)
    with native.threads.of_call() as first, native.threads.of_call() as second:
        batch = native.start()
        batch.step(PROMPT)
        with native.threads.of_call() as fourth:
            assert (first, second, fourth) == (5, 2, 1)
        del batch
    with native.threads.of_call() as alone:
        assert alone == 5


def test_a_call_that_fails_gives_its_threads_back() -> None:
    threads = Threads(4, shared=True)
    with suppress(ValueError), threads.of_call():
        raise ValueError
    assert threads.take() == 4
