"""Padding: which ids are no tokens, and the mask that hides them."""

from functools import cached_property

from regard.arrays import Array, arrays_of, kind_of_device
from regard.attention.masks import Mask, check_boolean, may_ask, mismatch
from regard.errors import BadArgumentError
from regard.shapes import Bool, Int


def not_padding(ids: Array, pad_id: int | None) -> Array:
    """Return True for a token, False for padding, (batch, length): where ids are not `pad_id`, of a
    model that has one."""
    library = arrays_of(ids).library
    return library.ones_like(ids, dtype=library.bool) if pad_id is None else ids != pad_id


class Padding(Mask):
    """Hides padding. `attention_mask` is (batch, keys), True where there is a token.

    >>> Padding.from_lengths(torch.tensor([2, 4])).attention_mask.int()
    tensor([[1, 1, 0, 0],
            [1, 1, 1, 1]], dtype=torch.int32)
    """

    def __init__(self, attention_mask: Bool[Array, "batch keys"]) -> None:
        check_boolean("Padding's `attention_mask`", attention_mask)
        if attention_mask.ndim != 2:
            raise BadArgumentError(
                "Padding needs attention_mask as (batch, keys);"
                f" got shape {tuple(attention_mask.shape)}."
            )
        self.attention_mask = attention_mask

    @classmethod
    def from_lengths(cls, lengths: Int[Array, " batch"], keys: int | None = None) -> "Padding":
        """Row b has lengths[b] tokens, then padding up to `keys` (default: the longest)."""
        width = keys if keys is not None else int(lengths.max())
        return cls(arrays_of(lengths).count(width, like=lengths) < lengths[:, None])

    def tile(self, queries: Array, keys: Array) -> Array:
        return arrays_of(keys).beside(self.attention_mask, keys)[:, None, None, keys]

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        rows, columns = self.attention_mask.shape
        if columns != keys or rows not in (1, batch):
            raise mismatch("Padding", "(batch, keys)", (batch, keys), self.attention_mask)

    def allows_all(self, queries: int, keys: int) -> bool:
        return self._has_none

    @cached_property
    def _has_none(self) -> bool:
        # Asking a GPU would wait for it; there the mask is simply applied.
        return (
            kind_of_device(self.attention_mask) == "cpu"
            and may_ask()
            and bool(self.attention_mask.all())
        )
