"""generate gives a packed model's rows what it gives the model's own: the same tokens."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from fixtures.families import DECODERS
from regard.generation import GenerationConfig, Hypothesis, generate
from regard.models import Decoder, DecoderConfig, EncoderDecoder, EncoderDecoderConfig
from regard.runtime.packed import PackedDecoder
from regard.runtime.packing import pack

STRATEGIES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "beams": dict(num_beams=4, alternatives=3, length_penalty=0.7),
    "sampled": dict(do_sample=True, seed=3, alternatives=2, top_k=9),
    "filtered": dict(num_beams=2, no_repeat_ngram_size=2, repetition_penalty=1.2),
    "filtered at some steps": dict(num_beams=2, min_new_tokens=3, forced_eos_token_id=1),
    "long": dict(max_new_tokens=37, min_new_tokens=35),
}
strategy = pytest.mark.parametrize("settings", STRATEGIES.values(), ids=STRATEGIES)


def config(**settings: Any) -> GenerationConfig:
    ends: dict[str, Any] = dict(eos_token_id=1, decoder_start_token_id=0, max_new_tokens=8)
    return GenerationConfig(**(ends | settings))


def tokens(n_best: list[list[Hypothesis]]) -> list[list[tuple[int, ...]]]:
    return [[each.tokens for each in hypotheses] for hypotheses in n_best]


def loud(model: nn.Module) -> nn.Module:
    for parameter in model.parameters():
        if parameter.requires_grad:
            nn.init.normal_(parameter, std=0.5)
    return model.eval()


def translator() -> tuple[EncoderDecoder, torch.Tensor]:
    torch.manual_seed(13)
    sizes = dict(d_model=16, d_ff=20, encoder_layers=1, decoder_layers=2)
    heads = dict(encoder_heads=2, decoder_heads=2)
    model = EncoderDecoder(EncoderDecoderConfig(31, **sizes, **heads))  # type: ignore[arg-type]
    source = torch.randint(2, 31, (9, 7))
    for row in range(1, 9):
        source[row, row:] = 0
    return loud(model), source  # type: ignore[return-value]


@strategy
@pytest.mark.parametrize("threads", [1, 2])
def test_an_encoder_decoder_writes_the_same_tokens(threads: int, settings: dict[str, Any]) -> None:
    model, source = translator()
    start = torch.zeros(9, 1, dtype=torch.long)
    expected = generate(model.start(source), start, config(**settings))
    packed = pack(model, threads=threads)
    got = packed.generate(source.numpy(), start.numpy(), config(**settings))
    assert tokens(got) == tokens(expected)
    one = packed.generate(source[3:4, :3].numpy(), start[:1].numpy(), config(**settings))
    if "seed" not in settings:  # a sample depends on the sentence's number
        assert one == got[3:4]  # the scores, too, bit for bit


@pytest.mark.parametrize(
    ("settings", "threads"),
    [({}, 1), (dict(num_beams=3), 2), (dict(no_repeat_ngram_size=1), 1)],
)
def test_int8_gives_a_sentence_the_same_bits_alone_and_in_any_batch(
    settings: dict[str, Any], threads: int
) -> None:
    model, source = translator()
    packed = pack(model, "int8", threads=threads)
    start = torch.zeros(9, 1, dtype=torch.long).numpy()
    search = config(max_new_tokens=20, eos_token_id=(1, 4, 8, 12), **settings)
    together = packed.generate(source.numpy(), start, search)
    if "no_repeat_ngram_size" in settings:
        assert len({len(each[0].tokens) for each in together}) > 3  # they end at different steps
    for row in range(9):
        alone = source[row : row + 1, : row or 7].numpy()
        assert packed.generate(alone, start[:1], search) == together[row : row + 1]


def writer(family: str) -> Decoder:
    torch.manual_seed(13)
    sizes: dict[str, Any] = dict(num_heads=2, head_dim=16, max_positions=64)
    return loud(Decoder(DecoderConfig(31, **DECODERS[family] | sizes)))  # type: ignore[return-value]


@strategy
@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_a_language_model_continues_with_the_same_tokens(
    family: str, settings: dict[str, Any]
) -> None:
    model = writer(family)
    prompt = torch.randint(2, 31, (4, 5))
    mask = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 0, 0, 0, 0], [0, 1, 1, 1, 0]]).bool()
    expected = generate(
        model.start(mask),
        prompt,
        config(**settings),
        prompt_mask=mask,
    )
    packed = pack(model)
    assert isinstance(packed, PackedDecoder)
    state = packed.start(mask.numpy())
    got = generate(state, prompt.numpy(), config(**settings), prompt_mask=mask.numpy())
    assert tokens(got) == tokens(expected)


def test_rows_keep_their_keys_when_the_storage_grows_and_when_they_move() -> None:
    packed, draw = pack(writer("gpt2")), np.random.default_rng(7)
    assert isinstance(packed, PackedDecoder)
    batch = packed.start()
    batch.step(draw.integers(2, 31, (5, 3)))
    before = [batch.rows.keys_of(row).copy() for row in range(5)]
    for _ in range(29):
        batch.step(draw.integers(2, 31, 5))
    keys = [batch.rows.keys_of(row).copy() for row in range(5)]
    for row in range(5):
        assert keys[row].shape[2] == 32
        assert (keys[row][:, :, :3] == before[row]).all()
    batch.select(np.array([0, 1, 2, 4]))  # one is done, and stays
    batch.step(np.array([3, 5, 7, 11]))
    assert batch.rows.lengths.tolist() == [33, 33, 33, 32, 33]
    batch.select(np.array([3, 0, 0]))
    assert batch.rows.lengths.tolist() == [33, 33, 33]
    for row, old in enumerate([4, 0, 0]):
        assert (batch.rows.keys_of(row)[:, :, :32] == keys[old]).all()


def test_a_row_that_is_full_and_not_read_disturbs_no_other() -> None:
    packed = pack(writer("gpt2"))
    assert isinstance(packed, PackedDecoder)
    prompt = np.random.default_rng(7).integers(2, 31, (2, 64))
    rows = packed.start().rows
    rows.begin(2)
    both = np.arange(2)
    rows.read(both, prompt, ("logits",), new=np.array([64, 5]))
    for place in range(5, 9):
        [logits] = rows.read(both[1:], prompt[1:, place], ("logits",))
    assert rows.lengths.tolist() == [64, 9]
    again = packed.start()
    again.step(np.repeat(prompt[1:, :8], 2, axis=0))
    expected = again.step(np.repeat(prompt[1:, 8], 2))[:1]
    np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-5)
