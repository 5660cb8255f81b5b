"""Sounds as sequences: two convolutions over a spectrogram, the second of which halves its length
(Radford et al. 2022, Robust Speech Recognition, section 2.2)."""

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from regard.errors import BadArgumentError
from regard.models.configs.tables import sinusoids
from regard.models.layers.dropout import Dropout
from regard.models.layers.embeddings import empty_table


class SoundEmbedding(nn.Module):
    """dropout(gelu(convolve(gelu(convolve(spectrogram)))) + position), with sinusoids as positions.

    >>> SoundEmbedding(mel_bins=80, length=1500, d_model=64)(torch.zeros(2, 80, 3000)).shape
    torch.Size([2, 1500, 64])

    Args:
        mel_bins: bands of frequencies.
        length: states of a sound, each of two columns of the spectrogram.
        d_model: width of a state.
        dropout: probability of zeroing an element of the sum.
    """

    def __init__(self, mel_bins: int, length: int, d_model: int, *, dropout: float = 0.0):
        super().__init__()
        self.every = nn.Conv1d(mel_bins, d_model, 3, padding=1)
        self.second = nn.Conv1d(d_model, d_model, 3, padding=1, stride=2)
        self.positions = empty_table(length, d_model).requires_grad_(False)
        self.dropout = Dropout(dropout)
        if not self.positions.weight.is_meta:
            self.positions.weight.copy_(sinusoids(torch, length, d_model, spread=True))

    def forward(self, spectrogram: Tensor) -> Tensor:
        """(batch, mel_bins, 2 · length) → (batch, length, d_model)."""
        expected = (self.every.in_channels, 2 * self.positions.num_embeddings)
        if tuple(spectrogram.shape[1:]) != expected:
            raise BadArgumentError(
                f"a spectrogram must be (batch, mel_bins, frames) with {expected} after batch; got"
                f" {tuple(spectrogram.shape)}. Pad or cut the sound."
            )
        states = gelu(self.second(gelu(self.every(spectrogram))))
        return self.dropout(states.mT + self.positions.weight)
