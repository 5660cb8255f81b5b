"""Second derivatives, forward mode and torch.func: the fast kernels have none of these.

A fast kernel computes its output and its first derivative. Everything beyond is the derivative of
the definition, so it is exact to any order and costs no time until it is asked for.
"""

from typing import Any

import torch
from torch import Tensor

from regard.attention.kernels.blocked import blocked
from regard.attention.kernels.plain import plain
from regard.attention.record import Attention

WHOLE_MAP_ENTRIES = 2**24  # up to here a map or a mask is built whole: 64 MiB in float32


def definition(inputs: Attention) -> tuple[Tensor, Tensor]:
    """Output, (batch, heads, queries, value_dim), and log-sum-exp, (batch, heads, queries), by
    operations that can be differentiated to any order."""
    batch, heads, queries, _ = inputs.query.shape
    entries = batch * heads * queries * inputs.key.shape[2]
    return plain(inputs) if entries <= WHOLE_MAP_ENTRIES else blocked(inputs)


def with_further_derivatives(output: Tensor, inputs: Attention) -> Tensor:
    """A kernel's output, (batch, heads, queries, value_dim), whose derivatives beyond the first are
    those of the definition."""
    query, key, value, score, mask, bias = inputs
    return _FurtherDerivatives.apply(output, score, mask, query, key, value, bias)


class _FurtherDerivatives(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, output: Tensor, score: Any, mask: Any, *tensors: Tensor | None) -> Tensor:
        ctx.score, ctx.mask = score, mask
        ctx.save_for_backward(*tensors)
        return output.detach()  # no view of it, which could not be changed in place

    @staticmethod
    def backward(ctx: Any, output_grad: Tensor) -> tuple[Tensor | None, ...]:
        if not torch.is_grad_enabled():  # the gradient itself will not be differentiated
            return output_grad, None, None, None, None, None, None
        # Aliases, since one tensor may be query, key and value and each has its own gradient.
        aliases: list[Any] = [
            None if tensor is None else tensor.view_as(tensor) for tensor in ctx.saved_tensors
        ]
        query, key, value, bias = aliases
        output, _ = definition(Attention(query, key, value, ctx.score, ctx.mask, bias))
        leaves = [tensor for tensor in aliases if tensor is not None and tensor.requires_grad]
        grads = torch.autograd.grad(output, leaves, output_grad, create_graph=True)
        gradient = dict(zip(map(id, leaves), grads, strict=True))
        return None, None, None, *(gradient.get(id(tensor)) for tensor in aliases)
