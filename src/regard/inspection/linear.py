"""Linear layers, whatever their class."""

from torch import Tensor, nn


def weight_of(module: nn.Module) -> Tensor | None:
    """A linear layer's weight as (inputs, outputs); None for any other module."""
    weight = getattr(module, "weight", None)
    if not isinstance(weight, Tensor) or weight.ndim != 2 or not weight.is_floating_point():
        return None
    if isinstance(module, nn.Linear):
        return weight.mT
    # GPT-2's Conv1D is a linear layer whose weight is stored the other way round.
    return weight if type(module).__name__ == "Conv1D" else None
