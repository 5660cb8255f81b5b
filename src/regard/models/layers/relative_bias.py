"""A learned bias on scores for each head and bucket of distance (T5: Raffel et al. 2020, 2.1)."""

import torch
from torch import Tensor, nn

from regard.models.layers.embeddings import empty_table
from regard.models.positions import relative_buckets


class RelativeBias(nn.Module):
    """A table of biases, (num_buckets, num_heads), which all layers of a stack share.

    >>> RelativeBias(num_heads=8)(queries=5, keys=5).shape
    torch.Size([1, 8, 5, 5])

    Args:
        num_heads: of the layers.
        num_buckets: of distances that share a bias.
        max_distance: all distances from this one on share a bucket.
        bidirectional: whether keys after the query have buckets of their own, as in encoders.
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
        # Raises for numbers that do not fit; on the meta device torch would import a compiler.
        self._buckets(torch.zeros(1, dtype=torch.long, device="cpu"))
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Zeros: training begins without a preference."""
        self.table.weight.zero_()

    def forward(self, queries: int, keys: int) -> Tensor:
        """(1, heads, queries, keys), added to scores; the last query is at the position of the last
        key."""
        offsets = torch.arange(1 - keys, queries, device=self.table.weight.device)
        # All entries of a diagonal are equal: each row is a window of the vector of distances, one
        # further left than the row above it.
        by_offset = self.table(self._buckets(offsets)).mT  # (heads, keys + queries - 1)
        return by_offset.unfold(-1, keys, 1).flip(1)[None]

    def by_distance(self) -> Tensor:
        """(2 · max_distance + 1, heads): the bias of each distance from −max_distance on."""
        reach = self.max_distance
        distances = torch.arange(-reach, reach + 1, device=self.table.weight.device)
        return self.table(self._buckets(distances))

    def _buckets(self, offsets: Tensor) -> Tensor:
        return relative_buckets(
            offsets,
            num_buckets=self.table.num_embeddings,
            max_distance=self.max_distance,
            bidirectional=self.bidirectional,
        )
