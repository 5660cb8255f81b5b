"""A model says what it is: what it reads and writes, its axes, and what its logits mean."""

from typing import Any

import pytest
import torch

from regard.models import (
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    Model,
    RecurrentConfig,
    RecurrentEncoderDecoder,
    VisionConfig,
    VisionTransformer,
)

SIZES: dict[str, Any] = dict(vocab_size=31, d_model=8, num_layers=1, num_heads=2, d_ff=12)
PAIR: dict[str, Any] = dict(
    vocab_size=31, d_model=8, d_ff=12, encoder_layers=1, decoder_layers=1,
    encoder_heads=2, decoder_heads=2,
)  # fmt: skip
LABELS = dict(head="classification", labels=("a", "b", "c"))
IDS = torch.tensor([[5, 9, 2, 1]])


def encoder(**changes: Any) -> Encoder:
    return Encoder(EncoderConfig(**SIZES | changes)).eval()


def decoder(**changes: Any) -> Decoder:
    return Decoder(DecoderConfig(**SIZES | changes)).eval()


def pair(**changes: Any) -> EncoderDecoder:
    return EncoderDecoder(EncoderDecoderConfig(**PAIR | changes)).eval()


def recurrent() -> RecurrentEncoderDecoder:
    return RecurrentEncoderDecoder(RecurrentConfig(31, d_model=8, hidden_size=10)).eval()


def vision() -> VisionTransformer:
    config = VisionConfig((14, 21), (7, 7), d_model=8, num_layers=1, num_heads=2, d_ff=12)
    return VisionTransformer(config).eval()


@pytest.mark.parametrize(
    ("model", "architecture", "task", "axes", "rewrites"),
    [
        (encoder(), "Encoder", "encoding", ("tokens",), False),
        (decoder(), "Decoder", "generation", ("tokens",), True),
        (decoder(**LABELS), "Decoder", "encoding", ("tokens",), False),
        (pair(), "EncoderDecoder", "translation", ("source", "target"), True),
        (pair(**LABELS), "EncoderDecoder", "encoding", ("source", "target"), False),
        (recurrent(), "RecurrentEncoderDecoder", "translation", ("source", "target"), False),
        (vision(), "VisionTransformer", "vision", ("patches",), False),
    ],
)
def test_a_model_says_what_it_is(
    model: Model, architecture: str, task: str, axes: tuple[str, ...], rewrites: bool
) -> None:
    assert (model.architecture, model.task, model.axes) == (architecture, task, axes)
    assert model.rewrites is rewrites


def test_a_users_subclass_is_of_our_architecture() -> None:
    class Mine(Encoder):
        pass

    assert Mine(EncoderConfig(**SIZES)).architecture == "Encoder"


def test_the_axes_of_an_attention_follow_from_its_path() -> None:
    assert EncoderDecoder.attends("encoder.layers.0.self_attention") == ("source", "source")
    assert EncoderDecoder.attends("decoder.layers.0.self_attention") == ("target", "target")
    assert EncoderDecoder.attends("decoder.layers.0.cross_attention") == ("target", "source")
    assert VisionTransformer.attends("encoder.layers.0.self_attention") == ("patches", "patches")


@pytest.mark.parametrize(
    ("model", "shape"),
    [
        (encoder(head="masked_lm"), (1, 4, 31)),
        (encoder(**LABELS), (1, 1, 3)),
        (encoder(**LABELS | dict(head="token_classification")), (1, 4, 3)),
        (encoder(head="question_answering"), (1, 2, 4)),
        (encoder(), None),
        (encoder(head="pooler"), None),
        (decoder(**LABELS), (1, 1, 3)),
        (pair(head="question_answering"), (1, 2, 4)),
    ],
)
def test_logits_have_steps_and_entries(model: Model, shape: tuple[int, ...] | None) -> None:
    logits = model.logits_of(model(**model.reading(IDS, torch.ones_like(IDS, dtype=torch.bool))))
    assert (None if logits is None else tuple(logits.shape)) == shape


def test_a_decoder_predicts_the_next_tokens_and_the_likeliest_after_the_last() -> None:
    model = decoder()
    logits = model(IDS)
    predicted = model.predicted({"ids": IDS}, logits)
    assert predicted is not None
    assert predicted.tolist() == [[9, 2, 1, int(logits[0, -1].argmax())]]
    assert decoder(**LABELS).predicted({"ids": IDS}, logits) is None


def test_an_encoder_decoder_predicts_its_target_and_reads_it_shifted() -> None:
    inputs = {"source": IDS, "target": IDS + 1}
    for model in (pair(), recurrent()):
        assert model.predicted(inputs, torch.empty(0)) is inputs["target"]
        ids = model.ids(inputs)
        assert ids["target"].tolist() == [[model.config.start_id, 6, 10, 3]]
        assert ids["source"] is IDS


def test_what_is_not_padding_follows_from_the_id() -> None:
    ids = torch.tensor([[5, 0, 7]])
    assert encoder().not_padding(ids).tolist() == [[True, False, True]]
    assert encoder(pad_id=None).not_padding(ids).tolist() == [[True, True, True]]
