"""Direct logit attribution: a logit as the sum of what heads, feed-forward networks and the
embedding add to it on the residual stream (Elhage et al. 2021, A Mathematical Framework for
Transformer Circuits).

Two things make the sum exact. Every norm on the stream keeps the scale, 1/σ, that it had in the
run, so it is linear; in a pre-norm model that concerns the final norm alone, in a post-norm model
each norm that a term passes. And what a term changes in later layers' heads and networks is not
counted as its own: their outputs are terms themselves.

For any model: the outputs of all linear layers within the stack are cut from the graph, so what
gradient remains is that of the residual path, and a term is its output times its gradient.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from regard.attention import Call
from regard.errors import BadArgumentError, UnsupportedError
from regard.inspection.answers import Attribution, Contribution
from regard.inspection.attribution.stream import Stream, as_module
from regard.inspection.linear import weight_of
from regard.inspection.trace_data import TraceData
from regard.inspection.watching import watching
from regard.lazy import torch

if TYPE_CHECKING:
    from torch import Tensor

ATTENTION = re.compile("att", re.IGNORECASE)


def logit_attribution(trace: TraceData, step: int, against: int | None = None) -> Attribution:
    """Return the contributions to the logit of the token that a step wrote; they add up to the
    logit.

    >>> trace = regard.load("en-de").trace("Where is the station?")
    >>> found = logit_attribution(trace, step=2)
    >>> abs(sum(part.value for part in found.contributions) - found.logit) < 1e-3
    True

    Args:
        step: a generated token by its number or, where nothing was generated, a position.
        against: the id of another token; the contributions are then those to the difference of the
            two logits, which is what decides between them.

    Raises:
        UnsupportedError: a trace without its model; a model that does not write, whose head is not
            linear.
        BadArgumentError: there is no such step or token.
    """
    trace = as_module(trace)  # for its gradients
    stream = Stream(trace)
    check_linear_head(trace)
    id_ = stream.ids[stream.check_step(step)]
    vocab = stream.logits.shape[-1]
    if against is not None and not 0 <= against < vocab:
        raise BadArgumentError(f"against must be from 0 to {vocab - 1}; got {against}.")
    row = stream.first_row + step
    with torch.enable_grad():
        terms = Terms(stream)
        logits = terms.run()[0, row]
        logit = logits[id_] if against is None else logits[id_] - logits[against]
        parts = terms.contributions(logit, row)
    other = None if against is None else stream.token(against)
    return Attribution(step, stream.token(id_), other, float(logit.detach()), parts)


def check_linear_head(trace: TraceData) -> None:
    """Raise UnsupportedError unless logits are a linear function of the last normed state."""
    config = getattr(trace.model, "config", None)
    capped = getattr(config, "final_logit_softcapping", None)
    if trace.task not in ("translation", "generation", "transcription") or capped is not None:
        raise UnsupportedError(
            f"the logits of {trace.model_name} are not a linear function of its last state, so they"
            " are no sum of what heads add; choose a translator or a language model without a"
            " cap on its logits."
        )


@dataclass
class Term:
    """The output of a linear layer, cut from what it was computed from."""

    path: str
    layer: int
    module: torch.nn.Module
    output: Tensor
    tap: str | None = None
    heads: Tensor | None = None  # the attention's output, (batch, heads, queries, value_dim)


@dataclass
class Terms:
    """A run that records everything that is added to the residual stream."""

    stream: Stream
    terms: list[Term] = field(default_factory=list)
    shifts: list[Tensor] = field(default_factory=list)  # what norms add
    first: Tensor | None = None  # the first layer's input
    last: Tensor | None = None  # the last layer's output

    def run(self) -> Tensor:
        model, layers = self.stream.model, list(dict.fromkeys(self.stream.layers))
        paths = {module: path for path, module in model.named_modules()}
        self._ran = 0
        self._attended: tuple[str, Tensor] | None = None
        inner = [module for layer in layers for module in layer.modules()]
        linear = [module for module in dict.fromkeys(inner) if weight_of(module) is not None]
        norms = [module for module in model.modules() if is_norm(module)]
        tables = [module for module in model.modules() if isinstance(module, torch.nn.Embedding)]

        def cut(module: torch.nn.Module, args: tuple[Any, ...], output: Tensor) -> Tensor:
            marked = leaf(output)
            term = Term(paths[module], self._ran, module, marked)
            term.tap, term.heads = self._attention_into(args[0])
            self.terms.append(term)
            return marked.clone()

        def frozen(module: torch.nn.Module, args: tuple[Any, ...], output: Tensor) -> Tensor:
            if self.first is None:
                return output  # before the stack, such as an embedding's
            linear_part = at_fixed_scale(module, args[0], output)
            self.shifts.append(leaf(output - linear_part))
            return linear_part + self.shifts[-1]

        def enter(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            if self.first is None:
                self.first = args[0] if args else kwargs["hidden_states"]

        self._within = 0
        with ExitStack() as hooks:
            hooks.enter_context(watching(linear, after=cut))
            hooks.enter_context(watching(norms, after=frozen))
            hooks.enter_context(watching(tables, after=lambda m, a, output: leaf(output).clone()))
            hooks.enter_context(watching(layers, before=enter))
            return self.stream.run(self._keep, self._leave)

    def _keep(self, name: str, call: Call) -> None:
        self._attended = (name, call.output)

    def _leave(self, layer: int, state: Tensor) -> None:
        self._ran, self._within, self.last = layer + 1, len(self.shifts), state

    def _attention_into(self, states: Tensor) -> tuple[str | None, Tensor | None]:
        """Return the attention whose output is the input of a linear layer, unchanged."""
        if self._attended is None:
            return None, None
        name, output = self._attended
        joined = output.transpose(1, 2).reshape(-1)
        if states.numel() != joined.numel() or not torch.equal(states.reshape(-1), joined):
            return None, None
        self._attended = None
        return name, output.detach()

    def contributions(self, logit: Tensor, row: int) -> list[Contribution]:
        """Return the terms of a logit, or of a difference of logits, at a position."""
        assert self.first is not None, "the first layer has run"
        assert self.last is not None, "the last layer has run"
        shifts, outputs = self.shifts[: self._within], [term.output for term in self.terms]
        parts = [self.first, self.last, *shifts, *outputs]
        first, last, *others = torch.autograd.grad(logit, parts, allow_unused=True)
        contributions = [Contribution("embedding", None, None, None, product(self.first, first))]
        # What no state is multiplied by: norms' shifts and biases, in the layers and behind them.
        bias = float(logit.detach()) - product(self.last, last)
        bias += sum(map(product, shifts, others[: len(shifts)]))
        for term, gradient in zip(self.terms, others[len(shifts) :], strict=True):
            if gradient is not None:  # None: not on the residual path, such as a query
                heads, shift = split(term, gradient, row)
                contributions += heads
                bias += shift
        return [*contributions, Contribution("bias", None, None, None, bias)]


def split(term: Term, gradient: Tensor, row: int) -> tuple[list[Contribution], float]:
    """Split a term into what each head adds through its rows of the projection, and the bias;
    of a linear layer that no attention goes into, its output as a whole."""
    if term.heads is None:
        attends = ATTENTION.search(term.path) is not None
        kind: Literal["attention", "feed_forward"] = "attention" if attends else "feed_forward"
        return [Contribution(kind, term.layer, None, None, product(term.output, gradient))], 0.0
    weight = weight_of(term.module)
    assert weight is not None, "only linear layers are terms"
    heads = term.heads[0, :, row].double()  # (heads, value_dim)
    direction = gradient[0, row].double()
    weights = weight.detach().double().view(*heads.shape, -1)
    values = (heads * (weights @ direction)).sum(-1).tolist()
    bias = getattr(term.module, "bias", None)
    parts = [
        Contribution("head", term.layer, term.tap, head, value) for head, value in enumerate(values)
    ]
    return parts, 0.0 if bias is None else float(bias.detach().double() @ direction)


def product(states: Tensor, gradient: Tensor | None) -> float:
    """Scalar product in float64; 0 without a gradient."""
    return 0.0 if gradient is None else float((states.detach().double() * gradient.double()).sum())


def leaf(states: Tensor) -> Tensor:
    """Detach states from what they were computed from, with a gradient of their own."""
    return states.detach().requires_grad_()


def is_norm(module: torch.nn.Module) -> bool:
    weight = getattr(module, "weight", None)
    return "Norm" in type(module).__name__ and isinstance(weight, torch.Tensor) and weight.ndim == 1


def at_fixed_scale(norm: torch.nn.Module, states: Tensor, output: Tensor) -> Tensor:
    """Return the part of a norm's output that is linear in its input while 1/σ stays what it is."""
    if isinstance(norm, torch.nn.LayerNorm):
        centered = states - states.mean(-1, keepdim=True)
        scale = (centered.detach().square().mean(-1, keepdim=True) + norm.eps).rsqrt()
        scaled = centered * scale
        return scaled if norm.weight is None else scaled * norm.weight.detach()
    # Each number times weight/σ, however the class writes its weight.
    inputs = states.detach()
    return states * torch.where(inputs == 0, 0, output.detach() / inputs)
