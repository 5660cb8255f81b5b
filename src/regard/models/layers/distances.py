"""States of distances, which attention projects as it does those of tokens (DeBERTa: He et al.
2021, section 3.1)."""

import torch
from torch import Tensor, nn

from regard.models.configs.tables import distance_rows
from regard.models.layers.dropout import Dropout
from regard.models.layers.embeddings import empty_table


class DistanceStates(nn.Module):
    """A state for each distance, or range of distances, that all layers of a stack share.

    >>> states, rows = DistanceStates(64, buckets=8, longest=40)(5)
    >>> states.shape, rows[0]
    (torch.Size([9, 64]), tensor([4, 3, 2, 1, 0]))

    Args:
        d_model: width of a state.
        buckets: on either side; half of them hold one distance each.
        longest: the distances whose logarithm decides on the others are below it.
        eps: of the normalization.
        dropout: probability of zeroing an element of a state.
    """

    def __init__(
        self,
        d_model: int,
        *,
        buckets: int = 256,
        longest: int = 512,
        eps: float = 1e-7,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.buckets, self.longest = buckets, longest
        self.table = empty_table(2 * buckets, d_model)
        self.norm = nn.LayerNorm(d_model, eps)
        self.dropout = Dropout(dropout)
        nn.init.normal_(self.table.weight, std=0.02)

    def forward(self, length: int) -> tuple[Tensor, Tensor]:
        """States of the distances that a text of this length has, (states, d_model), and the number
        of the one between each query and key, (length, length)."""
        places = torch.arange(length, device="cpu")
        rows = distance_rows(
            torch, places[:, None] - places, buckets=self.buckets, longest=self.longest
        )
        first, last = int(rows[0, -1]), int(rows[-1, 0])
        states = self.dropout(self.norm(self.table.weight[first : last + 1]))
        return states, (rows - first).to(states.device)
