"""Whole models: a config, its presets and the model in one file for each family."""

from regard.models.encoder_decoder import PRESETS, EncoderDecoder, EncoderDecoderConfig, preset

__all__ = ["PRESETS", "EncoderDecoder", "EncoderDecoderConfig", "preset"]
