"""The kernels by name, PyTorch's own among them, and which is the fastest for a call."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.nn.functional import scaled_dot_product_attention

from regard.attention.kernels.blocked import RunningAverage, blocked
from regard.attention.kernels.hidden import may_leak, without_hidden
from regard.attention.kernels.short import short
from regard.attention.masks import Causal
from regard.attention.record import Attention, outside_autocast, repeat_heads
from regard.attention.scores import cosine, dot, scaled, scaled_dot, unit
from regard.attention.softmax import softmax, zero_where_empty
from regard.errors import UnsupportedError
from regard.shapes import Float


def plain(
    attention: Attention,
) -> tuple[Float[Tensor, "batch heads queries value_dim"], Float[Tensor, "batch heads queries"]]:
    """Return the weighted average of the values, (batch, heads, queries, value_dim), and the
    log-sum-exp of each row of scores, (batch, heads, queries)."""
    weights, lse = softmax(attention.scores())
    value = repeat_heads(attention.value, attention.query.shape[1])
    return weights.to(value.dtype) @ value, lse


WHOLE_MAP_ENTRIES = 2**24  # up to here a map or a mask is built whole: 64 MiB in float32


def definition(inputs: Attention) -> tuple[Tensor, Tensor]:
    """Output, (batch, heads, queries, value_dim), and log-sum-exp, (batch, heads, queries), by
    operations that can be differentiated to any order."""
    batch, heads, queries, _ = inputs.query.shape
    entries = batch * heads * queries * inputs.key.shape[2]
    return plain(inputs) if entries <= WHOLE_MAP_ENTRIES else blocked(inputs)


def with_further_derivatives(output: Tensor, inputs: Attention) -> Tensor:
    """Return a kernel's output, (batch, heads, queries, value_dim), whose derivatives beyond the
    first are those of the definition."""
    query, key, value, score, mask, bias = inputs
    return _FurtherDerivatives.apply(output, score, mask, query, key, value, bias)


class _FurtherDerivatives(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, output: Tensor, score: object, mask: object, *tensors: Tensor | None
    ) -> Tensor:
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


Kernel = Callable[[Attention], tuple[Tensor, Tensor]]
"""Output and log-sum-exp, differentiable to any order."""

DotKernel = Callable[[Attention, float], Tensor]
"""The output for scores of scale · query keyᵀ, with its first derivative."""


def fused(attention: Attention, scale: float) -> Float[Tensor, "batch heads queries value_dim"]:
    """PyTorch's own kernel, scaled_dot_product_attention: (batch, heads, queries, value_dim).

    A mask other than a square Causal is built whole.
    """
    query, key, value, _, mask, bias = attention
    queries, keys = query.shape[2], key.shape[2]
    grouped = query.shape[1] != key.shape[1]
    # PyTorch aligns its causal mask on the left: ours, unless the map is square. On a CPU it also
    # multiplies the -inf of that mask by the scale.
    if bias is None and type(mask) is Causal and queries == keys and scale > 0:
        output = scaled_dot_product_attention(
            query, key, value, is_causal=True, scale=scale, enable_gqa=grouped
        )
        return _with_nan(output, attention)
    whole = None if mask is None else mask.whole(queries, keys, query.device)
    added: Tensor | None = None
    live_rows: Tensor | None = None
    if bias is not None:
        # In 16 bits a bias of 1000.3 is 1000 and one of 1e5 may be infinite; a GPU takes no other.
        on_cpu = query.device.type == "cpu"
        added = bias.to(torch.promote_types(query.dtype, torch.float32) if on_cpu else query.dtype)
        if whole is not None:
            added = added.masked_fill(whole.hidden, float("-inf"))
        live_rows = ~added.isneginf().all(-1, keepdim=True)
        added = added.masked_fill(~live_rows, 0)  # a softmax of nothing would be NaN
    elif whole is not None:
        added, live_rows = whole.allowed, whole.live_rows
    # Autocast would round the bias; the rest has been cast.
    with nullcontext() if bias is None else outside_autocast(query.device.type):
        output = scaled_dot_product_attention(
            query, key, value, attn_mask=added, scale=scale, enable_gqa=grouped
        )
    output = _with_nan(output, attention)
    # What an empty row gives differs between PyTorch's back ends.
    return output if live_rows is None else zero_where_empty(output, ~live_rows)


def _with_nan(output: Tensor, attention: Attention) -> Tensor:
    """Return the output, with NaN in the rows that have a score of NaN."""
    # Where the keys do not fill a vector register, PyTorch's CPU kernel passes over such scores.
    query, key, *_, bias = attention
    if key.shape[2] >= REGISTER or output.device.type != "cpu":
        return output
    with torch.no_grad():
        # A sum tells of NaN at a tenth of the price; compiled code cannot branch on it.
        total = query.sum() + key.sum() + (0 if bias is None else bias.sum())
        if not torch.compiler.is_compiling() and not total.isnan():
            return output
        wrong = attention.scores().isnan().any(-1, keepdim=True)
    return output.masked_fill(wrong, float("nan"))


ANY_SCORE: dict[str, Kernel] = {"plain": plain, "blocked": blocked}
DOT_PRODUCTS: dict[str, DotKernel] = {"short": short, "fused": fused}
REGISTER = 16  # float32 numbers in 512 bits, the widest there is


def cpu_multiplies_bfloat16() -> bool:
    """Return True if the processor multiplies bfloat16; emulated, it is slower than float32."""
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name) for name in ("avx512_bf16", "amx_bf16", "arm_bf16"))


_FAST_BFLOAT16 = cpu_multiplies_bfloat16()

# Measured on a CPU, see benchmarks/kernels.py:
# Keys up to which the fused kernel is slower; in bfloat16 its backward is so by far, and so is its
# forward where the processor multiplies bfloat16.
SHORT_KEYS_BFLOAT16 = 512
SHORT_KEYS_TRAINING = 128
SHORT_KEYS = 48
FEW_ENTRIES = 2048  # under this it is not the work that costs, but the number of calls


def run(kernel: str, inputs: Attention, return_lse: bool) -> tuple[Tensor, Tensor | None]:
    """Output, (batch, heads, queries, value_dim), and, if asked for, each row's log-sum-exp,
    (batch, heads, queries)."""
    if inputs.query.shape[2] == 0 or inputs.key.shape[2] == 0:
        return _of_nothing(inputs)
    if kernel == "auto":
        kernel = choose(inputs)
    compute = partial(_by_kernel, kernel, return_lse=return_lse)
    output, lse = compute(inputs)
    return without_hidden(inputs, compute) if may_leak(inputs, output) else (output, lse)


def _by_kernel(kernel: str, inputs: Attention, return_lse: bool) -> tuple[Tensor, Tensor | None]:
    if kernel in ANY_SCORE:
        return ANY_SCORE[kernel](inputs)
    dots, scale = _as_scaled_dot(kernel, inputs)
    if kernel == "short" and inputs.bias is not None:
        raise UnsupportedError(
            "kernel 'short' takes no bias; use kernel='plain', 'blocked' or 'fused'."
        )
    if _needs_definition(kernel):
        return definition(inputs)
    output = DOT_PRODUCTS[kernel](dots, scale)
    if output.requires_grad:
        output = with_further_derivatives(output, inputs)
    if not return_lse:
        return output, None
    # Fused kernels' own log-sum-exps have differed in base and alignment: ours is computed apart.
    return output, inputs.lse()


def _of_nothing(inputs: Attention) -> tuple[Tensor, Tensor]:
    """Output and log-sum-exp where there is no query or no key, with gradients of zero."""
    query, key, value, _, _, bias = inputs
    output, lse = RunningAverage(query, value.shape[-1]).result()
    for tensor in (query, key, value) if bias is None else (query, key, value, bias):
        zero = tensor[..., :0].sum()
        output, lse = output + zero, lse + zero
    return output.to(value.dtype), lse


def _needs_definition(kernel: str) -> bool:
    """Return True if torch.func, forward mode or torch.compile needs more than `kernel` can do."""
    # Once compiled, an autograd.Function drops second derivatives without an error.
    if kernel == "short" and torch.compiler.is_compiling():
        return True
    # PyTorch has no public names for these two.
    return torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0


def choose(inputs: Attention) -> str:
    """Return the fastest kernel for these inputs, as measured (benchmarks/kernels.py)."""
    query, key, _, score, mask, bias = inputs
    batch, heads, queries, head_dim = query.shape
    keys = key.shape[2]
    entries = batch * heads * queries * keys
    if score not in (scaled_dot, dot, cosine) and not isinstance(score, scaled):
        # Such a score may hold a vector for each entry, as additive and gaussian do.
        return "plain" if entries * head_dim <= 4 * WHOLE_MAP_ENTRIES else "blocked"
    builds_mask = mask is not None and not (
        type(mask) is Causal and bias is None and queries == keys
    )
    if builds_mask and batch * queries * keys > 4 * WHOLE_MAP_ENTRIES:
        return "blocked"
    if bias is not None or query.device.type != "cpu":
        return "fused"
    return "short" if _suits_short(inputs, entries) else "fused"


def _suits_short(inputs: Attention, entries: int) -> bool:
    query, key, value = inputs[:3]
    queries, keys = query.shape[2], key.shape[2]
    training = torch.is_grad_enabled() and any(
        tensor.requires_grad for tensor in (query, key, value)
    )
    if entries < FEW_ENTRIES and not training:
        return False
    limit = SHORT_KEYS_TRAINING if training else SHORT_KEYS
    if query.dtype == torch.bfloat16 and (training or _FAST_BFLOAT16):
        limit = SHORT_KEYS_BFLOAT16
    return queries == 1 or (keys <= limit and entries <= 4 * WHOLE_MAP_ENTRIES)


def _as_scaled_dot(kernel: str, inputs: Attention) -> tuple[Attention, float]:
    """Return the attention and the scale with which scale · query keyᵀ are the scores."""
    query, score = inputs.query, inputs.score
    if score is scaled_dot:
        return inputs, query.shape[-1] ** -0.5
    if score is dot:
        return inputs, 1.0
    if score is cosine:
        return inputs._replace(query=unit(query), key=unit(inputs.key)), 1.0
    if isinstance(score, scaled):
        return inputs, score.factor
    raise UnsupportedError(
        f"kernel {kernel!r} supports only the scores scaled_dot, scaled, dot and cosine;"
        " use kernel='plain' or 'blocked' for this one."
    )
