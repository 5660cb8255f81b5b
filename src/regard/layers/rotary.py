"""Rotary positions for attention layers: one table of angles, shared by all layers of a model."""

import torch
from torch import Tensor

from regard.errors import RegardError
from regard.positions.rotary import Scaling, rotary_frequencies, turn


class Rotary:
    """Turns query and key by their positions; has no weights and belongs in no state dict.

    Args:
        dim: head_dim of the layers that use it.
        theta: base of the frequencies.
        scaling: how a model stretches them for longer texts than it was first trained on.
    """

    def __init__(self, dim: int, *, theta: float = 10000.0, scaling: Scaling | None = None):
        self.dim = dim
        self.magnitude = 1.0 if scaling is None else scaling.magnitude
        with torch.device("cpu"):  # a real table, though the model be built on meta
            self.frequencies = rotary_frequencies(dim, theta=theta, scaling=scaling)
        self._frequencies: dict[torch.device, Tensor] = {}
        self._tables: dict[torch.device, tuple[Tensor, Tensor]] = {}

    def __call__(
        self, query: Tensor, key: Tensor, *, positions: Tensor | None = None, start: int = 0
    ) -> tuple[Tensor, Tensor]:
        """Query and key, (batch, heads, length, dim) each, turned.

        Args:
            positions: (batch or 1, length), at least 0; start, start + 1, … when not given.
        """
        cosine, sine = self._angles(query, positions, start)
        return turn(query, cosine, sine), turn(key, cosine, sine)

    def _angles(self, query: Tensor, positions: Tensor | None, start: int) -> tuple[Tensor, Tensor]:
        """Cosines and sines, (batch or 1, 1, length, dim / 2)."""
        length = query.shape[2]
        if positions is None:
            cosine, sine = self._table(start + length, query.device)
            return cosine[start : start + length], sine[start : start + length]
        if positions.ndim != 2 or positions.shape[1] != length:
            raise RegardError(
                f"positions must be (batch or 1, {length}); got shape {tuple(positions.shape)}."
            )
        # Not looked up: the table's length would have to be asked of the positions, which a GPU
        # waits for in every layer.
        angles = positions[:, None, :, None].float() * self._on(query.device)
        return self._cosine_and_sine(angles)

    def _cosine_and_sine(self, angles: Tensor) -> tuple[Tensor, Tensor]:
        return angles.cos() * self.magnitude, angles.sin() * self.magnitude

    @torch.inference_mode(False)  # what is made in inference mode could not be trained with later
    def _table(self, length: int, device: torch.device) -> tuple[Tensor, Tensor]:
        """Cosines and sines of at least the first `length` positions; doubles when it grows."""
        table = self._tables.get(device)
        if table is None or len(table[0]) < length:
            positions = torch.arange(max(length, 64, 2 * len(table[0]) if table else 0))
            angles = positions[:, None].float() * self.frequencies
            cosine, sine = self._cosine_and_sine(angles)
            table = self._tables[device] = cosine.to(device), sine.to(device)
        return table

    @torch.inference_mode(False)
    def _on(self, device: torch.device) -> Tensor:
        if device not in self._frequencies:
            self._frequencies[device] = self.frequencies.to(device)
        return self._frequencies[device]
