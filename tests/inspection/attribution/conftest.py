"""Small models with weights large enough to matter, and traces of them."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

import regard
from regard.inspection import Trace
from regard.models import Decoder, DecoderConfig, EncoderDecoder, EncoderDecoderConfig

SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1]])
TARGET = torch.tensor([[4, 22, 13, 6, 1]])
IDS = torch.tensor([[5, 9, 2, 30, 7, 11]])


def lively(model: nn.Module) -> nn.Module:
    for parameter in model.parameters():
        if parameter.requires_grad:
            nn.init.normal_(parameter, std=0.4)
    return model.eval()


@pytest.fixture
def pair() -> Callable[..., EncoderDecoder]:
    def make(**changes: object) -> EncoderDecoder:
        torch.manual_seed(3)
        sizes = dict(
            d_model=12, d_ff=20, encoder_layers=2, decoder_layers=3, encoder_heads=3,
            decoder_heads=2, max_positions=11, target_vocab_size=29, logits_bias=True,
        )  # fmt: skip
        return lively(EncoderDecoder(EncoderDecoderConfig(31, **(sizes | changes))))

    return make


@pytest.fixture
def decoder() -> Callable[..., Decoder]:
    def make(**changes: object) -> Decoder:
        torch.manual_seed(4)
        sizes = dict(d_model=12, d_ff=20, num_layers=2, num_heads=6)
        return lively(Decoder(DecoderConfig(31, **(sizes | changes))))

    return make


@pytest.fixture
def trace_of() -> Callable[[nn.Module], Trace]:
    def make(model: nn.Module) -> Trace:
        if isinstance(model, EncoderDecoder):
            return regard.trace(model, source=SOURCE, target=TARGET)
        return regard.trace(model, ids=IDS)

    return make
