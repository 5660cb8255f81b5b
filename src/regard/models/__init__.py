"""Whole models: a config, its presets and the model in one file for each family."""

from regard.models.decoder import DECODER_PRESETS, Decoder, DecoderConfig, decoder_preset
from regard.models.encoder import ENCODER_PRESETS, Encoder, EncoderConfig, encoder_preset
from regard.models.encoder_decoder import PRESETS, EncoderDecoder, EncoderDecoderConfig, preset
from regard.models.model import AnyEncoderDecoder, Model
from regard.models.recurrent import (
    RECURRENT_PRESETS,
    RecurrentConfig,
    RecurrentEncoderDecoder,
    recurrent_preset,
)
from regard.models.vision import VISION_PRESETS, VisionConfig, VisionTransformer, vision_preset

TextReader = Encoder | Decoder | EncoderDecoder  # can read a text for a head

__all__ = [
    "DECODER_PRESETS",
    "ENCODER_PRESETS",
    "PRESETS",
    "RECURRENT_PRESETS",
    "VISION_PRESETS",
    "AnyEncoderDecoder",
    "Decoder",
    "DecoderConfig",
    "Encoder",
    "EncoderConfig",
    "EncoderDecoder",
    "EncoderDecoderConfig",
    "Model",
    "RecurrentConfig",
    "RecurrentEncoderDecoder",
    "TextReader",
    "VisionConfig",
    "VisionTransformer",
    "decoder_preset",
    "encoder_preset",
    "preset",
    "recurrent_preset",
    "vision_preset",
]
