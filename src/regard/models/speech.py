"""The Transformer that writes what is said: an encoder of a sound, a decoder of its text.

Radford et al. 2022, Robust Speech Recognition via Large-Scale Weak Supervision: Whisper.
"""

import torch
from torch import Tensor

from regard.models.configs.facts import SpeechFacts
from regard.models.configs.speech import SpeechConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.layers import SoundEmbedding


class SpeechEncoderDecoder(SpeechFacts, EncoderDecoder):
    """Spectrogram and target ids → logits, (batch, target length, vocab).

    >>> from regard.models import speech_preset
    >>> config = speech_preset("tiny", vocab_size=100, mel_bins=8, source_positions=6)
    >>> model = SpeechEncoderDecoder(config).eval()
    >>> model(torch.zeros(1, 8, 12), torch.tensor([[8, 9, 1]])).shape
    torch.Size([1, 3, 100])
    """

    config: SpeechConfig

    def __init__(self, config: SpeechConfig):
        super().__init__(config)
        self.encoder.embed = None
        self.embed = SoundEmbedding(
            config.mel_bins, config.source_positions, config.d_model, dropout=config.dropout
        )

    def encode(self, source: Tensor) -> tuple[Tensor, None]:
        """Spectrograms, (batch, mel_bins, frames) → the memory, (batch, positions, d_model), none
        of which is padding."""
        return self.encoder(self.embed(source)), None

    def not_padding(self, ids: Tensor) -> Tensor:
        """Return True for each state of a spectrogram, (batch, positions)."""
        shape = len(ids), self.config.source_positions
        return torch.ones(shape, dtype=torch.bool, device=ids.device)
