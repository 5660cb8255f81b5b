"""The config of the Transformer that writes what is said, and its presets."""

from dataclasses import dataclass
from typing import Any

from regard.models.configs.config import ACTIVATIONS, Shapes, from_preset, one_of
from regard.models.configs.encoder_decoder import EncoderDecoderConfig


@dataclass(frozen=True)
class SpeechConfig(EncoderDecoderConfig):
    """Defaults as Whisper's tiny model.

    >>> SpeechConfig(vocab_size=51_865).frames
    3000
    """

    d_model: int = 384
    encoder_layers: int = 4
    decoder_layers: int = 4
    encoder_heads: int = 6
    decoder_heads: int = 6
    d_ff: int = 1536
    dropout: float = 0.0
    norm: str = one_of("pre", ("pre",))
    activation: str = one_of("gelu", ACTIVATIONS)
    positions: str = one_of("learned", ("learned",))  # of the text; the sound's are sinusoids
    max_positions: int = 448  # longest text, in tokens
    scale_embedding: bool = False
    head: str = one_of("language_model", ("language_model",))
    mel_bins: int = 80  # bands of frequencies
    source_positions: int = 1500  # states of a sound

    key_bias = False

    @property
    def frames(self) -> int:
        """Columns of a spectrogram, of which two make a state."""
        return 2 * self.source_positions

    def shapes(self) -> Shapes:
        d_model = self.d_model
        text = {k: v for k, v in super().shapes().items() if not k.startswith("encoder.embed.")}
        return text | {
            "embed.every.weight": (d_model, self.mel_bins, 3),
            "embed.every.bias": (d_model,),
            "embed.second.weight": (d_model, d_model, 3),
            "embed.second.bias": (d_model,),
            "embed.positions.weight": (self.source_positions, d_model),
        }


# The sizes of Radford et al. 2022, Table 1.
SPEECH_PRESETS: dict[str, dict[str, Any]] = {
    name: dict(d_model=width, d_ff=4 * width, encoder_layers=layers, decoder_layers=layers)
    | dict(encoder_heads=width // 64, decoder_heads=width // 64)
    for name, width, layers in (
        ("tiny", 384, 4),
        ("base", 512, 6),
        ("small", 768, 12),
        ("medium", 1024, 24),
        ("large", 1280, 32),
    )
}


def speech_preset(name: str, vocab_size: int, **changes: object) -> SpeechConfig:
    """Return the named preset with this vocabulary and any other changes.

    >>> speech_preset("base", vocab_size=51_865).d_model
    512
    """
    return from_preset(SpeechConfig, SPEECH_PRESETS, name, vocab_size=vocab_size, **changes)
