"""Attention layers of a run, and any rectangle of their maps: a look-up, exact, at any length."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from regard.attention import Causal, Mask
from regard.attention.masks import Both
from regard.attention.record import Attention
from regard.attention.scores import Score
from regard.attention.softmax import log_weights
from regard.errors import BadArgumentError, UnsupportedError
from regard.inspection.answers import Receipt

WHOLE = slice(None)
ROWS_AT_ONCE = 2**22  # entries of a strip of whole rows: 16 MiB in float32
TILE_ROWS, TILE_COLUMNS = 256, 2048  # computed at a time: 2 MiB, which stay in a core's cache
SAMPLED_ROWS = 8  # of each head, for the receipt
AT_ONCE = 2**18  # cells of all heads


@dataclass(eq=False, repr=False)
class Tap:
    """Attention layer of a run: its call, kept in the run's own dtype; nothing of it is a map.

    The methods below take one sequence of the batch, `item`, and a `head`, or None for all heads
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
    output_weight: Tensor | None = None  # W_O of each head, (heads, value_dim, d_model)
    known_lse: Tensor | None = None  # (batch, heads, queries), where the kernel gave it
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        size = f"{self.rows:,} x {self.columns:,}"
        return f"<Tap {self.name}: {self.heads} heads, {self.queries} x {self.keys} = {size}>"

    def __getstate__(self) -> dict[str, Any]:
        # A copied or pickled tensor takes its whole storage with it, and those of a trace share
        # blocks of 32 MiB.
        state = {name: _cloned(value) for name, value in vars(self).items()}
        return state | {"attention": Attention(*map(_cloned, self.attention))}

    @property
    def query(self) -> Tensor:
        return self.attention.query

    @property
    def key(self) -> Tensor:
        return self.attention.key

    @property
    def value(self) -> Tensor:
        return self.attention.value

    @property
    def score(self) -> Score:
        return self.attention.score

    @property
    def mask(self) -> Mask | None:
        return self.attention.mask

    @property
    def bias(self) -> Tensor | None:
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
    ) -> Tensor:
        """A tile of the map, (queries, keys) or (heads, queries, keys): α of Vaswani et al. 2017,
        equation 1. Each row is normalized over all the keys it may see, inside the tile or not.

        Raises:
            BadArgumentError: a head, a sequence or a tile that is not there.
        """
        return self._of_heads(self.tile, head, queries, keys, item)

    def scores(
        self, head: int | None = None, queries: slice = WHOLE, keys: slice = WHOLE, *, item: int = 0
    ) -> Tensor:
        """Tile before the softmax: scaled, biased, and -inf where the mask hides.

        >>> tap = regard.load("en-de").trace("Where is the station?")["decoder.layers.1.cross"]
        >>> tap.scores(head=1).softmax(-1).allclose(tap.weights(head=1), atol=1e-6)
        True
        """
        return self._of_heads(self.tile_of_scores, head, queries, keys, item)

    def norms(
        self, head: int | None = None, queries: slice = WHOLE, keys: slice = WHOLE, *, item: int = 0
    ) -> Tensor:
        """‖α · f(x)‖ of the same tile, where f(x) = x W_V W_O of the head (Kobayashi et al. 2020,
        equation 5): how much a key adds to the output, not only how much it is looked at."""
        return self._of_heads(self.tile_of_norms, head, queries, keys, item)

    def row(self, head: int, query: int, *, item: int = 0) -> Tensor:
        """The weights of one query over all keys, (keys,)."""
        return self.weights(head, one("query", query, self.rows), item=item)[0]

    def column(self, head: int, key: int, *, item: int = 0) -> Tensor:
        """The weights that all queries give to one key, (queries,)."""
        return self.weights(head, keys=one("key", key, self.columns), item=item)[:, 0]

    def topk(
        self, head: int, k: int, queries: slice = WHOLE, *, item: int = 0
    ) -> tuple[Tensor, Tensor]:
        """The k largest weights of each query and the keys they are of, (queries, k) each, largest
        first; no more than a strip of rows is in memory at a time.

        >>> tap = regard.load("en-de").trace("Where is the station?")["decoder.layers.1.cross"]
        >>> weights, keys = tap.topk(head=1, k=2)
        >>> keys.shape
        torch.Size([6, 2])
        """
        rows = self.rows_of(queries)
        every = torch.arange(self.columns, device=self.query.device)
        k = min(k, self.columns)
        # Made beforehand: small results among freed strips would keep these from being used again.
        values = torch.empty(len(rows), k, device=rows.device)
        positions = torch.empty(len(rows), k, dtype=torch.long, device=rows.device)
        height = max(ROWS_AT_ONCE // max(self.columns, 1), 1)
        for top in range(0, len(rows), height):
            strip = slice(top, top + height)
            largest = self.tile(head, rows[strip], every, item=item).topk(k)
            values[strip], positions[strip] = largest.values, largest.indices
        return values, positions

    def of_head(self, head: int, item: int = 0) -> Attention:
        """Attention of one head in one sequence. Raises BadArgumentError for no such sequence."""
        one("item", item, self.batch)
        return self.attention.of_head(head, item)

    def tile(self, head: int, rows: Tensor, columns: Tensor, item: int = 0) -> Tensor:
        """The weights of chosen rows and columns, by ascending index."""
        return self.log_weights(head, rows, columns, item=item).exp()

    @torch.no_grad()
    def log_weights(self, head: int, rows: Tensor, columns: Tensor, *, item: int = 0) -> Tensor:
        """The logarithms of the same weights, score - lse; -inf where a weight is zero."""
        scores = self.tile_of_scores(head, rows, columns, item)
        return log_weights(scores, self.lse(head, rows, item=item))

    @torch.no_grad()
    def tile_of_scores(self, head: int, rows: Tensor, columns: Tensor, item: int = 0) -> Tensor:
        """The scores of chosen rows and columns, by ascending index; -inf where hidden."""
        if self._is_small(self.rows):
            one("item", item, self.batch)
            return self._scores[item, head][rows[:, None], columns]
        return self.of_head(head, item).scores(rows, columns, dtype=torch.float32)[0, 0]

    def tile_of_norms(self, head: int, rows: Tensor, columns: Tensor, item: int = 0) -> Tensor:
        """‖α · f(x)‖ at chosen rows and columns."""
        return self.tile(head, rows, columns, item) * self.norms_of_keys(head, columns, item)

    def norms_of_keys(self, head: int, columns: Tensor, item: int = 0) -> Tensor:
        """‖f(x)‖ of chosen keys. Raises UnsupportedError where W_O is not known."""
        if self.value_norms is None:
            raise UnsupportedError(
                f"‖α·f(x)‖ needs the output projection of {self.name}, which is not known here;"
                " ask for weights instead."
            )
        return self.value_norms[item, head][columns]

    def _of_heads(
        self,
        tile: Callable[[int, Tensor, Tensor, int], Tensor],
        head: int | None,
        queries: slice,
        keys: slice,
        item: int,
    ) -> Tensor:
        rows, columns = self.rows_of(queries), self.columns_of(keys)
        tiles = torch.stack([tile(number, rows, columns, item) for number in self.heads_of(head)])
        return tiles if head is None else tiles[0]

    def allowed(self, head: int, rows: Tensor, columns: Tensor, *, item: int = 0) -> Tensor | None:
        """Columns that those rows may see, as broadcasts to a tile; None where it
        is known to be all."""
        allowed = self.of_head(head, item).allowed(rows, columns)
        return None if allowed is None else allowed[0, 0]

    @torch.no_grad()
    def lse(self, head: int, rows: Tensor | None = None, *, item: int = 0) -> Tensor:
        """log Σ exp(score) of rows, float32: the kernel's own where it gave one, otherwise computed
        when rows are first looked at, and then remembered."""
        rows = torch.arange(self.rows, device=self.query.device) if rows is None else rows
        if self.known_lse is not None:
            return self.known_lse[item, head][rows]
        remembered = self._lse[item, head]
        missing = rows[remembered[rows].isnan()]
        if len(missing) and self._is_small(self.rows):
            self._lse.copy_(self.attention.lse(dtype=torch.float32))
        elif len(missing):
            lse = self.of_head(head, item).lse(missing, dtype=torch.float32)
            remembered[missing] = lse[0, 0]
        return remembered[rows]

    def is_seen(self, head: int, rows: Tensor, columns: Tensor, item: int) -> bool:
        """Return True if any of those rows may see any of those columns."""
        return self.of_head(head, item).sees(rows, columns)

    def _is_small(self, rows: int) -> bool:
        """Return True if all heads are computed at once: for a short text, calls are what costs."""
        return self.batch * self.heads * rows * self.columns <= AT_ONCE

    @cached_property
    def _scores(self) -> Tensor:
        """All scores of a small map, (batch, heads, rows, columns)."""
        shape = (self.batch, self.heads, self.rows, self.columns)
        return self.attention.scores(dtype=torch.float32).expand(shape)

    @cached_property
    @torch.inference_mode(False)  # an inference tensor could not be filled in later
    def _lse(self) -> Tensor:
        shape = (self.batch, self.heads, self.rows)
        return torch.full(shape, float("nan"), device=self.query.device)

    @cached_property
    def value_norms(self) -> Tensor | None:
        """‖f(x)‖ of every key for every head, (batch, heads, keys); None without W_O."""
        if self.output_weight is None:
            return None
        group = self.heads // self.key_heads
        norms = [
            # A head at a time: (batch, keys, d_model) is larger than anything that was recorded.
            torch.cat(
                [
                    (part.float() @ self.output_weight[head].float()).norm(dim=-1)
                    for part in self.value[:, head // group].split(4096, dim=1)
                ],
                dim=1,
            )
            for head in range(self.heads)
        ]
        return torch.stack(norms, dim=1)

    @cached_property
    def receipt(self) -> Receipt:
        """Row sums, and the difference from the softmax of whole rows in float64, on samples."""
        rows = torch.linspace(0, self.rows - 1, min(SAMPLED_ROWS, self.rows)).long().unique()
        rows = rows.to(self.query.device)
        columns = torch.arange(self.columns, device=self.query.device)
        sum_error = difference = 0.0
        together = None
        if self._is_small(len(rows)):
            together = self.attention.weights(rows, columns, dtype=torch.float64)[0]
        for head in range(self.heads):
            if together is not None:
                exact = together[head]
            else:
                exact = self.of_head(head).weights(rows, columns, dtype=torch.float64)[0, 0]
            weights = self.tile(head, rows, columns).double()
            difference = max(difference, float((weights - exact).abs().max()))
            sees = exact.sum(-1) > 0  # a row that sees nothing has no weights to add up
            sum_error = max(sum_error, float(((weights.sum(-1) - 1).abs() * sees).max()))
        dtype = str(self.query.dtype).removeprefix("torch.")
        return Receipt(sum_error, difference, len(rows) * self.heads, dtype)

    def heads_of(self, head: int | None) -> list[int]:
        if head is None:
            return list(range(self.heads))
        if not isinstance(head, int) or not 0 <= head < self.heads:
            raise BadArgumentError(f"{self.name} has heads 0 to {self.heads - 1}; got {head!r}.")
        return [head]

    def rows_of(self, queries: slice) -> Tensor:
        return indices("queries", queries, self.rows, self.query.device)

    def columns_of(self, keys: slice) -> Tensor:
        return indices("keys", keys, self.columns, self.query.device)


def one(name: str, index: int, length: int) -> slice:
    if not 0 <= index < length:
        raise BadArgumentError(f"{name} must be from 0 to {length - 1}; got {index}.")
    return slice(index, index + 1)


def indices(name: str, part: slice, length: int, device: torch.device) -> Tensor:
    if not isinstance(part, slice) or (part.step or 1) < 1:
        raise BadArgumentError(
            f"{name} must be a slice that runs forward, like slice(0, 64); got {part!r}."
        )
    for end in (part.start, part.stop):
        if end is not None and not -length <= end <= length:
            raise BadArgumentError(
                f"{name} must lie within 0 to {length}; got {part.start} to {part.stop}."
            )
    return torch.arange(length, device=device)[part]


def _cloned(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def hides_the_future(mask: Mask | None) -> bool:
    """Return True if the mask is, or contains as a necessary part, a causal one."""
    if isinstance(mask, Both):
        return hides_the_future(mask.left) or hides_the_future(mask.right)
    return isinstance(mask, Causal)
