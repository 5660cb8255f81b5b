"""Linear layers whatever their class, and those that attention's output goes into: its W_O."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regard.inspection.tap import Tap
from regard.lazy import torch

if TYPE_CHECKING:
    from torch import Tensor


def weight_of(module: torch.nn.Module) -> Tensor | None:
    """Return a linear layer's weight as (inputs, outputs); None for any other module."""
    weight = getattr(module, "weight", None)
    if not isinstance(weight, torch.Tensor) or weight.ndim != 2 or not weight.is_floating_point():
        return None
    if isinstance(module, torch.nn.Linear):
        return weight.mT
    # GPT-2's Conv1D is a linear layer whose weight is stored the other way round.
    return weight if type(module).__name__ == "Conv1D" else None


class Projections:
    """Waits, after each attention, for the linear layer that is given its output: whatever it is
    called in a model's code, and only if nothing is done to the output in between."""

    def __init__(self) -> None:
        self._expected: tuple[Tap, Tensor] | None = None

    def expect(self, tap: Tap, output: Tensor) -> None:
        """`output` of the attention, (batch, heads, queries, value_dim)."""
        self._expected = (tap, output)

    def see(self, module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keep the weight of a linear layer whose input is the expected output."""
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


def linear_layers(model: torch.nn.Module) -> list[torch.nn.Module]:
    """Return the modules to watch for `Projections.see`."""
    return [
        module
        for path, module in model.named_modules()
        # The base layer of an adapter is only a part of what is done to its input.
        if weight_of(module) is not None and not path.endswith("base_layer")
    ]
