"""Whole models, a file for each kind; their configs and presets are in `configs`."""

from regard.configs.decoder import DECODER_PRESETS, DecoderConfig, decoder_preset
from regard.configs.dual_encoder import DualEncoderConfig
from regard.configs.encoder import ENCODER_PRESETS, EncoderConfig, encoder_preset
from regard.configs.encoder_decoder import PRESETS, EncoderDecoderConfig, preset
from regard.configs.recurrent import RECURRENT_PRESETS, RecurrentConfig, recurrent_preset
from regard.configs.speech import SPEECH_PRESETS, SpeechConfig, speech_preset
from regard.configs.vision import VISION_PRESETS, VisionConfig, vision_preset
from regard.models.decoder import Decoder
from regard.models.dual_encoder import DualEncoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.model import AnyEncoderDecoder, Model
from regard.models.recurrent import RecurrentEncoderDecoder
from regard.models.speech import SpeechEncoderDecoder
from regard.models.vision import VisionTransformer

TextReader = Encoder | Decoder | EncoderDecoder  # can read a text for a head

__all__ = [
    "DECODER_PRESETS",
    "ENCODER_PRESETS",
    "PRESETS",
    "RECURRENT_PRESETS",
    "SPEECH_PRESETS",
    "VISION_PRESETS",
    "AnyEncoderDecoder",
    "Decoder",
    "DecoderConfig",
    "DualEncoder",
    "DualEncoderConfig",
    "Encoder",
    "EncoderConfig",
    "EncoderDecoder",
    "EncoderDecoderConfig",
    "Model",
    "RecurrentConfig",
    "RecurrentEncoderDecoder",
    "SpeechConfig",
    "SpeechEncoderDecoder",
    "TextReader",
    "VisionConfig",
    "VisionTransformer",
    "decoder_preset",
    "encoder_preset",
    "preset",
    "recurrent_preset",
    "speech_preset",
    "vision_preset",
]
