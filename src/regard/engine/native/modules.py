"""Weights of a model of torch, for the native engine; its modules must be those of its config."""

from typing import Any

import torch
from numpy.typing import NDArray
from torch import nn

from regard import models
from regard.checkpoints.weights import as_array
from regard.engine.native.loading import BIAS, cannot_run
from regard.models import Model
from regard.models.layers import Stack
from regard.models.layers.low_rank import LowRankLinear

_SETTINGS = (
    *("score", "activation", "eps", "num_heads", "num_key_heads", "head_dim", "norm_first"),
    *("windows", "scale", "offset", "rotary", "per_token", "adds_to_one"),
    "gate_limit",
)


@torch.no_grad()
def state_of(model: Model) -> dict[str, NDArray[Any]]:
    """Weights by name, and tables of positions; adapters are merged into theirs.

    Raises:
        UnsupportedError: a module that is not what the config describes.
    """
    _check_modules(model)
    tensors = dict(model.state_dict())
    for name, module in model.named_modules():
        if isinstance(module, LowRankLinear):
            tensors[f"{name}.weight"] = module.merged().weight
        if isinstance(module, Stack) and module.relative_bias is not None:
            tensors[f"{name}.{BIAS}"] = module.relative_bias.by_distance()
    return {name: as_array(tensor) for name, tensor in tensors.items()}


def _check_modules(model: Model) -> None:
    with torch.device("meta"):
        described = dict(getattr(models, model.architecture)(model.config).named_modules())
    for name, module in model.named_modules():
        if isinstance(module, LowRankLinear | nn.Dropout) or name not in described:
            continue
        other = described[name]
        if type(module) is not type(other):
            raise cannot_run(f"{name}, a {type(module).__name__},")
        for setting in _SETTINGS:
            if getattr(module, setting, None) != getattr(other, setting, None):
                raise cannot_run(f"{name} with another {setting} than its config's")
