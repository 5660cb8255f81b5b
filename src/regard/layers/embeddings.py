"""Token embeddings with positions added (Attention Is All You Need, sections 3.4 and 3.5)."""

import math

import torch
from torch import Tensor, nn

from regard.errors import RegardError
from regard.layers.dropout import Dropout
from regard.positions import sinusoidal


class Embedding(nn.Module):
    """dropout(√d_model · table[ids] + position).

    Args:
        tokens: the token table, (vocab, d_model); may be shared with other modules.
        max_positions: the longest sequence, in tokens.
        positions: "sinusoidal" or "learned".
        dropout: probability of zeroing an element of the sum.
    """

    def __init__(
        self,
        tokens: nn.Embedding,
        *,
        max_positions: int,
        positions: str = "sinusoidal",
        dropout: float = 0.0,
    ):
        super().__init__()
        d_model = tokens.embedding_dim
        self.tokens = tokens
        self.scale = math.sqrt(d_model)
        self.positions = nn.Embedding(max_positions, d_model)
        if positions == "sinusoidal":
            self.positions.weight.requires_grad_(False)
            self.reset_positions()
        self.dropout = Dropout(dropout)

    @torch.no_grad()
    def reset_positions(self) -> None:
        """Writes the sinusoids into the table; halves layout, as tensor2tensor and Marian have it."""
        length, d_model = self.positions.weight.shape
        self.positions.weight.copy_(sinusoidal(length, d_model, layout="halves"))

    def forward(self, ids: Tensor, *, start: int = 0) -> Tensor:
        """(batch, length) token ids → (batch, length, d_model); `start` is the first position."""
        end = start + ids.shape[1]
        if end > self.positions.num_embeddings:
            raise RegardError(
                f"the model has {self.positions.num_embeddings} positions; got a sequence of {end}"
                " tokens. Split the text or use a model with more positions."
            )
        embedded = self.tokens(ids) * self.scale + self.positions.weight[start:end]
        return self.dropout(embedded)  # type: ignore[no-any-return]
