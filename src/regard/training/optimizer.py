"""Optimizers of the master weights, AdamW or Muon, and their moments as named tensors."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from regard.training.config import TrainingConfig
from regard.training.muon import Muon
from regard.training.precision import MasterWeights
from regard.training.processes import SharedWeights

Weights = MasterWeights | SharedWeights


def make_optimizers(
    weights: Weights, config: TrainingConfig, scale: Callable[[str], float]
) -> list[torch.optim.Optimizer]:
    """AdamW (Loshchilov & Hutter 2019), or Muon on the layers' matrices and AdamW on the others.

    Biases and norms are not decayed.

    Args:
        scale: a parameter's name → its learning rate over the schedule's, kept in its group.
    """
    groups: dict[tuple[bool, float, float], list[nn.Parameter]] = {}
    for name, parameter in weights.parameters.items():
        matrix = parameter.dim() > 1
        muon = config.optimizer == "muon" and parameter.dim() == 2 and "layers." in name
        key = (muon, config.weight_decay if matrix else 0.0, scale(name))
        groups.setdefault(key, []).append(parameter)
    optimizers: list[torch.optim.Optimizer] = []
    for is_muon in (False, True):
        chosen = [
            {"params": parameters, "weight_decay": decay, "scale": factor}
            for (muon, decay, factor), parameters in groups.items()
            if muon == is_muon
        ]
        if chosen and is_muon:
            optimizers.append(Muon(chosen, lr=config.learning_rate, dtype=weights.dtype))
        elif chosen:
            optimizers.append(
                torch.optim.AdamW(
                    chosen, lr=config.learning_rate, betas=config.betas, eps=config.eps, fused=True
                )
            )
    return optimizers


def moments(optimizers: Iterable[torch.optim.Optimizer], weights: Weights) -> dict[str, Tensor]:
    """Return the optimizers' state as `exp_avg/name` and so on, for a file without code in it."""
    return weights.gather(
        {
            f"{key}/{name}": value
            for optimizer in optimizers
            for name, parameter in weights.parameters.items()
            if parameter in optimizer.state
            for key, value in optimizer.state[parameter].items()
        }
    )


def load_moments(
    optimizers: Iterable[torch.optim.Optimizer], weights: Weights, tensors: dict[str, Tensor]
) -> None:
    """Put back what `moments` gave."""
    owner = {
        parameter: optimizer
        for optimizer in optimizers
        for group in optimizer.param_groups
        for parameter in group["params"]
    }
    for full_name, value in tensors.items():
        key, name = full_name.split("/", 1)
        parameter = weights.parameters[name]
        owner[parameter].state[parameter][key] = weights.part(parameter, value)
