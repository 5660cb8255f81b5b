"""W_O of each attention layer: the linear layer that its output goes into, seen as it happens.

Whatever it is called in a model's code, and only if nothing is done to the output in between.
"""

from typing import Any

import torch
from torch import Tensor, nn

from regard.inspection.linear import weight_of
from regard.inspection.tap import Tap


class Projections:
    """Waits, after each attention, for the linear layer that is given its output."""

    def __init__(self) -> None:
        self._expected: tuple[Tap, Tensor] | None = None

    def expect(self, tap: Tap, output: Tensor) -> None:
        """`output` of the attention, (batch, heads, queries, value_dim)."""
        self._expected = (tap, output)

    def see(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keeps the weight of a linear layer whose input is the expected output."""
        if self._expected is None or not args:
            return
        tap, output = self._expected
        weight, states = weight_of(module), args[0]
        _, heads, _, value_dim = output.shape
        if weight is None or states.shape[-1] != heads * value_dim or not states.numel():
            return
        last = output[-1, :, -1].reshape(-1)
        if torch.equal(states.reshape(-1, heads * value_dim)[-1], last):
            tap.output_weight = weight.detach().view(heads, value_dim, -1)
            self._expected = None


def linear_layers(model: nn.Module) -> list[nn.Module]:
    """The modules to watch for `Projections.see`."""
    return [
        module
        for path, module in model.named_modules()
        # The base layer of an adapter is only a part of what is done to its input.
        if weight_of(module) is not None and not path.endswith("base_layer")
    ]
