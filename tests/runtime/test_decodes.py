"""Texts that come and go between two steps: each is decoded as if it were alone, bit for bit."""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from fixtures.families import DECODERS, ENCODER_DECODERS
from regard.generation import GenerationConfig, Hypothesis, generate
from regard.generation.search import Asked, NBest, Search, search
from regard.models import Decoder, DecoderConfig, EncoderDecoder, EncoderDecoderConfig
from regard.runtime.decodes import Read, Slot, Slots
from regard.runtime.packed import PackedDecoder, PackedEncoderDecoder
from regard.runtime.packing import pack

VOCAB = 31
STRATEGIES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "beams": dict(num_beams=3, alternatives=3, length_penalty=0.7),
    "sampled": dict(do_sample=True, seed=3, alternatives=2, top_k=9),
    "filtered at some steps": dict(min_new_tokens=3, no_repeat_ngram_size=2),
}


def of_families(first: str, *others: tuple[str, str, str]) -> Any:
    """The first in fp32 by every strategy; others in a precision, by one."""
    cases = [(first, "fp32", strategy) for strategy in STRATEGIES]
    return pytest.mark.parametrize(("family", "precision", "strategy"), [*cases, *others])


def config(**settings: Any) -> GenerationConfig:
    ends: dict[str, Any] = dict(eos_token_id=3, decoder_start_token_id=0, max_new_tokens=31)
    return GenerationConfig(**(ends | settings))


def own(settings: GenerationConfig, number: int) -> GenerationConfig:
    """Of a text: they end at different steps."""
    return settings.updated(max_new_tokens=4 + 2 * number)


def loud(model: nn.Module) -> nn.Module:
    for parameter in model.parameters():
        if parameter.requires_grad:
            nn.init.normal_(parameter, std=0.5)
    return model.eval()


def translator(family: str) -> EncoderDecoder:
    torch.manual_seed(13)
    sizes = dict(d_model=16, d_ff=20, encoder_layers=1, decoder_layers=2, max_positions=64)
    heads = dict(encoder_heads=2, decoder_heads=2)
    settings: Any = ENCODER_DECODERS[family] | sizes | heads
    return loud(EncoderDecoder(EncoderDecoderConfig(VOCAB, **settings)))  # type: ignore[return-value]


def writer(family: str) -> Decoder:
    torch.manual_seed(13)
    settings: Any = DECODERS[family] | dict(num_heads=2, head_dim=16, max_positions=64)
    return loud(Decoder(DecoderConfig(VOCAB, **settings)))  # type: ignore[return-value]


def texts(count: int, longest: int) -> list[np.ndarray]:
    draw = np.random.default_rng(5)
    return [draw.integers(2, VOCAB, draw.integers(1, longest)) for _ in range(count)]


@dataclass
class Text:
    """One of the texts, from its first step to its last."""

    searching: Search
    results: list[NBest]
    slot: Slot | None = None
    asked: Asked | None = None

    @property
    def found(self) -> list[Hypothesis]:
        return [each for result in self.results for each in result.hypotheses]


def begun(prompt: np.ndarray, settings: GenerationConfig, number: int) -> Text:
    samples = settings.alternatives if settings.do_sample else 1
    streams = [(number, sample) for sample in range(samples)]
    results = [NBest(settings) for _ in streams]
    return Text(search(prompt[None], settings, streams, results), results)


def enter(packed: Any, slots: Slots, ids: np.ndarray, settings: Any, number: int) -> Text:
    if isinstance(packed, PackedEncoderDecoder):
        text = begun(np.array([0]), settings, number)
        [text.slot] = slots.add(ids[None], np.ones((1, len(ids)), np.int32))
        text.asked = next(text.searching)
        return text
    text = begun(ids, settings, number)
    asked, state = next(text.searching), packed.start()
    prompt = asked.tokens.reshape(1, -1)
    found = (state.step(prompt),) if asked.best is None else state.likeliest(prompt, asked.best)
    try:
        text.asked = text.searching.send(found)
    except StopIteration:
        return text
    text.slot = slots.enter(state)
    return text


def decoded(packed: Any, all_ids: list[np.ndarray], settings: Any, *, seed: int | None) -> Any:
    """The hypotheses of each text: entering in a random order at random steps or, without a seed,
    each alone."""
    width = max(settings.num_beams, settings.alternatives)
    order, draw = list(range(len(all_ids))), random.Random(seed)
    draw.shuffle(order)
    done: dict[int, list[Hypothesis]] = {}
    running: dict[int, Text] = {}
    slots, most = packed.slots(width), 0
    while order or running:
        coming = 1 if seed is None else draw.choice([0, 1, 4])
        while order and coming and (seed is not None or not running):
            number = order.pop()
            running[number] = enter(packed, slots, all_ids[number], own(settings, number), number)
            coming -= 1
        for number in [number for number, text in running.items() if text.slot is None]:
            done[number] = running.pop(number).found
        if not running:
            continue
        most = max(most, len(running))
        reads = [Read(text.slot, *text.asked) for text in running.values()]  # type: ignore[misc, arg-type]
        for (number, text), found in zip(list(running.items()), slots.step(reads), strict=True):
            try:
                text.asked = text.searching.send(found)
            except StopIteration:
                done[number] = running.pop(number).found
                slots.remove(text.slot)  # type: ignore[arg-type]
    assert len(slots) == 0
    assert most == 1 if seed is None else most >= 3
    return [done[number] for number in range(len(all_ids))]


@of_families(
    "pegasus", ("bart", "int8", "beams"), ("bart", "int4", "beams"), ("t5", "fp32", "greedy")
)
def test_a_translation_is_the_same_alone_and_in_any_company(
    family: str, precision: str, strategy: str
) -> None:
    settings = STRATEGIES[strategy]
    packed, ids = pack(translator(family), precision), texts(11, 40)
    alone = decoded(packed, ids, config(**settings), seed=None)
    assert decoded(packed, ids, config(**settings), seed=1) == alone


@of_families("gpt2", ("llama", "int8", "beams"), ("mistral", "fp32", "greedy"))
def test_a_continuation_is_the_same_alone_and_in_any_company(
    family: str, precision: str, strategy: str
) -> None:
    settings = STRATEGIES[strategy]
    packed, ids = pack(writer(family), precision), texts(11, 40)
    assert isinstance(packed, PackedDecoder)
    alone = decoded(packed, ids, config(**settings), seed=None)
    assert decoded(packed, ids, config(**settings), seed=1) == alone


@pytest.mark.parametrize("family", ["bart", "t5"])
def test_slots_write_what_the_model_itself_writes(family: str) -> None:
    model, ids, settings = translator(family), texts(5, 30), config(num_beams=3)
    packed = pack(model)
    for number, found in enumerate(decoded(packed, ids, settings, seed=1)):
        source = torch.from_numpy(ids[number])[None]
        start = torch.zeros(1, 1, dtype=torch.long)
        [expected] = generate(model.start(source), start, own(settings, number))
        assert found[0].tokens == expected[0].tokens
        assert found[0].score == pytest.approx(expected[0].score, rel=1e-4)


@pytest.mark.parametrize("family", ["gpt2", "mistral"])
def test_slots_continue_as_the_model_itself_does(family: str) -> None:
    model, ids, settings = writer(family), texts(5, 30), config(num_beams=3)
    for number, found in enumerate(decoded(pack(model), ids, settings, seed=1)):
        prompt = torch.from_numpy(ids[number])[None]
        [expected] = generate(model.start(), prompt, own(settings, number))
        assert found[0].tokens == expected[0].tokens


def test_storage_shrinks_when_texts_have_left() -> None:
    packed = pack(translator("pegasus"))
    slots = packed.slots(1)
    source = np.full((24, 40), 7)
    held = slots.add(source, np.ones(source.shape, np.int32))
    assert slots.rows.size >= 24
    for slot in held[:-1]:
        slots.remove(slot)
    assert slots.rows.size == 2
    found = [slots.step([Read(held[-1], None, np.array([0]), None)])[0][0] for _ in range(3)]
    assert slots.rows.lengths[held[-1].index] == 3
    assert not np.array_equal(found[0], found[1])
