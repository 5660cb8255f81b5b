"""generate gives a packed model's rows what it gives the model's own: the same tokens."""

from typing import Any

import pytest
import torch
from torch import nn

from fixtures.families import DECODERS
from regard.generation import GenerationConfig, Hypothesis, generate
from regard.models import Decoder, DecoderConfig, EncoderDecoder, EncoderDecoderConfig
from regard.runtime.packed import PackedDecoder
from regard.runtime.packing import pack, pack_writer

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
    packed = pack_writer(model, threads=threads)
    got = generate(packed.start(source.numpy()), start.numpy(), config(**settings))
    assert tokens(got) == tokens(expected)
    one = generate(packed.start(source[3:4, :3].numpy()), start[:1].numpy(), config(**settings))
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
    packed = pack_writer(model, "int8", threads=threads)
    start = torch.zeros(9, 1, dtype=torch.long).numpy()
    search = config(max_new_tokens=20, eos_token_id=(1, 4, 8, 12), **settings)
    together = generate(packed.start(source.numpy()), start, search)
    if "no_repeat_ngram_size" in settings:
        assert len({len(each[0].tokens) for each in together}) > 3  # they end at different steps
    for row in range(9):
        alone = source[row : row + 1, : row or 7].numpy()
        assert generate(packed.start(alone), start[:1], search) == together[row : row + 1]


@strategy
@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_a_language_model_continues_with_the_same_tokens(
    family: str, settings: dict[str, Any]
) -> None:
    torch.manual_seed(13)
    model = loud(
        Decoder(
            DecoderConfig(31, **DECODERS[family] | dict(num_heads=2, head_dim=16, max_positions=64))
        )
    )
    prompt = torch.randint(2, 31, (4, 5))
    mask = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 0, 0, 0, 0], [0, 1, 1, 1, 0]]).bool()
    expected = generate(
        model.start(mask),
        prompt,
        config(**settings),
        prompt_mask=mask,  # type: ignore[operator]
    )
    packed = pack(model)
    assert isinstance(packed, PackedDecoder)
    state = packed.start(mask.numpy())
    got = generate(state, prompt.numpy(), config(**settings), prompt_mask=mask.numpy())
    assert tokens(got) == tokens(expected)
