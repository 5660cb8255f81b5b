"""AdamW over the master weights, and its moments as named tensors."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from regard.training.config import TrainingConfig
from regard.training.precision import MasterWeights
from regard.training.processes import SharedWeights

Weights = MasterWeights | SharedWeights


def adamw(
    weights: Weights, config: TrainingConfig, scale: Callable[[str], float]
) -> torch.optim.AdamW:
    """AdamW (Loshchilov & Hutter 2019); biases and norms are not decayed.

    Args:
        scale: a parameter's name → its learning rate over the schedule's, kept in its group.
    """
    members: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in weights.parameters.items():
        decay = config.weight_decay if parameter.dim() > 1 else 0.0
        members.setdefault((decay, scale(name)), []).append(parameter)
    groups = [
        {"params": parameters, "weight_decay": decay, "scale": own}
        for (decay, own), parameters in members.items()
    ]
    return torch.optim.AdamW(
        groups, lr=config.learning_rate, betas=config.betas, eps=config.eps, fused=True
    )


def moments(optimizer: torch.optim.Optimizer, weights: Weights) -> dict[str, Tensor]:
    """The optimizer's state as `exp_avg/name` and so on, for a file without code in it."""
    return weights.gather(
        {
            f"{key}/{name}": value
            for name, parameter in weights.parameters.items()
            for key, value in optimizer.state[parameter].items()
        }
    )


def load_moments(
    optimizer: torch.optim.Optimizer, weights: Weights, tensors: dict[str, Tensor]
) -> None:
    """Puts back what `moments` gave."""
    for full_name, value in tensors.items():
        key, name = full_name.split("/", 1)
        parameter = weights.parameters[name]
        optimizer.state[parameter][key] = weights.part(parameter, value)
