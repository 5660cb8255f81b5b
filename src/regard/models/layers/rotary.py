"""Rotary positions of attention layers: one table of angles for all layers of a model."""

import torch
from torch import Tensor

from regard.errors import BadArgumentError, check_length
from regard.models.positions.rotary import Scaling, apply_rotary, rotary_frequencies


class Rotary:
    """Rotates query and key by their positions; has no weights, so it is not an nn.Module.

    >>> from regard.models.layers import MultiHeadAttention
    >>> attention = MultiHeadAttention(64, 8, rotary=Rotary(dim=8))
    >>> attention(torch.randn(2, 5, 64)).shape
    torch.Size([2, 5, 64])

    Args:
        dim: numbers of a head that are rotated: its first ones.
        theta: base of the frequencies.
        scaling: changes the frequencies for longer texts than the model was first trained on.
        longest: tokens of a text at most; None: no limit.
    """

    def __init__(
        self,
        dim: int,
        *,
        theta: float = 10000.0,
        scaling: Scaling | None = None,
        longest: int | None = None,
    ):
        self.dim, self.longest = dim, longest
        self.attention_factor = 1.0 if scaling is None else scaling.attention_factor
        with torch.device("cpu"):  # real values even in a model built on meta
            self.frequencies = rotary_frequencies(dim, theta=theta, scaling=scaling)
        self._frequencies: dict[torch.device, Tensor] = {}
        self._tables: dict[torch.device, tuple[Tensor, Tensor]] = {}

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Rotary)
            and (self.attention_factor, self.longest) == (other.attention_factor, other.longest)
            and torch.equal(self.frequencies, other.frequencies)
        )

    def __call__(
        self, query: Tensor, key: Tensor, *, positions: Tensor | None = None, start: int = 0
    ) -> tuple[Tensor, Tensor]:
        """Query and key, (batch, heads, length, head_dim) each, rotated.

        Args:
            positions: (batch or 1, length), at least 0; by default start, start + 1, ….

        Raises:
            BadArgumentError: a text that is too long, or positions of another shape.
        """
        cosine, sine = self._angles(query, positions, start)
        return apply_rotary(query, cosine, sine), apply_rotary(key, cosine, sine)

    def _angles(self, query: Tensor, positions: Tensor | None, start: int) -> tuple[Tensor, Tensor]:
        """Cosines and sines, (batch or 1, 1, length, dim / 2) or (length, dim / 2)."""
        length = query.shape[2]
        if self.longest is not None and length:
            end = start + length if positions is None else int(positions.max()) + 1
            check_length(end, self.longest)
        if positions is None:
            cosine, sine = self._table(start + length, query.device)
            return cosine[start : start + length], sine[start : start + length]
        if positions.ndim != 2 or positions.shape[1] != length:
            raise BadArgumentError(
                f"positions must be (batch or 1, {length}); got shape {tuple(positions.shape)}."
            )
        # Not from the table: its length would depend on the largest position, and reading that
        # from a GPU waits for it in every layer.
        return self._cosine_and_sine(positions[:, None, :, None].float() * self._on(query.device))

    def _cosine_and_sine(self, angles: Tensor) -> tuple[Tensor, Tensor]:
        return angles.cos() * self.attention_factor, angles.sin() * self.attention_factor

    @torch.inference_mode(False)  # tensors made in inference mode cannot be used in training
    def _table(self, length: int, device: torch.device) -> tuple[Tensor, Tensor]:
        """Cosines and sines of at least the first `length` positions; its size doubles."""
        table = self._tables.get(device)
        if table is None or len(table[0]) < length:
            positions = torch.arange(max(length, 64, 2 * len(table[0]) if table else 0))
            cosine, sine = self._cosine_and_sine(positions[:, None].float() * self.frequencies)
            table = self._tables[device] = cosine.to(device), sine.to(device)
        return table

    @torch.inference_mode(False)
    def _on(self, device: torch.device) -> Tensor:
        if device not in self._frequencies:
            self._frequencies[device] = self.frequencies.to(device)
        return self._frequencies[device]
