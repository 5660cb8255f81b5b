"""Multi-head attention (Attention Is All You Need, section 3.2.2) and its key-value cache."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from regard.attention import Mask, Score, attend
from regard.attention.disentangled import Distances
from regard.attention.masks import as_mask
from regard.attention.record import Attention, with_sink
from regard.attention.scores import find_score
from regard.errors import BadArgumentError
from regard.models.layers.norm import Norm
from regard.models.layers.rotary import Rotary


class MultiHeadAttention(nn.Module):
    """Concat(head_1, …, head_h) · W_O with head_i = attend(x W_Q,i, m W_K,i, m W_V,i).

    Self-attention and cross-attention differ only in m, the memory that keys and values are
    computed from: in self-attention it is x.

    >>> from regard.attention import Causal
    >>> attention = MultiHeadAttention(d_model=64, num_heads=8)
    >>> x, memory = torch.randn(2, 5, 64), torch.randn(2, 7, 64)
    >>> attention(x, mask=Causal()).shape
    torch.Size([2, 5, 64])
    >>> attention(x, memory).shape
    torch.Size([2, 5, 64])

    Args:
        d_model: width of input and output.
        num_heads: number of query heads.
        num_key_heads: number of key and value heads, each of which serves a group of neighboring
            query heads (Ainslie et al. 2023, GQA); by default num_heads.
        head_dim: width of one head; by default d_model / num_heads.
        bias: whether the projections of query, key and value have one.
        output_bias: whether the output projection has one; by default as `bias`.
        key_bias: whether that of the key has one, which adds the same to a query's every score
            (Whisper's does not); by default as `bias`.
        score: a name or function that `regard.attend` takes.
        rotary: rotates query and key by their positions (self-attention only).
        norm: makes the normalization of queries or keys, given its width, which comes before the
            rotation (Henry et al. 2020, Query-Key Normalization); None for none.
        norm_together: whether it is of all heads as one vector, not of each.
        sinks: whether each head has a learned score of one more key, whose value is zero, so that
            a row's weights on the others may add up to less than 1 (Xiao et al. 2024, section 3.3;
            OpenAI 2025, gpt-oss).

    Raises:
        BadArgumentError: numbers of heads or widths that do not divide, or an unknown score.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        num_key_heads: int | None = None,
        head_dim: int | None = None,
        bias: bool = True,
        output_bias: bool | None = None,
        key_bias: bool | None = None,
        score: str | Score = "scaled_dot",
        rotary: Rotary | None = None,
        norm: Callable[[int], Norm] | None = None,
        norm_together: bool = False,
        sinks: bool = False,
    ):
        super().__init__()
        if head_dim is None and d_model % num_heads:
            raise BadArgumentError(
                f"d_model must be a multiple of num_heads; got {d_model} and {num_heads}."
                " Change one of them or give head_dim."
            )
        self.num_heads = num_heads
        self.num_key_heads = num_heads if num_key_heads is None else num_key_heads
        if self.num_key_heads < 1 or num_heads % self.num_key_heads:
            raise BadArgumentError(
                "num_heads must be a multiple of num_key_heads;"
                f" got {num_heads} and {self.num_key_heads}."
            )
        self.head_dim = head_dim or d_model // num_heads
        if rotary is not None and rotary.dim > self.head_dim:
            raise BadArgumentError(
                f"rotary must have at most the dim {self.head_dim} of a head; got {rotary.dim}."
            )
        self.score = find_score(score)
        self.rotary = rotary
        width, key_width = num_heads * self.head_dim, self.num_key_heads * self.head_dim
        self.query = nn.Linear(d_model, width, bias=bias)
        self.key = nn.Linear(d_model, key_width, bias=bias if key_bias is None else key_bias)
        self.value = nn.Linear(d_model, key_width, bias=bias)
        self.output = nn.Linear(width, d_model, bias=bias if output_bias is None else output_bias)
        self.norm_together = norm_together
        self.sinks = nn.Parameter(torch.zeros(num_heads)) if sinks else None
        self.query_norm, self.key_norm = (
            nn.Identity() if norm is None else norm(size if norm_together else self.head_dim)
            for size in (width, key_width)
        )

    def forward(
        self,
        input: Tensor,
        memory: Tensor | None = None,
        *,
        mask: Mask | Tensor | None = None,
        bias: Tensor | None = None,
        cache: "KeyValueCache | None" = None,
        positions: Tensor | None = None,
        distances: tuple[Tensor, Tensor] | None = None,
    ) -> Tensor:
        """(batch, queries, d_model) → the same shape.

        Args:
            memory: (batch, keys, d_model), for cross-attention; None for self-attention.
            mask: True where a query may attend to a key.
            bias: added to the scores; broadcasts to (batch, heads, queries, keys).
            cache: self-attention appends its keys and values and attends to everything there;
                cross-attention fills it on the first call and then reads it instead of memory.
            positions: of input, (batch or 1, queries), for rotary; by default they follow the
                cache's.
            distances: what DistanceStates gave, whose scores with query and key are added.
        """
        query = self._split(self.query(input), self.query_norm)
        if memory is not None and cache is not None and cache.length:
            key, value = cache.key, cache.value
        else:
            source = input if memory is None else memory
            key = self._split(self.key(source), self.key_norm)
            value = self._split(self.value(source))
            if self.rotary is not None and memory is None:
                start = 0 if cache is None else cache.length
                query, key = self.rotary(query, key, positions=positions, start=start)
            if cache is not None:
                key, value = cache.append(key, value)
        if distances is not None:
            parts = self.distances(*distances).scores(self.score, query, key)
            bias = parts[0] + parts[1]
        if self.sinks is not None:
            mask = None if mask is None else as_mask(mask)
            attention = Attention(query, key, value, self.score, mask, bias)
            _, key, value, _, mask, bias = with_sink(attention, self.sinks.view(1, -1, 1, 1))
        attended = attend(query, key, value, score=self.score, mask=mask, bias=bias)
        return self.output(attended.transpose(1, 2).flatten(2))

    def distances(self, states: Tensor, rows: Tensor) -> Distances:
        """States of distances, (states, d_model), as queries and keys, and the number of the one
        between each query and key, (queries, keys)."""
        return Distances(*self.project(states[None], states[None]), rows)

    def project(self, x: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Query (batch, heads, queries, head_dim) and key (batch, key_heads, keys, head_dim) of
        x (batch, queries, d_model) and memory (batch, keys, d_model), before any rotation."""
        query = self._split(self.query(x), self.query_norm)
        return query, self._split(self.key(memory), self.key_norm)

    def _split(self, projected: Tensor, norm: nn.Module | None = None) -> Tensor:
        if norm is not None and self.norm_together:
            projected, norm = norm(projected), None
        heads = projected.unflatten(2, (-1, self.head_dim)).transpose(1, 2)
        return heads if norm is None else norm(heads)  # (batch, heads, length, head_dim)


class KeyValueCache:
    """Keys and values of one attention layer, each (rows, heads, length, head_dim).

    Storage doubles when it is full, so n appended steps are copied O(n) times in all.

    >>> from regard.attention import Causal
    >>> attention, cache = MultiHeadAttention(64, 8), KeyValueCache()
    >>> x = torch.randn(1, 3, 64)
    >>> steps = [attention(x[:, place : place + 1], cache=cache) for place in range(3)]
    >>> cache.key.shape
    torch.Size([1, 8, 3, 8])
    >>> torch.cat(steps, 1).allclose(attention(x, mask=Causal()), atol=1e-6)
    True
    """

    def __init__(self) -> None:
        self.length = 0
        self._key: Tensor | None = None
        self._value: Tensor | None = None

    @property
    def key(self) -> Tensor:
        """(rows, heads, length, head_dim)."""
        assert self._key is not None, "the cache is empty"
        return self._key[:, :, : self.length]

    @property
    def value(self) -> Tensor:
        """(rows, heads, length, head_dim)."""
        assert self._value is not None, "the cache is empty"
        return self._value[:, :, : self.length]

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Add steps, (rows, heads, new, head_dim) each, and returns all keys and values, (rows,
        heads, length + new, head_dim) each."""
        needed = self.length + key.shape[2]
        self._key = _room_for(self._key, key, needed, self.length)
        self._value = _room_for(self._value, value, needed, self.length)
        self._key[:, :, self.length : needed] = key
        self._value[:, :, self.length : needed] = value
        self.length = needed
        return self.key, self.value

    def select(self, rows: Tensor) -> None:
        """Keep, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        if self._key is not None and self._value is not None:
            self._key = self._key.index_select(0, rows)
            self._value = self._value.index_select(0, rows)


class LayerCache:
    """The caches of one decoder layer: self-attention's grows, cross-attention's is filled once.

    >>> cache = LayerCache()
    >>> cache.self_attention.length, cache.cross_attention.length
    (0, 0)
    """

    def __init__(self) -> None:
        self.self_attention = KeyValueCache()
        self.cross_attention = KeyValueCache()


def _room_for(storage: Tensor | None, new: Tensor, needed: int, length: int) -> Tensor:
    if storage is not None and storage.shape[2] >= needed:
        return storage
    rows, heads, _, width = new.shape
    # The first append allocates its own size (cross-attention never grows); later ones double.
    capacity = needed if storage is None else max(needed, 2 * storage.shape[2], 16)
    larger = torch.empty(rows, heads, capacity, width, dtype=new.dtype, device=new.device)
    if storage is not None:
        larger[:, :, :length] = storage[:, :, :length]
    return larger
