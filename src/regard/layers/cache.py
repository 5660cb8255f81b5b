"""The key-value cache: keys and values of earlier decoding steps."""

import torch
from torch import Tensor


class KeyValueCache:
    """Keys and values of one attention layer, each (rows, heads, length, head_dim).

    Storage doubles when it is full, so n appended steps are copied O(n) times in all.
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
        """Adds steps, (rows, heads, new, head_dim) each, and returns all keys and values, (rows,
        heads, length + new, head_dim) each."""
        needed = self.length + key.shape[2]
        self._key = _room_for(self._key, key, needed, self.length)
        self._value = _room_for(self._value, value, needed, self.length)
        self._key[:, :, self.length : needed] = key
        self._value[:, :, self.length : needed] = value
        self.length = needed
        return self.key, self.value

    def select(self, rows: Tensor) -> None:
        """Keeps, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        if self._key is not None and self._value is not None:
            self._key = self._key.index_select(0, rows)
            self._value = self._value.index_select(0, rows)


class LayerCache:
    """The caches of one decoder layer: self-attention's grows, cross-attention's is filled once."""

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
