"""Low-rank adapters: a trained projection that learns a change of few parameters.

Hu et al. 2021, LoRA: Low-Rank Adaptation of Large Language Models, equation 3.
"""

import math
from collections.abc import Collection

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.errors import BadArgumentError


class LowRankLinear(nn.Linear):
    """W x + b + α/r · B A x, of which A and B learn. Weight and bias keep their names."""

    def __init__(self, linear: nn.Linear, rank: int, alpha: float):
        super().__init__(
            linear.in_features, linear.out_features, bias=linear.bias is not None, device="meta"
        )
        self.weight, self.bias = linear.weight, linear.bias
        self.scale = alpha / rank
        self.lora_A = nn.Parameter(linear.weight.new_empty(rank, linear.in_features))
        self.lora_B = nn.Parameter(linear.weight.new_zeros(linear.out_features, rank))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))  # as PEFT draws it

    def forward(self, input: Tensor) -> Tensor:
        """(…, d_model) → (…, d_model)."""
        change = functional.linear(functional.linear(input, self.lora_A), self.lora_B)
        return super().forward(input) + self.scale * change

    @torch.no_grad()
    def merged(self) -> nn.Linear:
        """Return one projection of the same function."""
        linear = nn.Linear(
            self.in_features, self.out_features, bias=self.bias is not None, device="meta"
        )
        change = self.scale * (self.lora_B.float() @ self.lora_A.float())
        linear.weight = nn.Parameter((self.weight.float() + change).to(self.weight.dtype))
        linear.bias = self.bias
        return linear


def add_adapters(model: nn.Module, parts: Collection[str], *, rank: int, alpha: float) -> None:
    """Give an adapter to every projection whose name ends in one of `parts`; they alone learn."""
    if rank < 1:
        raise BadArgumentError(f"the rank of an adapter must be at least 1; got {rank}.")
    model.requires_grad_(False)
    adapted = 0
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if name in parts and isinstance(child, nn.Linear):
                setattr(module, name, LowRankLinear(child, rank, alpha))
                adapted += 1
    if not adapted:
        raise BadArgumentError(f"the model has no projection named {', '.join(sorted(parts))}.")


def merge_adapters(model: nn.Module) -> None:
    """Replace every adapted projection by one plain projection of the same function."""
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, LowRankLinear):
                setattr(module, name, child.merged())
