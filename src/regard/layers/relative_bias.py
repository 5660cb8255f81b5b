"""A learned bias on scores for each head and bucket of distance (T5: Raffel et al. 2020, 2.1)."""

import torch
from torch import Tensor, nn

from regard.layers.embeddings import empty_table
from regard.positions import relative_buckets


class RelativeBias(nn.Module):
    """How much each head likes a key at each distance; one for all layers of a stack.

    Args:
        num_heads: of the layers that it is added in.
        num_buckets: rows of the table.
        max_distance: from where on all distances share a bucket.
        bidirectional: whether keys after the query are told apart, as encoders need.
    """

    def __init__(
        self,
        num_heads: int,
        *,
        num_buckets: int = 32,
        max_distance: int = 128,
        bidirectional: bool = True,
    ):
        super().__init__()
        self.table = empty_table(num_buckets, num_heads)
        self.max_distance = max_distance
        self.bidirectional = bidirectional
        self._buckets(torch.zeros(1, dtype=torch.long))  # refuses numbers that do not fit
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """No distance is liked more than another, until training says so."""
        self.table.weight.zero_()

    def forward(self, queries: int, keys: int) -> Tensor:
        """(1, heads, queries, keys), to be added to scores; the last query is at the last key."""
        offsets = torch.arange(1 - keys, queries, device=self.table.weight.device)
        # Along a diagonal all entries are one: each row is a window of the vector of distances,
        # one further left than the row above it.
        of_offsets = self.table(self._buckets(offsets)).mT  # (heads, keys + queries - 1)
        return of_offsets.unfold(-1, keys, 1).flip(1)[None]

    def _buckets(self, offsets: Tensor) -> Tensor:
        return relative_buckets(
            offsets,
            num_buckets=self.table.num_embeddings,
            max_distance=self.max_distance,
            bidirectional=self.bidirectional,
        )
