"""Whole models: a config, its presets and the model in one file for each family."""

from regard.models.encoder_decoder import PRESETS, EncoderDecoder, EncoderDecoderConfig, preset
from regard.models.recurrent import (
    RECURRENT_PRESETS,
    RecurrentConfig,
    RecurrentEncoderDecoder,
    recurrent_preset,
)

AnyEncoderDecoder = EncoderDecoder | RecurrentEncoderDecoder

__all__ = [
    "PRESETS",
    "RECURRENT_PRESETS",
    "AnyEncoderDecoder",
    "EncoderDecoder",
    "EncoderDecoderConfig",
    "RecurrentConfig",
    "RecurrentEncoderDecoder",
    "preset",
    "recurrent_preset",
]
