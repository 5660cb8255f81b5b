"""A sound model passes; one that treats padding as text, or sees the future, is reported."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from regard.engine.doctor.checks import check_run
from regard.engine.doctor.settings import named
from regard.engine.native.loading import open_native
from regard.engine.native.looking import seen
from regard.models import (
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    RecurrentConfig,
    RecurrentEncoderDecoder,
)
from regard.models import decoder as decoder_module

VOCAB, PAD, TEXT = 31, 0, [5, 9, 2, 30, 7]
SIZES: dict[str, Any] = dict(d_model=12, num_layers=2, num_heads=3, d_ff=22, max_positions=11)
PAIR: dict[str, Any] = dict(
    d_model=12, d_ff=20, encoder_layers=1, decoder_layers=2, encoder_heads=3, decoder_heads=2
)


def encoder(pad: int | None = PAD) -> Encoder:
    return ready(Encoder(EncoderConfig(VOCAB, pad_id=pad, **SIZES)))


def decoder() -> Decoder:
    return ready(Decoder(DecoderConfig(VOCAB, **SIZES)))


def pair(pad: int = PAD) -> EncoderDecoder:
    return ready(EncoderDecoder(EncoderDecoderConfig(VOCAB, 29, pad_id=pad, **PAIR)))


def recurrent(pad: int = PAD) -> RecurrentEncoderDecoder:
    config = RecurrentConfig(VOCAB, d_model=10, hidden_size=14, pad_id=pad)
    return ready(RecurrentEncoderDecoder(config))


def ready(model: Any) -> Any:
    torch.manual_seed(3)
    for parameter in model.parameters():
        if parameter.requires_grad:
            nn.init.normal_(parameter, std=0.5)
    return model.eval()


def shown(model: Any, pad: int | None = PAD) -> list[tuple[str, str]]:
    found = named("running", check_run(model, TEXT, pad), "sound")
    return [(finding.level, finding.message) for finding in found]


def engine(make: Any) -> Any:
    """Make the model as the native engine runs it."""

    def opened(**pad: int | None) -> Any:
        model = make(**pad)
        return seen(open_native(model), model)

    return opened


def classifier() -> Encoder:
    config = EncoderConfig(VOCAB, pad_id=PAD, head="classification", labels=("a", "b"), **SIZES)
    return ready(Encoder(config))


ENGINE = [engine(encoder), engine(decoder), engine(pair), engine(classifier)]


@pytest.mark.parametrize("make", [encoder, decoder, pair, recurrent, *ENGINE])
def test_a_sound_model_passes(make: Any) -> None:
    assert shown(make()) == [("ok", "sound")]


def test_without_a_padding_token_only_a_decoder_is_padded() -> None:
    assert [level for level, _ in shown(encoder(pad=None), pad=None)] == ["ok"]
    assert [level for level, _ in shown(decoder(), pad=None)] == ["ok"]


@pytest.mark.parametrize("make", [encoder, pair, recurrent, engine(encoder), engine(pair)])
def test_a_model_that_hides_another_token_than_the_padding_is_told_of(make: Any) -> None:
    [(level, message)] = shown(make(pad=4))
    assert level == "wrong"
    assert "padded with 0 gives a different result" in message
    assert "set pad_token_id" in message


def test_a_mask_turned_round_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = decoder_module.Padding
    monkeypatch.setattr(decoder_module, "Padding", lambda mask: sound(~mask))
    levels = [level for level, message in shown(decoder()) if "padded with 0" in message]
    assert levels == ["wrong"]


@pytest.mark.parametrize("make", [decoder, pair])
def test_a_decoder_that_sees_the_future_is_told_of(make: Any) -> None:
    def leak(module: object, inputs: object, output: Tensor) -> Tensor:
        return output + output.mean(dim=1, keepdim=True)

    model = make()
    model.decoder.embed.register_forward_hook(leak)
    messages = [message for level, message in shown(model) if level == "wrong"]
    assert any("sees the future" in message for message in messages)


def test_values_that_are_no_numbers_are_told_of() -> None:
    model = decoder()
    for part in ("inner", "outer"):  # whose product is infinite
        nn.init.constant_(getattr(model.decoder.layers[0].feed_forward, part).weight, 3e38)
    assert shown(seen(open_native(model), model)) == shown(model)
    [(level, message)] = shown(model)
    assert level == "wrong"
    assert "NaN or infinity" in message
