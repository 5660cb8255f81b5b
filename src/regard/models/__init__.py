"""Whole models, a file for each kind; their configs and presets, layers and positions.

Names are imported when they are first used: `configs` needs no torch.
"""

from typing import TYPE_CHECKING

from regard.lazy import attach, modules

if TYPE_CHECKING:
    from regard.models import layers
    from regard.models.configs.decoder import DECODER_PRESETS, DecoderConfig, decoder_preset
    from regard.models.configs.dual_encoder import DualEncoderConfig
    from regard.models.configs.encoder import ENCODER_PRESETS, EncoderConfig, encoder_preset
    from regard.models.configs.encoder_decoder import PRESETS, EncoderDecoderConfig, preset
    from regard.models.configs.recurrent import RECURRENT_PRESETS, RecurrentConfig, recurrent_preset
    from regard.models.configs.speech import SPEECH_PRESETS, SpeechConfig, speech_preset
    from regard.models.configs.vision import VISION_PRESETS, VisionConfig, vision_preset
    from regard.models.decoder import Decoder
    from regard.models.dual_encoder import DualEncoder
    from regard.models.encoder import Encoder
    from regard.models.encoder_decoder import EncoderDecoder
    from regard.models.model import AnyEncoderDecoder, Model
    from regard.models.recurrent import RecurrentEncoderDecoder
    from regard.models.speech import SpeechEncoderDecoder
    from regard.models.text_reader import TextReader
    from regard.models.vision import VisionTransformer
else:
    (layers,) = modules(__name__, "layers")

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

_HOME = {
    "configs.decoder": ("DECODER_PRESETS", "DecoderConfig", "decoder_preset"),
    "configs.dual_encoder": ("DualEncoderConfig",),
    "configs.encoder": ("ENCODER_PRESETS", "EncoderConfig", "encoder_preset"),
    "configs.encoder_decoder": ("PRESETS", "EncoderDecoderConfig", "preset"),
    "configs.recurrent": ("RECURRENT_PRESETS", "RecurrentConfig", "recurrent_preset"),
    "configs.speech": ("SPEECH_PRESETS", "SpeechConfig", "speech_preset"),
    "configs.vision": ("VISION_PRESETS", "VisionConfig", "vision_preset"),
    "decoder": ("Decoder",),
    "dual_encoder": ("DualEncoder",),
    "encoder": ("Encoder",),
    "encoder_decoder": ("EncoderDecoder",),
    "model": ("AnyEncoderDecoder", "Model"),
    "recurrent": ("RecurrentEncoderDecoder",),
    "speech": ("SpeechEncoderDecoder",),
    "vision": ("VisionTransformer",),
    "text_reader": ("TextReader",),
}
__getattr__, __dir__ = attach(globals(), _HOME)
