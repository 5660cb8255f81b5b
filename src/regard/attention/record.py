"""The definition of attention: one call as a record that answers for any rectangle of its map."""

from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.attention.masks import Mask
from regard.attention.scores import Score, in_dtype
from regard.attention.softmax import log_sum_exp, log_weights

KEY_BLOCK = 512
TILE_ENTRIES = 2**19  # over all batches and heads: a tile's scores then stay in a core's cache

Queries = Int[Tensor, " tile_queries"] | None
Keys = Int[Tensor, " tile_keys"] | None
"""Ascending indices of the queries or keys of a tile; None for all of them."""


class Attention(NamedTuple):
    """softmax(score(query, key) + bias, over the keys that mask allows) · value.

    The methods give the scores, weights or output of some queries and keys, by ascending indices
    (all of them by default), without the rest of the map. Scores and weights are float32 at least.
    With `dtype`, query, key and the parameters of the score are converted first; a score function
    that is not one of this package's gets what it got in the call.

    >>> from regard.attention import Causal, dot
    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])[None, None]
    >>> call = Attention(query=x, key=x, value=x, score=dot, mask=Causal(), bias=None)
    >>> call.scores()
    tensor([[[[1., -inf, -inf],
              [0., 1., -inf],
              [1., 1., 2.]]]])
    >>> call.weights(queries=torch.tensor([2]))
    tensor([[[[0.2119, 0.2119, 0.5761]]]])
    >>> call.output(queries=torch.tensor([2]))
    tensor([[[[0.7881, 0.7881]]]])
    """

    query: Tensor  # (batch, heads, queries, query_dim)
    key: Tensor  # (batch, key_heads, keys, key_dim)
    value: Tensor  # (batch, key_heads, keys, value_dim)
    score: Score
    mask: Mask | None  # None: every query may attend to every key
    bias: Tensor | None  # four axes that broadcast to (batch, heads, queries, keys)

    def scores(
        self, queries: Queries = None, keys: Keys = None, *, dtype: torch.dtype | None = None
    ) -> Float[Tensor, "batch heads tile_queries tile_keys"]:
        """score(query, key) + bias; -inf where the mask hides."""
        score, query, key = self.score, _taken(self.query, queries), _taken(self.key, keys)
        if dtype is not None and (converted := in_dtype(score, dtype)) is not None:
            score, query, key = converted, query.to(dtype), key.to(dtype)
        bias = self.bias
        if bias is not None:
            bias = bias if bias.shape[2] == 1 else _taken(bias, queries)
            bias = bias if bias.shape[3] == 1 else _taken(bias, keys, dim=3)
        scores = masked_scores(score, query, key, bias, self.allowed(queries, keys))
        return scores if dtype is None else scores.to(dtype)

    def lse(
        self, queries: Queries = None, *, dtype: torch.dtype | None = None
    ) -> Float[Tensor, "batch heads tile_queries"]:
        """log Σ exp(score) over the keys that each query may see; -inf if it may see no key.

        Computed block by block: memory is that of one block.
        """
        batch, heads, length, _ = self.query.shape
        device, height = self.query.device, rows_per_tile(self.query)
        width = max(TILE_ENTRIES // max(batch * heads * height, 1), KEY_BLOCK)
        blocks = torch.arange(self.key.shape[2], device=device).split(width)
        if queries is None:
            queries = torch.arange(length, device=device)
        parts = []
        for rows in queries.split(height):
            seen = [block for block in blocks if self.sees(rows, block)]
            # Rows that see nothing at all still take one key, and with it a gradient of zero.
            seen = seen or [blocks[-1][-1:]]
            sums = [log_sum_exp(self.scores(rows, block, dtype=dtype)) for block in seen]
            parts.append(log_sum_exp(torch.stack(sums, -1)))
        return torch.cat(parts, -1)

    def weights(
        self,
        queries: Queries = None,
        keys: Keys = None,
        *,
        lse: Float[Tensor, "batch heads tile_queries"] | None = None,
        dtype: torch.dtype | None = None,
    ) -> Float[Tensor, "batch heads tile_queries tile_keys"]:
        """Each row is normalized over all the keys that it may see, inside the tile or not; `lse`
        is that of these queries, where it is known."""
        lse = self.lse(queries, dtype=dtype) if lse is None else lse
        return torch.exp(log_weights(self.scores(queries, keys, dtype=dtype), lse))

    def output(
        self, queries: Queries = None
    ) -> Float[Tensor, "batch heads tile_queries value_dim"]:
        """weights · value; `attend` gives the same from the fastest kernel."""
        value = repeat_heads(at_least_float32(self.value), self.query.shape[1])
        return (self.weights(queries) @ value).to(self.value.dtype)

    def allowed(
        self, queries: Queries = None, keys: Keys = None
    ) -> Bool[Tensor, "#batch #heads #tile_queries #tile_keys"] | None:
        """Keys that each of these queries may see; None where it is known to be all."""
        if self.mask is None:
            return None
        length, width, device = self.query.shape[2], self.key.shape[2], self.query.device
        if queries is None and keys is None:
            return self.mask.whole(length, width, device).allowed
        queries = torch.arange(length, device=device) if queries is None else queries
        keys = torch.arange(width, device=device) if keys is None else keys
        positions = queries + (width - length)
        if len(positions) and len(keys) and self.mask.sees_all(positions, keys):
            return None
        return self.mask.tile(positions, keys)

    def sees(self, queries: Tensor, keys: Tensor) -> bool:
        """Return True if any of these queries may see any of these keys."""
        if self.mask is None or not len(queries) or not len(keys):
            return True
        return self.mask.sees(queries + (self.key.shape[2] - self.query.shape[2]), keys)

    def of_head(self, head: int, item: int | None = None) -> "Attention":
        """The attention of one head, in one sequence of the batch or in all; it keeps four axes."""
        key_head = head // (self.query.shape[1] // self.key.shape[1])
        bias, mask = self.bias, self.mask
        return Attention(
            query=one(self.query, item, head),
            key=one(self.key, item, key_head),
            value=one(self.value, item, key_head),
            score=self.score,
            mask=None if mask is None else mask.of_head(head, item),
            bias=None if bias is None else one(bias, item, head),
        )


def masked_scores(
    score: Score,
    query: Float[Tensor, "batch heads queries query_dim"],
    key: Float[Tensor, "batch key_heads keys key_dim"],
    bias: Float[Tensor, "#batch #heads #queries #keys"] | None,
    allowed: Bool[Tensor, "#batch #heads #queries #keys"] | None,
) -> Float[Tensor, "batch heads queries keys"]:
    """score(query, key) + bias, in float32 at least; -inf where not allowed.

    Query (batch, heads, queries, query_dim) and key (batch, key_heads, keys, key_dim) → (batch,
    heads, queries, keys), to which bias and allowed broadcast.
    """
    key = repeat_heads(key, query.shape[1])
    wider = in_dtype(score, torch.float32) if query.dtype == torch.float16 else None
    if wider is None:
        scores = at_least_float32(score(query, key))
    else:  # float16 ends at 65504, which scores of ordinary numbers may pass
        with outside_autocast(query.device.type):
            scores = wider(query.float(), key.float())
    if bias is not None:
        scores = scores + bias
    return scores if allowed is None else torch.where(allowed, scores, float("-inf"))


def rows_per_tile(query: Float[Tensor, "batch heads queries query_dim"]) -> int:
    """Rows of a query (batch, heads, queries, query_dim) to take at a time, with KEY_BLOCK columns
    each."""
    maps = max(query.shape[0] * query.shape[1], 1)
    return min(max(TILE_ENTRIES // (maps * KEY_BLOCK), 16), 256)


def _taken(tensor: Tensor, positions: Tensor | None, dim: int = 2) -> Tensor:
    """The tensor at those positions; a view, without a copy, where they are neighbors."""
    if positions is None:
        return tensor
    count = len(positions)
    if count and not positions.is_cuda:  # asking a GPU would wait for it
        first = int(positions[0])
        if int(positions[-1]) - first == count - 1:
            return tensor.narrow(dim, first, count)
    return tensor.index_select(dim, positions)


def one(tensor: Tensor, item: int | None, head: int) -> Tensor:
    """One head of (batch, heads, …), in one sequence or in all: (1, 1, …) or (batch, 1, …).

    An axis of length 1 stands for all.
    """
    if item is not None and len(tensor) > 1:
        tensor = tensor[item : item + 1]
    return tensor[:, head : head + 1] if tensor.shape[1] > 1 else tensor


def repeat_heads(
    tensor: Float[Tensor, "batch key_heads keys dim"], heads: int
) -> Float[Tensor, "batch heads keys dim"]:
    """(batch, key_heads, keys, dim) → (batch, heads, keys, dim): neighboring query heads share one
    head of keys and values."""
    groups = heads // tensor.shape[1]
    return tensor if groups == 1 else tensor.repeat_interleave(groups, dim=1)


def outside_autocast(device: str) -> AbstractContextManager[object]:
    """Within it, no operation on that kind of device gets another dtype than it is given."""
    # PyTorch's question about autocast raises on the meta device, which has none.
    if device == "meta" or not torch.is_autocast_enabled(device):
        return nullcontext()
    return torch.autocast(device, enabled=False)


def at_least_float32(scores: Tensor) -> Tensor:
    """Scores (…): sums over many keys lose too much in 16 bits."""
    return scores.float() if scores.dtype in (torch.bfloat16, torch.float16) else scores
