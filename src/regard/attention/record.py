"""The definition of attention: one call as a record that answers for any rectangle of its map."""

from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

from regard.arrays import (
    TORCH,
    Array,
    arrays_of,
    dtype_of,
    kind_of_device,
    pieces,
    torch_if_imported,
)
from regard.attention.masks import Mask, PastSink
from regard.attention.scores import Score, in_dtype
from regard.attention.softmax import log_sum_exp, log_weights
from regard.shapes import Bool, Float, Int

KEY_BLOCK = 512
TILE_ENTRIES = 2**19  # over all batches and heads: a tile's scores then stay in a core's cache

Queries = Int[Array, " tile_queries"] | None
Keys = Int[Array, " tile_keys"] | None
"""Ascending indices of the queries or keys of a tile; None for all of them."""


class Attention(NamedTuple):
    """softmax(score(query, key) + bias, over the keys that mask allows) · value.

    The methods give the scores, weights or output of some queries and keys, by ascending indices
    (all of them by default), without the rest of the map. Tensors of torch or arrays of numpy.
    Scores and weights are float32 at least. With `dtype`, the name of one, query, key and the
    parameters of the score are converted first; a score function that is not one of this package's
    gets what it got in the call.

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

    query: Array  # (batch, heads, queries, query_dim)
    key: Array  # (batch, key_heads, keys, key_dim)
    value: Array  # (batch, key_heads, keys, value_dim)
    score: Score
    mask: Mask | None  # None: every query may attend to every key
    bias: Array | None  # four axes that broadcast to (batch, heads, queries, keys)

    def scores(
        self, queries: Queries = None, keys: Keys = None, *, dtype: str | None = None
    ) -> Float[Array, "batch heads tile_queries tile_keys"]:
        """score(query, key) + bias; -inf where the mask hides."""
        score, query, key = self.score, _taken(self.query, queries), _taken(self.key, keys)
        if dtype is not None and (converted := in_dtype(score, dtype)) is not None:
            arrays = arrays_of(query)
            query, key = arrays.converted(query, dtype), arrays.converted(key, dtype)
            score = converted
        bias = self.bias
        if bias is not None:
            bias = bias if bias.shape[2] == 1 else _taken(bias, queries)
            bias = bias if bias.shape[3] == 1 else _taken(bias, keys, dim=3)
        scores = masked_scores(score, query, key, bias, self.allowed(queries, keys))
        return scores if dtype is None else arrays_of(scores).converted(scores, dtype)

    def lse(
        self, queries: Queries = None, *, dtype: str | None = None
    ) -> Float[Array, "batch heads tile_queries"]:
        """log Σ exp(score) over the keys that each query may see; -inf if it may see no key.

        Computed block by block: memory is that of one block.
        """
        batch, heads, length, _ = self.query.shape
        arrays, height = arrays_of(self.query), rows_per_tile(self.query)
        width = max(TILE_ENTRIES // max(batch * heads * height, 1), KEY_BLOCK)
        blocks = pieces(arrays.count(self.key.shape[2], like=self.query), width)
        if queries is None:
            queries = arrays.count(length, like=self.query)
        parts = []
        for rows in pieces(queries, height):
            seen = [block for block in blocks if self.sees(rows, block)]
            # Rows that see nothing at all still take one key, and with it a gradient of zero.
            seen = seen or [blocks[-1][-1:]]
            sums = [log_sum_exp(self.scores(rows, block, dtype=dtype)) for block in seen]
            parts.append(log_sum_exp(arrays.library.stack(sums, -1)))
        return arrays.library.concatenate(parts, -1)

    def weights(
        self,
        queries: Queries = None,
        keys: Keys = None,
        *,
        lse: Float[Array, "batch heads tile_queries"] | None = None,
        dtype: str | None = None,
    ) -> Float[Array, "batch heads tile_queries tile_keys"]:
        """Each row is normalized over all the keys that it may see, inside the tile or not; `lse`
        is that of these queries, where it is known."""
        lse = self.lse(queries, dtype=dtype) if lse is None else lse
        scores = self.scores(queries, keys, dtype=dtype)
        return arrays_of(scores).library.exp(log_weights(scores, lse))

    def output(
        self,
        queries: Queries = None,
        *,
        lse: Float[Array, "batch heads tile_queries"] | None = None,
    ) -> Float[Array, "batch heads tile_queries value_dim"]:
        """weights · value; `attend` gives the same from the fastest kernel."""
        value = repeat_heads(at_least_float32(self.value), self.query.shape[1])
        output = self.weights(queries, lse=lse) @ value
        return arrays_of(output).converted(output, dtype_of(self.value))

    def allowed(
        self, queries: Queries = None, keys: Keys = None
    ) -> Bool[Array, "#batch #heads #tile_queries #tile_keys"] | None:
        """Keys that each of these queries may see; None where it is known to be all."""
        if self.mask is None:
            return None
        length, width, arrays = self.query.shape[2], self.key.shape[2], arrays_of(self.query)
        if queries is None and keys is None and arrays is TORCH:
            return self.mask.whole(length, width, self.query.device).allowed
        queries = arrays.count(length, like=self.query) if queries is None else queries
        keys = arrays.count(width, like=self.query) if keys is None else keys
        positions = queries + (width - length)
        if len(positions) and len(keys) and self.mask.sees_all(positions, keys):
            return None
        return self.mask.tile(positions, keys)

    def sees(self, queries: Array, keys: Array) -> bool:
        """Return True if any of these queries may see any of these keys."""
        if self.mask is None or not len(queries) or not len(keys):
            return True
        return self.mask.sees(queries + (self.key.shape[2] - self.query.shape[2]), keys)

    def of_head(self, head: int, item: int | None = None) -> "Attention":
        """Return the attention of one head, in one sequence of the batch or in all; it keeps four
        axes."""
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


class Call(NamedTuple):
    """One attention that has just been computed, as a listener gets it.

    >>> from regard.attention import attend, listening
    >>> calls = []
    >>> with listening(calls.append):
    ...     output = attend(torch.eye(2), torch.eye(2), torch.eye(2))
    >>> torch.equal(calls[0].output[0, 0], output)
    True
    """

    inputs: Attention
    output: Array  # (batch, heads, queries, value_dim)
    lse: Array | None  # (batch, heads, queries), where the kernel gave it anyway


def with_sink(attention: Attention, sink: Float[Array, "#batch heads #queries 1"]) -> Attention:
    """Attention with one more key before the others: its scores, (batch or 1, heads, queries or 1,
    keys) of one key, are learned, and its value is zero."""
    query, key, value, score, mask, bias = attention
    arrays, length = arrays_of(query), key.shape[2]
    sink = at_least_float32(sink)
    if bias is None:
        bias = arrays.zeros(1, length, like=sink)[None, None]
    bias = arrays.converted(bias, dtype_of(sink))
    rows = [max(pair) for pair in zip(sink.shape[:3], bias.shape[:3], strict=True)]
    concatenate = arrays.library.concatenate
    bias = concatenate(
        [arrays.expanded(sink, (*rows, 1)), arrays.expanded(bias, (*rows, length))], -1
    )
    key, value = (concatenate([array[:, :, :1] * 0, array], 2) for array in (key, value))
    return Attention(query, key, value, score, PastSink(mask), bias)


def masked_scores(
    score: Score,
    query: Float[Array, "batch heads queries query_dim"],
    key: Float[Array, "batch key_heads keys key_dim"],
    bias: Float[Array, "#batch #heads #queries #keys"] | None,
    allowed: Bool[Array, "#batch #heads #queries #keys"] | None,
) -> Float[Array, "batch heads queries keys"]:
    """score(query, key) + bias, in float32 at least; -inf where not allowed.

    Query (batch, heads, queries, query_dim) and key (batch, key_heads, keys, key_dim) → (batch,
    heads, queries, keys), to which bias and allowed broadcast.
    """
    key = repeat_heads(key, query.shape[1])
    wider = in_dtype(score, "float32") if dtype_of(query) == "float16" else None
    if wider is None:
        scores = at_least_float32(score(query, key))
    else:  # float16 ends at 65504, which scores of ordinary numbers may pass
        with outside_autocast(kind_of_device(query)):
            floats = arrays_of(query).floats
            scores = wider(floats(query), floats(key))
    if bias is not None:
        scores = scores + bias
    if allowed is None:
        return scores
    return arrays_of(scores).library.where(allowed, scores, float("-inf"))


def rows_per_tile(query: Float[Array, "batch heads queries query_dim"]) -> int:
    """Rows of a query (batch, heads, queries, query_dim) to take at a time, with KEY_BLOCK columns
    each."""
    maps = max(query.shape[0] * query.shape[1], 1)
    return min(max(TILE_ENTRIES // (maps * KEY_BLOCK), 16), 256)


def _taken(tensor: Array, positions: Array | None, dim: int = 2) -> Array:
    """Return the tensor at those positions; a view, without a copy, where they are neighbors."""
    if positions is None:
        return tensor
    count = len(positions)
    if count and str(positions.device) == "cpu":  # asking a GPU would wait for it
        first = int(positions[0])
        if int(positions[-1]) - first == count - 1:
            return tensor[(slice(None),) * dim + (slice(first, first + count),)]
    return arrays_of(tensor).select(tensor, positions, dim)


def one(tensor: Array, item: int | None, head: int) -> Array:
    """One head of (batch, heads, …), in one sequence or in all: (1, 1, …) or (batch, 1, …).

    An axis of length 1 stands for all.
    """
    if item is not None and len(tensor) > 1:
        tensor = tensor[item : item + 1]
    return tensor[:, head : head + 1] if tensor.shape[1] > 1 else tensor


def repeat_heads(
    tensor: Float[Array, "batch key_heads keys dim"], heads: int
) -> Float[Array, "batch heads keys dim"]:
    """(batch, key_heads, keys, dim) → (batch, heads, keys, dim): neighboring query heads share one
    head of keys and values."""
    groups = heads // tensor.shape[1]
    return tensor if groups == 1 else arrays_of(tensor).repeated(tensor, groups, 1)


def outside_autocast(device: str) -> AbstractContextManager[object]:
    """Within it, no operation on that kind of device gets another dtype than it is given."""
    torch = torch_if_imported()
    # PyTorch's question about autocast raises on the meta device, which has none.
    if torch is None or device == "meta" or not torch.is_autocast_enabled(device):
        return nullcontext()
    return torch.autocast(device, enabled=False)


def at_least_float32(scores: Array) -> Array:
    """Scores (…): sums over many keys lose too much in 16 bits."""
    narrow = dtype_of(scores) in ("bfloat16", "float16")
    return arrays_of(scores).converted(scores, "float32") if narrow else scores
