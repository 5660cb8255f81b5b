"""A mask over a whole map, evaluated once and kept in the forms that kernels take."""

from functools import cached_property

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard.shapes import Bool, Shaped


class WholeMask:
    """Entries of a map that are allowed; each other form is made when it is first needed."""

    def __init__(self, allowed: Bool[Tensor, "#batch #heads #queries #keys"]) -> None:
        self.allowed = allowed
        self._additive: dict[tuple[torch.dtype, int], Tensor] = {}

    @cached_property
    def hidden(self) -> Bool[Tensor, "#batch #heads #queries #keys"]:
        return ~self.allowed

    @cached_property
    def live_rows(self) -> Bool[Tensor, "#batch #heads #queries 1"] | None:
        """Rows that see at least one key; None where it is known that all do."""
        live = self.allowed.any(-1, keepdim=True)
        if live.device.type == "cpu" and bool(live.all()):  # asking a GPU would wait for it
            return None
        return live

    def additive(
        self, dtype: torch.dtype, width: int
    ) -> Shaped[Tensor, "#batch #heads #queries width"]:
        """0 where allowed, `lowest` where not and in the columns added up to `width`."""
        form = self._additive.get((dtype, width))
        if form is None:
            form = torch.zeros(self.allowed.shape, dtype=dtype, device=self.allowed.device)
            form = form.masked_fill_(self.hidden, lowest(dtype))
            form = pad(form, (0, width - form.shape[-1]), value=lowest(dtype))
            self._additive[dtype, width] = form
        return form


def lowest(dtype: torch.dtype) -> float:
    """So low that its exponential is zero beside any score, and a score added cannot overflow."""
    return torch.finfo(dtype).min / 2
