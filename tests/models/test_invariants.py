"""What holds for every model, whatever its family: a table of them, and one test for each law."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from regard.attention.kernels import choice
from regard.models import (
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    RecurrentConfig,
    RecurrentEncoderDecoder,
    SpeechConfig,
    SpeechEncoderDecoder,
    VisionConfig,
    VisionTransformer,
)
from regard.models.positions import Llama3Scaling, YarnScaling

VOCAB, PAD = 31, 0
TEXTS = [[5, 9, 2, 30, 7, 11, 1], [8, 3, 14, 1], [22], [4, 4, 19, 28, 6]]  # unequal lengths
TARGETS = torch.tensor([[4, 22, 13, 6, 1], [17, 2, 1, PAD, PAD], [9, 9, 30, 1, PAD], [3] * 5])

ENCODER: dict[str, Any] = dict(
    d_model=15, num_layers=2, num_heads=3, d_ff=22, max_positions=11, dropout=0.0
)
DECODER: dict[str, Any] = dict(d_model=14, num_layers=3, num_heads=7, d_ff=22, max_positions=23)
LLAMA: dict[str, Any] = DECODER | dict(
    num_key_heads=1,  # seven heads of queries to each of keys
    head_dim=6,  # not d_model / num_heads
    norm_kind="rms",
    activation="silu",
    gated=True,
    feed_forward_bias=False,
    attention_bias=False,
    attention_output_bias=False,
    positions="rotary",
    tied_output=False,
)
GEMMA: dict[str, Any] = LLAMA | dict(
    norms="both",
    norm_kind="rms_plus_one",
    activation="gelu_tanh",
    scale_embedding=True,
    window=3,
    unwindowed=(1,),
)
PAIR: dict[str, Any] = dict(
    d_model=12, d_ff=20, encoder_layers=2, decoder_layers=3, encoder_heads=3, decoder_heads=2
)
BART: dict[str, Any] = PAIR | dict(
    activation="gelu",
    positions="learned",
    position_offset=2,
    scale_embedding=False,
    embedding_norm=True,
    logits_bias=True,
)
T5: dict[str, Any] = PAIR | dict(
    norm="pre",
    norm_kind="rms",
    feed_forward_bias=False,
    attention_bias=False,
    head_dim=7,
    score="dot",
    positions="relative",
    relative_buckets=6,
    relative_distance=5,
    scale_embedding=False,
    scale_output=True,
)
FLAN = T5 | dict(gated=True, activation="gelu_new", scale_output=False, tied_output=False)
RECURRENT: dict[str, Any] = dict(d_model=10, hidden_size=14, dropout=0.0)
IMAGE: dict[str, Any] = dict(
    image_size=(6, 10), patch_size=(3, 2), d_model=12, num_layers=2, num_heads=3, d_ff=22
)
SOUND: dict[str, Any] = dict(mel_bins=5, source_positions=7)


@dataclass(frozen=True)
class Family:
    """How a model of it is made, and which laws it is exempt from by construction."""

    model: type[nn.Module]
    settings: dict[str, Any]
    # Positions that count padding too, as transformers' do, give a text that is padded on the left
    # other positions than it has alone.
    left: bool = True
    # The fused kernel computes products of query and key. A score may have a cap, and a recurrent
    # decoder another score, or no attention.
    fused: bool = True

    @property
    def reads_text(self) -> bool:
        return self.model not in (VisionTransformer, SpeechEncoderDecoder)

    @property
    def writes(self) -> bool:
        """Whether it gives a text token by token, so that there is a cache, and a future."""
        return self.model not in (Encoder, VisionTransformer)


FAMILIES = {
    "bert": Family(Encoder, ENCODER, left=False),
    "roberta": Family(Encoder, ENCODER | dict(count_padding=False, position_offset=1)),
    "distilbert": Family(Encoder, ENCODER | dict(token_types=None), left=False),
    "deberta": Family(
        Encoder, ENCODER | dict(positions="distances", distance_buckets=4, longest_distance=7)
    ),
    "modernbert": Family(
        Encoder,
        ENCODER
        | dict(token_types=None, d_model=18, norm_first=True, norm_kind="layer_without_bias")
        | dict(gated=True, positions="rotary", window=2, unwindowed=(0,), window_theta=9.0),
    ),
    "clip": Family(
        Encoder,
        ENCODER
        | dict(token_types=None, norm_first=True, embedding_norm=False, causal=True)
        | dict(activation="quick_gelu"),
        left=False,
    ),
    "gpt2": Family(Decoder, DECODER),
    "llama": Family(Decoder, LLAMA | dict(rotary_scaling=Llama3Scaling(4.0, 1.0, 3.0, 16))),
    "mistral": Family(Decoder, LLAMA | dict(window=3)),
    "qwen2": Family(
        Decoder,
        LLAMA
        | dict(attention_bias=True, window=3, unwindowed=(0,))
        | dict(rotary_scaling=YarnScaling(4.0, 1.1, 2.0, 0.5, original_max_position_embeddings=16)),
    ),
    "qwen3": Family(Decoder, LLAMA | dict(query_key_norm="head")),
    "olmo2": Family(Decoder, LLAMA | dict(query_key_norm="projection", norms="output")),
    "smollm3": Family(Decoder, LLAMA | dict(unrotated=(1,))),
    "phi3": Family(Decoder, LLAMA | dict(rotary_share=0.7)),
    "gemma2": Family(
        Decoder, GEMMA | dict(score_width=9, score_cap=1.5, output_cap=4.0), fused=False
    ),
    "mixtral": Family(Decoder, LLAMA | dict(experts=5)),
    "gpt-oss": Family(Decoder, LLAMA | dict(experts=5, sinks=True, gate_limit=0.5, window=3)),
    "gemma3": Family(Decoder, GEMMA | dict(query_key_norm="head", window_theta=20.0)),
    "paper, marian": Family(EncoderDecoder, PAIR, left=False),
    "pegasus": Family(EncoderDecoder, PAIR | dict(norm="pre"), left=False),
    "m2m100": Family(
        EncoderDecoder,
        PAIR | dict(norm="pre", positions="spread", position_offset=1, count_padding=False),
    ),
    "bart": Family(EncoderDecoder, BART, left=False),
    "mbart": Family(EncoderDecoder, BART | dict(norm="pre", scale_embedding=True), left=False),
    "t5": Family(EncoderDecoder, T5),
    "t5 1.1": Family(EncoderDecoder, FLAN),
    "vit": Family(VisionTransformer, IMAGE),
    "clip, images": Family(
        VisionTransformer, IMAGE | dict(patch_bias=False, embedding_norm=True, head="embedding")
    ),
    "siglip": Family(
        VisionTransformer,
        IMAGE | dict(class_token=False, head="embedding", pooling="attention", projection=5),
    ),
    "whisper": Family(SpeechEncoderDecoder, PAIR | SOUND),
    "no attention": Family(
        RecurrentEncoderDecoder, RECURRENT | dict(attention="none", cell="lstm"), fused=False
    ),
    "no attention, one direction": Family(
        RecurrentEncoderDecoder,
        RECURRENT | dict(attention="none", bidirectional=False, decoder_layers=2),
        fused=False,
    ),
    "bahdanau": Family(RecurrentEncoderDecoder, RECURRENT, fused=False),
    "bahdanau, deep": Family(
        RecurrentEncoderDecoder,
        RECURRENT | dict(cell="lstm", encoder_layers=2, decoder_layers=2),
        fused=False,
    ),
    "luong": Family(RecurrentEncoderDecoder, RECURRENT | dict(attention="luong"), fused=False),
    "luong, dot": Family(
        RecurrentEncoderDecoder,
        RECURRENT | dict(attention="luong", score="dot", input_feeding=True, cell="lstm"),
    ),
}


def families(applies: Callable[[Family], bool] = lambda family: True) -> pytest.MarkDecorator:
    """A test for each family that a law applies to."""
    chosen = {name: family for name, family in FAMILIES.items() if applies(family)}
    return pytest.mark.parametrize("family", chosen.values(), ids=chosen)


def build(family: Family) -> Any:
    """A model in float64 whose weights are so large that nothing hides behind a zero or a one."""
    torch.manual_seed(3)
    sizes = () if family.model is VisionTransformer else (VOCAB,)
    config = {
        Encoder: EncoderConfig,
        Decoder: DecoderConfig,
        EncoderDecoder: EncoderDecoderConfig,
        RecurrentEncoderDecoder: RecurrentConfig,
        SpeechEncoderDecoder: SpeechConfig,
        VisionTransformer: VisionConfig,
    }[family.model](*sizes, **family.settings)
    model = family.model(config).double().eval()
    for parameter in model.parameters():
        if parameter.requires_grad:
            nn.init.normal_(parameter, std=0.5)
    return model


def batch(family: Family, rows: list[int], side: str = "right", more: int = 0) -> tuple[Any, ...]:
    """What the model takes: those texts, padded to the longest and `more`; images; or sounds."""
    if not family.reads_text:
        draw, shape = torch.Generator().manual_seed(7), (5, 14) if family.writes else (3, 6, 10)
        read = torch.randn(len(TEXTS), *shape, generator=draw, dtype=torch.float64)[rows]
        return (read, TARGETS[rows]) if family.writes else (read,)
    length = max(len(TEXTS[row]) for row in rows) + more
    ids = torch.full((len(rows), length), PAD)
    for place, row in enumerate(rows):
        text = torch.tensor(TEXTS[row])
        ids[place, slice(-len(text), None) if side == "left" else slice(len(text))] = text
    if family.model is Decoder:
        return ids, ids != PAD
    return (ids, TARGETS[rows]) if family.writes else (ids,)


def outputs(model: Any, family: Family, given: tuple[Any, ...]) -> list[Tensor]:
    """What the model gives for each text: of its tokens only, not of padding."""
    output = model(*given)
    if family.model in (Encoder, Decoder):
        return [states[ids != PAD] for states, ids in zip(output, given[0], strict=True)]
    return list(output)


ALL = list(range(len(TEXTS)))


@families()
def test_a_batch_gives_each_what_it_gets_alone(family: Family) -> None:
    model = build(family)
    together = outputs(model, family, batch(family, ALL))
    for row, output in zip(ALL, together, strict=True):
        [alone] = outputs(model, family, batch(family, [row]))
        torch.testing.assert_close(output, alone)


@families(lambda family: family.reads_text)
def test_padding_on_the_right_changes_nothing(family: Family) -> None:
    model = build(family)
    for row in ALL:
        [padded] = outputs(model, family, batch(family, [row], "right", more=3))
        [alone] = outputs(model, family, batch(family, [row]))
        torch.testing.assert_close(padded, alone)


@families(lambda family: family.left and family.reads_text)
def test_padding_on_the_left_changes_nothing(family: Family) -> None:
    model = build(family)
    for row in ALL:
        [padded] = outputs(model, family, batch(family, [row], "left", more=3))
        [alone] = outputs(model, family, batch(family, [row]))
        torch.testing.assert_close(padded, alone)


@families(lambda family: not family.left)
def test_positions_that_count_padding_are_why_some_are_exempt(family: Family) -> None:
    model = build(family)
    [padded] = outputs(model, family, batch(family, [0], "left", more=3))
    [alone] = outputs(model, family, batch(family, [0]))
    assert not torch.allclose(padded, alone)


@families(lambda family: family.writes)
@pytest.mark.parametrize("side", ["right", "left"])
def test_step_by_step_with_a_cache_gives_what_is_given_at_once(family: Family, side: str) -> None:
    model = build(family)
    first, second = batch(family, ALL, side)
    if family.model is Decoder:  # the prompt, padded, and then a token at a time
        state, new = model.start(second), TARGETS.clamp(min=2)
        steps = [state.step(first), *(state.step(new[:, t]) for t in range(new.shape[1]))]
        left = batch(family, ALL, "left")
        whole = torch.cat([left[0], new], 1), torch.cat([left[1], torch.ones_like(new).bool()], 1)
        expected = model(*whole)[:, first.shape[1] - 1 :]
    else:
        state, inputs = model.start(first), model.shift_right(second)
        steps = [state.step(inputs[:, t]) for t in range(inputs.shape[1])]
        expected = model(first, second)
    torch.testing.assert_close(torch.stack(steps, dim=1), expected)


@families(lambda family: family.writes)
def test_no_gradient_comes_from_the_future(family: Family) -> None:
    model, place = build(family), 2
    embedded: list[Tensor] = []

    def keep(module: object, inputs: object, output: Tensor) -> Tensor:
        embedded.append(output.detach().requires_grad_())
        return embedded[-1]

    model.decoder.embed.register_forward_hook(keep)
    given = batch(family, [0, 3])
    model(*given)[:, place].square().cumsum(1).sum().backward()
    gradient = embedded[-1].grad
    assert gradient is not None
    assert (gradient[:, place + 1 :] == 0).all()
    assert (gradient[:, : place + 1] != 0).any(dim=2).all()


@families(lambda family: family.fused)
def test_the_fused_kernel_gives_what_the_plain_one_gives(
    family: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, found, used = build(family), {}, []
    for kernel in ("plain", "fused"):
        monkeypatch.setattr(choice, "choose", lambda inputs, name=kernel: used.append(name) or name)
        found[kernel] = outputs(model, family, batch(family, ALL))
    assert set(used) == {"plain", "fused"}
    torch.testing.assert_close(found["fused"], found["plain"])
