"""The key-value cache: what attention has already projected, kept for the next step of decoding."""

import torch
from torch import Tensor


class KeyValueCache:
    """Keys and values of one attention layer, each (rows, heads, length, head_dim).

    Storage doubles when it is full, so appending n steps costs O(n) copies in all.
    """

    def __init__(self) -> None:
        self.length = 0
        self._key: Tensor | None = None
        self._value: Tensor | None = None

    @property
    def key(self) -> Tensor:
        assert self._key is not None, "the cache is empty"
        return self._key[:, :, : self.length]

    @property
    def value(self) -> Tensor:
        assert self._value is not None, "the cache is empty"
        return self._value[:, :, : self.length]

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Adds new steps at the end and returns everything held."""
        needed = self.length + key.shape[2]
        self._key = _room_for(self._key, key, needed, self.length)
        self._value = _room_for(self._value, value, needed, self.length)
        self._key[:, :, self.length : needed] = key
        self._value[:, :, self.length : needed] = value
        self.length = needed
        return self.key, self.value

    def select(self, rows: Tensor) -> None:
        """Keeps, repeats or reorders rows; `rows` holds indices into the present ones."""
        if self._key is not None and self._value is not None:
            self._key = self._key.index_select(0, rows)
            self._value = self._value.index_select(0, rows)


class LayerCache:
    """What one decoder layer keeps: its growing self-attention and its fixed cross-attention."""

    def __init__(self) -> None:
        self.self_attention = KeyValueCache()
        self.cross_attention = KeyValueCache()


def _room_for(storage: Tensor | None, new: Tensor, needed: int, length: int) -> Tensor:
    if storage is not None and storage.shape[2] >= needed:
        return storage
    rows, heads, _, width = new.shape
    # A first append takes just its size (cross-attention never grows); later ones double it.
    capacity = needed if storage is None else max(needed, 2 * storage.shape[2], 16)
    larger = torch.empty(rows, heads, capacity, width, dtype=new.dtype, device=new.device)
    if storage is not None:
        larger[:, :, :length] = storage[:, :, :length]
    return larger
