"""Masks: which query may attend to which key. True means "may attend".

A mask answers for any tile of the map, so a long map is masked without ever being built whole.
Positions are counted along the keys and aligned on the right: of `queries` rows over `keys`
columns, row i sits at position keys - queries + i. Decoding with a cache, where the newest query
belongs to the newest key, is then the ordinary case.
"""

from typing import TYPE_CHECKING

from regard.arrays import Array, arrays_of, dtype_of, torch_if_imported
from regard.errors import BadArgumentError
from regard.shapes import Bool, Int

if TYPE_CHECKING:
    import torch

    from regard.attention.whole_mask import WholeMask

# A whole mask up to this many entries is remembered by its object; a longer one is computed again.
REMEMBERED_ENTRIES = 2**24


class Mask:
    """A mask over a map. Composes with `&`, `|`, `~`; a boolean tensor may take either side.

    Masks are values: the whole is remembered after its first use, because every layer of a model
    asks for it again. A tensor that a mask was made from must not be changed in place afterwards.

    >>> places = torch.arange(4)
    >>> (Causal() & Window(1, 1)).tile(places, places)[0, 0].int()
    tensor([[1, 0, 0, 0],
            [1, 1, 0, 0],
            [0, 1, 1, 0],
            [0, 0, 1, 1]], dtype=torch.int32)
    >>> (~Causal()).tile(places[:2], places)[0, 0].int()
    tensor([[0, 1, 1, 1],
            [0, 0, 1, 1]], dtype=torch.int32)
    """

    _remembered: "tuple[object, WholeMask] | None" = None

    def tile(
        self, queries: Int[Array, " queries"], keys: Int[Array, " keys"]
    ) -> Bool[Array, "#batch #heads #queries #keys"]:
        """Return which of these keys each of these queries may see, both given by position."""
        raise NotImplementedError

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        """Raise BadArgumentError if the mask is for scores of another shape."""

    def allows_all(self, queries: int, keys: int) -> bool:
        """Return True if nothing is hidden, as far as is known without looking at any entry."""
        return False

    def sees(self, queries: Int[Array, " queries"], keys: Int[Array, " keys"]) -> bool:
        """Return True if any of these queries may see any of these keys; both ascend."""
        return not may_ask() or bool(self.tile(queries, keys).any())

    def sees_all(self, queries: Int[Array, " queries"], keys: Int[Array, " keys"]) -> bool:
        """Return True if all see all, as far as is known without looking at any entry."""
        return False

    def of_head(self, head: int, item: int | None = None) -> "Mask":
        """Return the mask of one head, in one sequence of the batch or in all."""
        return OfHead(self, head, item)

    def whole(self, queries: int, keys: int, device: "torch.device") -> "WholeMask":
        """Return the mask of all queries over all keys, with the forms in which kernels use it."""
        import torch

        from regard.attention.whole_mask import WholeMask

        call = (queries, keys, device, torch.is_inference_mode_enabled())
        # A tensor that is made inside a transformation of torch.func must not outlive it.
        lasting = may_ask()
        if lasting and self._remembered is not None and self._remembered[0] == call:
            return self._remembered[1]
        columns = torch.arange(keys, device=device)
        rows = torch.arange(keys - queries, keys, device=device)
        whole = WholeMask(self.tile(rows, columns))
        if lasting:
            short = whole.allowed.numel() <= REMEMBERED_ENTRIES
            self._remembered = (call, whole) if short else None
        return whole

    def __and__(self, other: "Mask | Array") -> "Mask":
        return Both(self, as_mask(other))

    def __or__(self, other: "Mask | Array") -> "Mask":
        return Either(self, as_mask(other))

    def __invert__(self) -> "Mask":
        return Not(self)

    __rand__ = __and__
    __ror__ = __or__


class Causal(Mask):
    """Each query sees its own position and the past, never the future.

    >>> places = torch.arange(3)
    >>> Causal().tile(places, places)[0, 0].int()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    """

    def tile(self, queries: Array, keys: Array) -> Array:
        return (keys <= queries[:, None])[None, None]

    def sees(self, queries: Array, keys: Array) -> bool:
        return bool(keys[0] <= queries[-1])

    def sees_all(self, queries: Array, keys: Array) -> bool:
        return bool(keys[-1] <= queries[0])

    def of_head(self, head: int, item: int | None = None) -> Mask:
        return self

    def allows_all(self, queries: int, keys: int) -> bool:
        return queries <= 1


class Window(Mask):
    """Each query sees `left` positions before its own, its own, and `right` after it.

    >>> places = torch.arange(4)
    >>> Window(left=1, right=0).tile(places, places)[0, 0].int()
    tensor([[1, 0, 0, 0],
            [1, 1, 0, 0],
            [0, 1, 1, 0],
            [0, 0, 1, 1]], dtype=torch.int32)
    """

    def __init__(self, left: int, right: int) -> None:
        if left < 0 or right < 0:
            raise BadArgumentError(
                f"Window needs left and right of at least 0; got left={left}, right={right}."
            )
        self.left, self.right = left, right

    def tile(self, queries: Array, keys: Array) -> Array:
        distance = keys - queries[:, None]
        return ((distance >= -self.left) & (distance <= self.right))[None, None]

    def allows_all(self, queries: int, keys: int) -> bool:
        return self.left >= keys - 1 and self.right >= max(keys, queries) - 1


class Documents(Mask):
    """Several documents packed in one row: each query sees its own document only.

    `ids` is (batch, keys), one number per document. Queries take the ids of the last positions,
    unless `query_ids` (batch, queries) are given, as cross-attention needs.

    >>> places = torch.arange(4)
    >>> Documents(torch.tensor([[0, 0, 1, 1]])).tile(places, places)[0, 0].int()
    tensor([[1, 1, 0, 0],
            [1, 1, 0, 0],
            [0, 0, 1, 1],
            [0, 0, 1, 1]], dtype=torch.int32)
    """

    def __init__(
        self, ids: Int[Array, "batch keys"], query_ids: Int[Array, "batch queries"] | None = None
    ) -> None:
        for name, tensor in (("ids", ids), ("query_ids", query_ids)):
            if tensor is not None and tensor.ndim != 2:
                raise BadArgumentError(
                    f"Documents needs {name} as (batch, positions);"
                    f" got shape {tuple(tensor.shape)}."
                )
        self.ids = ids
        self.query_ids = query_ids if query_ids is not None else ids

    def tile(self, queries: Array, keys: Array) -> Array:
        first = self.ids.shape[1] - self.query_ids.shape[1]  # the position of row 0
        beside = arrays_of(keys).beside
        of_queries = beside(self.query_ids, keys)[:, queries - first]
        of_keys = beside(self.ids, keys)[:, keys]
        return (of_queries[:, :, None] == of_keys[:, None, :])[:, None]

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        if self.ids.shape[1] != keys or self.ids.shape[0] not in (1, batch):
            raise mismatch("Documents", "(batch, keys)", (batch, keys), self.ids)
        apart = self.query_ids is not self.ids
        rows, columns = self.query_ids.shape
        if rows not in (1, batch) or (columns != queries if apart else columns < queries):
            raise mismatch("Documents", "(batch, queries)", (batch, queries), self.query_ids)


class Prefix(Mask):
    """The first `length` keys are seen by all: `Causal() | Prefix(n)` is a prefix language model.

    `length` is one number, or (batch,) of them.

    >>> places = torch.arange(4)
    >>> (Causal() | Prefix(2)).tile(places, places)[0, 0].int()
    tensor([[1, 1, 0, 0],
            [1, 1, 0, 0],
            [1, 1, 1, 0],
            [1, 1, 1, 1]], dtype=torch.int32)
    """

    def __init__(self, length: int | Int[Array, " batch"]) -> None:
        self.length = length

    def tile(self, queries: Array, keys: Array) -> Array:
        if isinstance(self.length, int):
            return (keys < self.length)[None, None, None]
        return (keys < arrays_of(keys).beside(self.length, keys)[:, None])[:, None, None]

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        if not isinstance(self.length, int) and self.length.shape not in ((1,), (batch,)):
            raise mismatch("Prefix", "(batch,)", (batch,), self.length)

    def allows_all(self, queries: int, keys: int) -> bool:
        return isinstance(self.length, int) and self.length >= keys


class Dense(Mask):
    """A boolean tensor as it is: (queries, keys), or (batch, heads, queries, keys).

    With four dimensions, batch, heads and queries may be 1 and then stand for all.

    >>> from regard.attention import attend
    >>> x = torch.eye(2)
    >>> attend(x, x, x, mask=Dense(torch.tensor([[True, False], [False, True]])))
    tensor([[1., 0.],
            [0., 1.]])
    """

    def __init__(self, allowed: Bool[Array, "*any"]) -> None:
        check_boolean("mask", allowed)
        self.allowed = allowed

    def tile(self, queries: Array, keys: Array) -> Array:
        allowed = self.allowed if self.allowed.ndim == 4 else self.allowed[None, None]
        allowed = arrays_of(keys).beside(allowed, keys)[..., keys]
        rows, columns = self.allowed.shape[-2:]
        if self.allowed.ndim == 4 and rows == 1:
            return allowed
        return allowed[:, :, queries - (columns - rows)]

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        if self.allowed.ndim == 4:
            names = "(batch, heads, queries, keys)"
            expected: tuple[int, ...] = (batch, heads, queries, keys)
            may_be_one: tuple[bool, ...] = (True, True, True, False)
        else:
            names, expected = "(queries, keys)", (queries, keys)
            may_be_one = (False, False)
        got = tuple(self.allowed.shape)
        if len(got) != len(expected) or not all(
            size == want or (one and size == 1)
            for size, want, one in zip(got, expected, may_be_one, strict=True)
        ):
            raise mismatch("mask", names, expected, self.allowed)


class Pair(Mask):
    """Two masks that are asked together."""

    def __init__(self, left: Mask, right: Mask) -> None:
        self.left, self.right = left, right

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        self.left.check(batch, heads, queries, keys)
        self.right.check(batch, heads, queries, keys)


class Both(Pair):
    """Keys that both masks allow: `left & right`."""

    def tile(self, queries: Array, keys: Array) -> Array:
        return self.left.tile(queries, keys) & self.right.tile(queries, keys)

    def allows_all(self, queries: int, keys: int) -> bool:
        return self.left.allows_all(queries, keys) and self.right.allows_all(queries, keys)


class Either(Pair):
    """Keys that one of the masks allows: `left | right`."""

    def tile(self, queries: Array, keys: Array) -> Array:
        return self.left.tile(queries, keys) | self.right.tile(queries, keys)

    def allows_all(self, queries: int, keys: int) -> bool:
        return self.left.allows_all(queries, keys) or self.right.allows_all(queries, keys)


class Not(Mask):
    """Keys that the mask hides: `~mask`."""

    def __init__(self, mask: Mask) -> None:
        self.mask = mask

    def tile(self, queries: Array, keys: Array) -> Array:
        return ~self.mask.tile(queries, keys)

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        self.mask.check(batch, heads, queries, keys)


class PastSink(Mask):
    """A mask of all keys but the first, a learned sink, which every query sees.

    >>> places = torch.arange(1, 4)
    >>> PastSink(Causal()).tile(places, torch.arange(4))[0, 0].int()
    tensor([[1, 1, 0, 0],
            [1, 1, 1, 0],
            [1, 1, 1, 1]], dtype=torch.int32)
    """

    def __init__(self, mask: Mask | None) -> None:
        self.mask = mask  # of the other keys; None: all are seen

    def tile(self, queries: Array, keys: Array) -> Array:
        arrays = arrays_of(keys)
        if self.mask is None:
            return arrays.library.ones(
                (1, 1, len(queries), len(keys)), dtype=arrays.library.bool, device=keys.device
            )
        return self.mask.tile(queries - 1, arrays.library.clip(keys - 1, min=0)) | (keys == 0)

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        if self.mask is not None:
            self.mask.check(batch, heads, queries, keys - 1)


class OfHead(Mask):
    """One head's part of a mask, in one sequence of the batch or in all."""

    def __init__(self, mask: Mask, head: int, item: int | None) -> None:
        self.mask, self.head, self.item = mask, head, item

    def tile(self, queries: Array, keys: Array) -> Array:
        allowed = self.mask.tile(queries, keys)
        if self.item is not None and len(allowed) > 1:
            allowed = allowed[self.item : self.item + 1]
        return allowed[:, self.head : self.head + 1] if allowed.shape[1] > 1 else allowed


def as_mask(mask: Mask | Array) -> Mask:
    """Return a mask as it is, or a boolean tensor, (queries, keys) or (batch, heads, queries,
    keys), as one. Raises BadArgumentError for anything else."""
    return mask if isinstance(mask, Mask) else Dense(mask)


def may_ask() -> bool:
    """Return True if code may branch on a mask's entries; under `torch.func.vmap` it may not."""
    # PyTorch has no public name for this.
    torch = torch_if_imported()  # where it is not, nothing transforms
    return torch is None or not torch._C._are_functorch_transforms_active()


def check_boolean(name: str, tensor: object) -> None:
    if not hasattr(tensor, "dtype"):
        raise BadArgumentError(f"{name} must be a boolean tensor; got {type(tensor).__name__}.")
    if (kind := dtype_of(tensor)) != "bool":
        raise BadArgumentError(
            f"{name} must be boolean, True where a query may attend; got {kind}"
            " (numbers to add to the scores belong in bias)."
        )


def mismatch(what: str, names: str, expected: tuple[int, ...], got: Array) -> BadArgumentError:
    """Return the error for a tensor (…) of another shape than expected."""
    transposed = (*got.shape[:-2], *got.shape[-2:][::-1]) == expected
    hint = " Did you transpose it?" if transposed else ""
    return BadArgumentError(f"{what} must be {names} = {expected}; got {tuple(got.shape)}.{hint}")
