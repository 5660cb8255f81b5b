"""The attention of recurrent decoders: one head, whose values are the encoder's states.

Bahdanau et al. 2015, Neural Machine Translation by Jointly Learning to Align and Translate;
Luong et al. 2015, Effective Approaches to Attention-based Neural Machine Translation.
"""

import torch
from torch import Tensor, nn

from regard.attention import Mask, additive, attend, general
from regard.attention.scores import Score


class BahdanauAttention(nn.Module):
    """c_i = Σ_j α_ij h_j with the score v · tanh(W s_{i−1} + U h_j) (appendix A.1.2).

    Args:
        query_dim: width of the decoder's state s.
        memory_dim: width of the encoder's states h.
        hidden_dim: width of the score's hidden layer.
    """

    def __init__(self, query_dim: int, memory_dim: int, hidden_dim: int):
        super().__init__()
        self.num_heads = self.num_key_heads = 1
        self.head_dim = hidden_dim
        self.query = nn.Linear(query_dim, hidden_dim, bias=False)
        self.key = nn.Linear(memory_dim, hidden_dim, bias=False)
        self.vector = nn.Parameter(torch.empty(hidden_dim))

    @torch.no_grad()
    def reset_scores(self) -> None:
        """Initializes the parameters of the score."""
        nn.init.normal_(self.vector, std=len(self.vector) ** -0.5)

    def keys(self, memory: Tensor) -> Tensor:
        """U h, (batch, source, memory_dim) → (batch, source, hidden_dim): once for a sentence."""
        return self.key(memory)

    def forward(self, query: Tensor, keys: Tensor, memory: Tensor, mask: Mask | None) -> Tensor:
        """Query (batch, queries, query_dim), keys (batch, source, hidden_dim) and memory (batch,
        source, memory_dim) → contexts, (batch, queries, memory_dim)."""
        score = additive(None, None, self.vector)
        return _one_head(self.query(query), keys, memory, score, mask)


class LuongAttention(nn.Module):
    """c_t = Σ_s α_ts h_s with the score s_t · W h_s, "general", or s_t · h_s, "dot" (equation 8).

    Args:
        width: of the decoder's and the encoder's states.
        score: "general" or "dot".
    """

    def __init__(self, width: int, *, score: str = "general"):
        super().__init__()
        self.num_heads = self.num_key_heads = 1
        self.head_dim = width
        self.matrix = nn.Parameter(torch.empty(width, width)) if score == "general" else None

    @torch.no_grad()
    def reset_scores(self) -> None:
        """Initializes the parameters of the score."""
        if self.matrix is not None:
            nn.init.xavier_uniform_(self.matrix)

    def keys(self, memory: Tensor) -> Tensor:
        """The encoder's states, (batch, source, width), unchanged."""
        return memory

    def forward(self, query: Tensor, keys: Tensor, memory: Tensor, mask: Mask | None) -> Tensor:
        """Query (batch, queries, width), keys and memory (batch, source, width) → contexts, (batch,
        queries, width)."""
        score = "dot" if self.matrix is None else general(self.matrix)
        return _one_head(query, keys, memory, score, mask)


def _one_head(
    query: Tensor, keys: Tensor, values: Tensor, score: str | Score, mask: Mask | None
) -> Tensor:
    heads = (tensor[:, None] for tensor in (query, keys, values))
    return attend(*heads, score=score, mask=mask)[:, 0]
