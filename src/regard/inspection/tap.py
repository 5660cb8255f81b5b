"""Attention layers of a run, and any rectangle of their maps: a look-up, exact, at any length."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from regard.arrays import NUMPY, Array, Arrays, arrays_of, dtype_of, without_gradients
from regard.attention import Causal, Mask
from regard.attention.disentangled import Distances
from regard.attention.masks import Both
from regard.attention.record import Attention
from regard.attention.scores import Score
from regard.attention.softmax import log_weights
from regard.errors import BadArgumentError, UnsupportedError
from regard.inspection.answers import Receipt

T = TypeVar("T")
WHOLE = slice(None)
ROWS_AT_ONCE = 2**22  # entries of a strip of whole rows: 16 MiB in float32
TILE_ROWS, TILE_COLUMNS = 256, 2048  # computed at a time: 2 MiB, which stay in a core's cache
SAMPLED_ROWS = 8  # of each head, for the receipt
AT_ONCE = 2**18  # cells of all heads
KEYS_AT_ONCE = 4096


@dataclass(eq=False, repr=False)
class Tap:
    """Attention layer of a run: its call, kept in the run's own dtype; nothing of it is a map.

    Its arrays are tensors of torch, or numpy's where the native engine computed the run. The
    methods below take one sequence of the batch, `item`, and a `head`, or None for all heads
    as a leading axis. Weights are float32 whatever the dtype of the run.

    >>> tap = regard.load("en-de").trace("Where is the station?")["decoder.layers.1.cross"]
    >>> tap
    <Tap decoder.layers.1.cross: 4 heads, target x source = 6 x 6>
    >>> tap.weights(head=1, queries=slice(0, 2)).shape
    torch.Size([2, 6])
    >>> tap.weights(head=1).sum(-1)
    tensor([1.0000, 1.0000, 1.0000, 1.0000, 1.0000, 1.0000])
    """

    name: str  # "decoder.layers.3.cross"
    side: str  # "encoder" or "decoder"
    kind: str  # "self" or "cross"
    layer: int  # among those of its side and kind, from 0
    attention: Attention  # query and key after positions
    queries: str  # the axis of its rows, "target"
    keys: str  # the axis of its columns, "source"
    output_weight: Array | None = None  # W_O of each head, (heads, value_dim, d_model)
    known_lse: Array | None = None  # (batch, heads, queries), where the kernel gave it
    distances: Distances | None = None  # that queries and keys were compared with too
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        size = f"{self.rows:,} x {self.columns:,}"
        return f"<Tap {self.name}: {self.heads} heads, {self.queries} x {self.keys} = {size}>"

    def __getstate__(self) -> dict[str, Any]:
        # A copied or pickled tensor takes its whole storage with it, and those of a trace share
        # blocks of 32 MiB.
        state = {name: _cloned(value) for name, value in vars(self).items()}
        if self.distances is not None:
            state["distances"] = Distances(*map(_cloned, self.distances))
        return state | {"attention": Attention(*map(_cloned, self.attention))}

    @property
    def query(self) -> Array:
        return self.attention.query

    @property
    def key(self) -> Array:
        return self.attention.key

    @property
    def value(self) -> Array:
        return self.attention.value

    @property
    def arrays(self) -> Arrays:
        """The operations on its arrays."""
        return arrays_of(self.query)

    def positions(self, length: int) -> Array:
        """0, 1, …, as an index of its arrays."""
        return self.arrays.count(length, like=self.query)

    @property
    def score(self) -> Score:
        return self.attention.score

    @property
    def mask(self) -> Mask | None:
        return self.attention.mask

    @property
    def bias(self) -> Array | None:
        return self.attention.bias

    @property
    def batch(self) -> int:
        return self.query.shape[0]

    @property
    def heads(self) -> int:
        return self.query.shape[1]

    @property
    def key_heads(self) -> int:
        return self.key.shape[1]

    @property
    def head_dim(self) -> int:
        return self.query.shape[3]

    @property
    def rows(self) -> int:
        return self.query.shape[2]

    @property
    def columns(self) -> int:
        return self.key.shape[2]

    @property
    def causal(self) -> bool:
        return hides_the_future(self.mask)

    def weights(
        self, head: int | None = None, queries: slice = WHOLE, keys: slice = WHOLE, *, item: int = 0
    ) -> Array:
        """Return a tile of the map, (queries, keys) or (heads, queries, keys): α of Vaswani et al.
        2017, equation 1. Each row is normalized over all the keys it may see, inside the tile or
        not.

        Raises:
            BadArgumentError: a head, a sequence or a tile that is not there.
        """
        return self._of_heads(self.tile, head, queries, keys, item)

    def scores(
        self, head: int | None = None, queries: slice = WHOLE, keys: slice = WHOLE, *, item: int = 0
    ) -> Array:
        """Tile before the softmax: scaled, biased, and -inf where the mask hides.

        >>> tap = regard.load("en-de").trace("Where is the station?")["decoder.layers.1.cross"]
        >>> tap.scores(head=1).softmax(-1).allclose(tap.weights(head=1), atol=1e-6)
        True
        """
        return self._of_heads(self.tile_of_scores, head, queries, keys, item)

    @without_gradients
    def parts(
        self, head: int, queries: slice = WHOLE, keys: slice = WHOLE, *, item: int = 0
    ) -> dict[str, Array]:
        """Terms of the same scores of one head, (queries, keys) each, before the mask: their sum is
        the score. A model whose distances have vectors has three (He et al. 2021, DeBERTa, equation
        2): "content to content", "content to position" and "position to content"; others have the
        score of query and key, and the bias, where one is added.

        >>> tap = regard.load("en-de").trace("Where is the station?")["decoder.layers.1.cross"]
        >>> list(tap.parts(head=1))
        ['query and key']

        Raises:
            BadArgumentError: a head, a sequence or a tile that is not there.
        """
        self.heads_of(head)
        rows, columns = self.rows_of(queries), self.columns_of(keys)
        call = self.of_head(head, item)
        content = call._replace(mask=None, bias=None).scores(rows, columns, dtype="float32")[0, 0]
        if self.distances is not None:
            query, key = call.query[:, :, rows], call.key[:, :, columns]
            parts = self.distances.part(head, rows, columns).scores(self.score, query, key)
            to_position, to_content = (self.arrays.floats(part[0, 0]) for part in parts)
            return {
                "content to content": content,
                "content to position": to_position,
                "position to content": to_content,
            }
        if call.bias is None:
            return {"query and key": content}
        whole = self.arrays.expanded(call.bias, (1, 1, self.rows, self.columns))
        return {"query and key": content, "bias": whole[0, 0][rows[:, None], columns]}

    def norms(
        self, head: int | None = None, queries: slice = WHOLE, keys: slice = WHOLE, *, item: int = 0
    ) -> Array:
        """‖α · f(x)‖ of the same tile, where f(x) = x W_V W_O of the head (Kobayashi et al. 2020,
        equation 5): how much a key adds to the output, not only how much it is looked at."""
        return self._of_heads(self.tile_of_norms, head, queries, keys, item)

    def row(self, head: int, query: int, *, item: int = 0) -> Array:
        """Return the weights of one query over all keys, (keys,)."""
        return self.weights(head, one("query", query, self.rows), item=item)[0]

    def column(self, head: int, key: int, *, item: int = 0) -> Array:
        """Return the weights that all queries give to one key, (queries,)."""
        return self.weights(head, keys=one("key", key, self.columns), item=item)[:, 0]

    def topk(
        self, head: int, k: int, queries: slice = WHOLE, *, item: int = 0
    ) -> tuple[Array, Array]:
        """Return the k largest weights of each query and the keys they are of, (queries, k) each,
        largest first; no more than a strip of rows is in memory at a time.

        >>> tap = regard.load("en-de").trace("Where is the station?")["decoder.layers.1.cross"]
        >>> weights, keys = tap.topk(head=1, k=2)
        >>> keys.shape
        torch.Size([6, 2])
        """
        rows = self.rows_of(queries)
        every, library, device = self.positions(self.columns), self.arrays.library, rows.device
        k = min(k, self.columns)
        # Made beforehand: small results among freed strips would keep these from being used again.
        values = library.empty((len(rows), k), dtype=library.float32, device=device)
        positions = library.empty((len(rows), k), dtype=library.int64, device=device)
        height = max(ROWS_AT_ONCE // max(self.columns, 1), 1)
        for top in range(0, len(rows), height):
            strip = slice(top, top + height)
            tile = self.tile(head, rows[strip], every, item=item)
            values[strip], positions[strip] = self.arrays.best(tile, k)
        return values, positions

    def of_head(self, head: int, item: int = 0) -> Attention:
        """Attention of one head in one sequence. Raises BadArgumentError for no such sequence."""
        one("item", item, self.batch)
        return self.attention.of_head(head, item)

    def tile(self, head: int, rows: Array, columns: Array, item: int = 0) -> Array:
        """Return the weights of chosen rows and columns, by ascending index."""
        return self.arrays.library.exp(self.log_weights(head, rows, columns, item=item))

    @without_gradients
    def log_weights(self, head: int, rows: Array, columns: Array, *, item: int = 0) -> Array:
        """Return the logarithms of the same weights, score - lse; -inf where a weight is zero."""
        scores = self.tile_of_scores(head, rows, columns, item)
        return log_weights(scores, self.lse(head, rows, item=item))

    @without_gradients
    def tile_of_scores(self, head: int, rows: Array, columns: Array, item: int = 0) -> Array:
        """Return the scores of chosen rows and columns, by ascending index; -inf where hidden."""
        if self._is_small(self.rows):
            one("item", item, self.batch)
            return self._scores[item, head][rows[:, None], columns]
        return self.of_head(head, item).scores(rows, columns, dtype="float32")[0, 0]

    def tile_of_norms(self, head: int, rows: Array, columns: Array, item: int = 0) -> Array:
        """‖α · f(x)‖ at chosen rows and columns."""
        return self.tile(head, rows, columns, item) * self.norms_of_keys(head, columns, item)

    def norms_of_keys(self, head: int, columns: Array, item: int = 0) -> Array:
        """‖f(x)‖ of chosen keys. Raises UnsupportedError where W_O is not known."""
        if self.value_norms is None:
            raise UnsupportedError(
                f"‖α·f(x)‖ needs the output projection of {self.name}, which is not known here;"
                " ask for weights instead."
            )
        return self.value_norms[item, head][columns]

    def _of_heads(
        self,
        tile: Callable[[int, Array, Array, int], Array],
        head: int | None,
        queries: slice,
        keys: slice,
        item: int,
    ) -> Array:
        rows, columns = self.rows_of(queries), self.columns_of(keys)
        parts = [tile(number, rows, columns, item) for number in self.heads_of(head)]
        tiles = self.arrays.library.stack(parts)
        return tiles if head is None else tiles[0]

    def allowed(self, head: int, rows: Array, columns: Array, *, item: int = 0) -> Array | None:
        """Columns that those rows may see, as broadcasts to a tile; None where it
        is known to be all."""
        allowed = self.of_head(head, item).allowed(rows, columns)
        return None if allowed is None else allowed[0, 0]

    @without_gradients
    def lse(self, head: int, rows: Array | None = None, *, item: int = 0) -> Array:
        """log Σ exp(score) of rows, float32: the kernel's own where it gave one, otherwise computed
        when rows are first looked at, and then remembered."""
        rows = self.positions(self.rows) if rows is None else rows
        if self.known_lse is not None:
            return self.known_lse[item, head][rows]
        remembered = self._lse[item, head]
        missing = rows[self.arrays.library.isnan(remembered[rows])]
        if len(missing) and self._is_small(self.rows):
            self._lse[:] = self.attention.lse(dtype="float32")
        elif len(missing):
            lse = self.of_head(head, item).lse(missing, dtype="float32")
            remembered[missing] = lse[0, 0]
        return remembered[rows]

    def is_seen(self, head: int, rows: Array, columns: Array, item: int) -> bool:
        """Return True if any of those rows may see any of those columns."""
        return self.of_head(head, item).sees(rows, columns)

    def _is_small(self, rows: int) -> bool:
        """Return True if all heads are computed at once: for a short text, calls are what costs."""
        return self.batch * self.heads * rows * self.columns <= AT_ONCE

    @cached_property
    def _scores(self) -> Array:
        """All scores of a small map, (batch, heads, rows, columns)."""
        shape = (self.batch, self.heads, self.rows, self.columns)
        return self.arrays.expanded(self.attention.scores(dtype="float32"), shape)

    @cached_property
    def _lse(self) -> Array:
        shape = (self.batch, self.heads, self.rows)
        if self.arrays is NUMPY:
            return np.full(shape, np.nan, np.float32)
        torch = self.arrays.library
        with torch.inference_mode(False):  # an inference tensor could not be filled in later
            return torch.full(shape, float("nan"), device=self.query.device)

    @cached_property
    def value_norms(self) -> Array | None:
        """‖f(x)‖ of every key for every head, (batch, heads, keys); None without W_O."""
        weight = self.output_weight
        if weight is None:
            return None
        group, library = self.heads // self.key_heads, self.arrays.library
        floats = self.arrays.floats

        def norms(head: int, first: int) -> Array:
            # A part of a head: (batch, keys, d_model) is larger than anything that was recorded.
            part = self.value[:, head // group, first : first + KEYS_AT_ONCE]
            return self.arrays.norms(floats(part) @ floats(weight[head]))

        firsts = range(0, max(self.columns, 1), KEYS_AT_ONCE)
        return library.stack(
            [
                library.concatenate([norms(head, first) for first in firsts], 1)
                for head in range(self.heads)
            ],
            1,
        )

    @cached_property
    def receipt(self) -> Receipt:
        """Row sums, and the difference from the softmax of whole rows in float64, on samples."""
        places = np.linspace(0, self.rows - 1, min(SAMPLED_ROWS, self.rows))
        rows = self.arrays.array(np.unique(places.astype(np.int64)), like=self.query)
        columns = self.positions(self.columns)
        sum_error = difference = 0.0
        together = None
        if self._is_small(len(rows)):
            together = self.attention.weights(rows, columns, dtype="float64")[0]
        for head in range(self.heads):
            if together is not None:
                exact = together[head]
            else:
                exact = self.of_head(head).weights(rows, columns, dtype="float64")[0, 0]
            weights = self.arrays.converted(self.tile(head, rows, columns), "float64")
            difference = max(difference, float(abs(weights - exact).max()))
            sees = exact.sum(-1) > 0  # a row that sees nothing has no weights to add up
            sum_error = max(sum_error, float((abs(weights.sum(-1) - 1) * sees).max()))
        return Receipt(sum_error, difference, len(rows) * self.heads, dtype_of(self.query))

    def heads_of(self, head: int | None) -> list[int]:
        if head is None:
            return list(range(self.heads))
        if not isinstance(head, int) or not 0 <= head < self.heads:
            raise BadArgumentError(f"{self.name} has heads 0 to {self.heads - 1}; got {head!r}.")
        return [head]

    def rows_of(self, queries: slice) -> Array:
        return self.positions(self.rows)[checked("queries", queries, self.rows)]

    def columns_of(self, keys: slice) -> Array:
        return self.positions(self.columns)[checked("keys", keys, self.columns)]


def one(name: str, index: int, length: int) -> slice:
    if not 0 <= index < length:
        raise BadArgumentError(f"{name} must be from 0 to {length - 1}; got {index}.")
    return slice(index, index + 1)


def checked(name: str, part: slice, length: int) -> slice:
    """Return a slice of so many positions. Raises BadArgumentError for any other."""
    if not isinstance(part, slice) or (part.step or 1) < 1:
        raise BadArgumentError(
            f"{name} must be a slice that runs forward, like slice(0, 64); got {part!r}."
        )
    for end in (part.start, part.stop):
        if end is not None and not -length <= end <= length:
            raise BadArgumentError(
                f"{name} must lie within 0 to {length}; got {part.start} to {part.stop}."
            )
    return part


def _cloned(value: T) -> T:
    return value.clone() if hasattr(value, "clone") else value


def hides_the_future(mask: Mask | None) -> bool:
    """Return True if the mask is, or contains as a necessary part, a causal one."""
    if isinstance(mask, Both):
        return hides_the_future(mask.left) or hides_the_future(mask.right)
    return isinstance(mask, Causal)
