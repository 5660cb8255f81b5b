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
        self.positions = empty_table(max_positions, d_model)
        self.positions.weight.requires_grad_(positions == "learned")
        self.dropout = Dropout(dropout)

    @torch.no_grad()
    def reset_positions(self) -> None:
        """Writes the table's first values: sinusoids, or random numbers where they are learned.

        The sinusoids are in the halves layout, as tensor2tensor and Marian have them.
        """
        table = self.positions.weight
        if table.requires_grad:
            nn.init.normal_(table, std=table.shape[1] ** -0.5)
        else:
            table.copy_(sinusoidal(*table.shape, layout="halves"))

    def forward(self, ids: Tensor, *, start: int = 0) -> Tensor:
        """(batch, length) token ids → (batch, length, d_model); `start` is the first position."""
        end = start + ids.shape[1]
        if end > self.positions.num_embeddings:
            raise RegardError(
                f"the model has {self.positions.num_embeddings} positions; got a sequence of {end}"
                " tokens. Split the text or use a model with more positions."
            )
        embedded = self.tokens(ids) * self.scale + self.positions.weight[start:end]
        return self.dropout(embedded)


def empty_table(rows: int, width: int) -> nn.Embedding:
    """An embedding whose values are yet to be set; `nn.Embedding` would draw them at once."""
    return nn.Embedding.from_pretrained(torch.empty(rows, width), freeze=False)
