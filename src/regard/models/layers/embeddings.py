"""Token embeddings with positions added (Attention Is All You Need, sections 3.4 and 3.5)."""

import math

import torch
from torch import Tensor, nn

from regard.errors import BadArgumentError, check_length, unknown
from regard.models.configs.tables import sinusoids
from regard.models.layers.dropout import Dropout

POSITIONS = ("sinusoidal", "spread", "learned", "none")


class Embedding(nn.Module):
    """dropout(norm(√d_model · table[ids] + token type + position)).

    Everything but table[ids] is optional.

    >>> embed = Embedding(torch.nn.Embedding(100, 64), max_positions=512)
    >>> embed(torch.tensor([[7, 3, 7]])).shape
    torch.Size([1, 3, 64])

    Args:
        tokens: the token table, (vocab, d_model); may be shared with other modules.
        max_positions: the longest sequence, in tokens; needed unless positions is "none".
        positions: "sinusoidal", "spread" for those of fairseq, "learned", or "none" if attention
            knows the order by itself.
        scale: whether the table's rows are multiplied by √d_model.
        offset: the table of positions has this many rows before position 0 (BART's has 2).
        token_types: rows of the table of token types (BERT has 2); None for no table.
        norm: a normalization of the sum, before dropout.
        dropout: probability of zeroing an element of the sum.
        projection: from the width of the tables to another one, last of all.
    """

    def __init__(
        self,
        tokens: nn.Embedding,
        *,
        max_positions: int | None = None,
        positions: str = "sinusoidal",
        scale: bool = True,
        offset: int = 0,
        token_types: int | None = None,
        norm: nn.Module | None = None,
        dropout: float = 0.0,
        projection: nn.Linear | None = None,
    ):
        super().__init__()
        if positions not in POSITIONS:
            raise unknown("positions", positions, POSITIONS)
        d_model = tokens.embedding_dim
        self.tokens = tokens
        self.scale = math.sqrt(d_model) if scale else None
        self.offset = offset
        self.positions: nn.Embedding | None = None
        if positions != "none":
            assert max_positions is not None, "a table of positions needs its length"
            self.positions = empty_table(max_positions + offset, d_model)
            self.positions.weight.requires_grad_(positions == "learned")
        self.spread = positions == "spread"
        self.token_types = None if token_types is None else empty_table(token_types, d_model)
        self.norm = norm
        self.dropout = Dropout(dropout)
        self.projection = projection

    @torch.no_grad()
    def reset_positions(self) -> None:
        """Initialize positions and token types: random if learned, else sinusoids.

        The sinusoids are in the halves layout, as tensor2tensor and Marian have them.
        """
        for table in (self.positions, self.token_types):
            if table is None:
                continue
            if table.weight.requires_grad:
                nn.init.normal_(table.weight, std=table.embedding_dim**-0.5)
            else:
                table.weight.copy_(sinusoids(torch, *table.weight.shape, spread=self.spread))
                if self.spread:  # padding's row
                    table.weight[self.offset - 1] = 0

    def forward(
        self,
        ids: Tensor,
        *,
        start: int = 0,
        positions: Tensor | None = None,
        token_type_ids: Tensor | None = None,
    ) -> Tensor:
        """(batch, length) token ids → (batch, length, d_model).

        Args:
            start: position of the first token; the others follow.
            positions: (batch or 1, length), instead of start.
            token_type_ids: (batch, length); 0 by default.
        """
        embedded = self.tokens(ids)
        if self.scale is not None:
            embedded = embedded * self.scale
        if self.token_types is not None:
            if token_type_ids is None:
                embedded = embedded + self.token_types.weight[0]
            else:
                embedded = embedded + self.token_types(token_type_ids)
        if self.positions is not None:
            embedded = embedded + self._rows(self.positions, ids.shape[1], start, positions)
        if self.norm is not None:
            embedded = self.norm(embedded)
        embedded = self.dropout(embedded)
        return embedded if self.projection is None else self.projection(embedded)

    def _rows(
        self, table: nn.Embedding, length: int, start: int, positions: Tensor | None
    ) -> Tensor:
        available = table.num_embeddings - self.offset
        end = start + length if positions is None else 0
        if positions is not None and positions.device.type == "cpu" and positions.numel():
            end = int(positions.max()) + 1  # on a GPU, this would wait for it
        check_length(end, available)
        if positions is None:
            return table.weight[start + self.offset : end + self.offset]
        return table(positions + self.offset)


def empty_table(rows: int, width: int) -> nn.Embedding:
    """Return an embedding table, (rows, width), of uninitialized memory; nn.Embedding draws at
    once."""
    return nn.Embedding.from_pretrained(torch.empty(rows, width), freeze=False)


def check_ids(ids: Tensor, vocab_size: int) -> None:
    """Raise BadArgumentError unless 0 ≤ ids < vocab_size, for ids (…).

    Ids on a GPU are not checked: reading them would wait for it.
    """
    if ids.device.type == "cpu" and ids.numel():
        low, high = (int(bound) for bound in ids.aminmax())
        if low < 0 or high >= vocab_size:
            raise BadArgumentError(
                f"token ids must be from 0 to {vocab_size - 1}; got {high if low >= 0 else low}."
                " Does the tokenizer belong to this model?"
            )
