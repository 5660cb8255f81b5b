"""The residual stream of a run: the states between the layers of the stack that gives the logits.

The model itself computes everything; a layer's output is seen, and may be replaced, as it passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from regard.arrays import Array, arrays_of, without_gradients
from regard.attention import Call
from regard.errors import BadArgumentError, UnsupportedError
from regard.inspection.answers import Lens, LensLayer
from regard.inspection.recording import is_module
from regard.inspection.trace_data import Edit, TraceData, name_of
from regard.inspection.views.ablation import log_probabilities
from regard.inspection.watching import watching
from regard.inspection.writing import likeliest
from regard.lazy import torch

if TYPE_CHECKING:
    pass

AtLayer = Callable[[int, Array], Array | None]
"""Called with a layer's number and its output, (batch, length, d_model); an array that it returns
replaces the output."""


def unchanged(name: str, call: Call) -> None:
    """Return the edit that changes nothing."""


class Stream:
    """The layers of a trace's model from which its logits are computed, in the order in which they
    run: an encoder–decoder's decoder, another model's only stack.
    """

    def __init__(self, trace: TraceData) -> None:
        if trace.rerun_with_gradients is None or trace.model is None:
            raise UnsupportedError(
                "this needs the model and its logits: the trace was loaded from a file, or its"
                " model returns no logits, or hands out its weights itself."
            )
        self.trace, self.model, self.rerun = trace, trace.model, trace.rerun_with_gradients
        self.layers: list[torch.nn.Module] = []  # of a module
        self.stack = ""  # of the native engine
        self.states: list[Array] = []  # the first layer's input, then each layer's output
        self.logits = self._first_run() if is_module(self.model) else self._first_run_of_engine()

    @property
    def axis(self) -> str:
        """The sequence whose positions have logits."""
        if self.trace.generation is not None:
            return self.trace.generation.axis
        return next(
            name for name in ("target", "tokens", *self.trace.axes) if name in self.trace.axes
        )

    @property
    def first_row(self) -> int:
        """The position of step 0."""
        if self.trace.generation is None:
            return 0
        return self.trace.axes[self.axis].prompt - 1

    @property
    def ids(self) -> list[int]:
        """The token of each step: the one that was written, else the likeliest."""
        if self.trace.output_ids is not None:
            return self.trace.output_ids
        ids: list[int] = self.log_probabilities(self.logits).argmax(-1).tolist()
        return ids

    def token(self, id_: int) -> str:
        return (self.trace.token_of or str)(id_)

    def check_step(self, step: int) -> int:
        steps = len(self.ids)
        if not 0 <= step < steps:
            raise BadArgumentError(f"step must be from 0 to {steps - 1}; got {step}.")
        return step

    def log_probabilities(self, logits: Array) -> Array:
        """Log-probabilities of the first sequence's steps, (steps, vocab)."""
        return log_probabilities(self.trace, logits)

    def run(self, edit: Edit = unchanged, at: AtLayer = lambda layer, state: None) -> Array:
        """Return the logits, (batch, positions, vocab), of the same inputs under changes."""
        if not is_module(self.model):

            def replaced_at(stack: str, layer: int, state: Array) -> Array | None:
                return at(layer - 1, state) if stack == self.stack and layer else None

            with self.model.capturing(at=replaced_at):
                return self.rerun(edit)
        ran = 0

        def after(module: torch.nn.Module, args: tuple[Any, ...], output: object) -> object:
            nonlocal ran
            replaced = at(ran, state_of(output))
            ran += 1
            if replaced is not None and isinstance(output, tuple):
                return (replaced, *output[1:])
            return replaced

        with watching(dict.fromkeys(self.layers), after=after):
            return self.rerun(edit)

    def _first_run(self) -> Array:
        """Find the layers: those of the list whose layer runs last."""
        stacks = layer_lists(self.model)
        of_module = {module: path for path, modules in stacks.items() for module in modules}
        inputs: dict[str, Array] = {}
        calls: list[tuple[str, torch.nn.Module, Array]] = []

        def before(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            inputs.setdefault(of_module[module], args[0] if args else kwargs["hidden_states"])

        def after(module: torch.nn.Module, args: tuple[Any, ...], output: object) -> None:
            if isinstance(state_of(output), torch.Tensor):
                calls.append((of_module[module], module, state_of(output).detach()))

        with watching(of_module, before=before, after=after):
            logits = self.rerun(unchanged)
        last = calls[-1][0] if calls else ""
        ran = [(module, state) for path, module, state in calls if path == last]
        if not ran or ran[0][1].shape[:2] != logits.shape[:2]:
            raise self._no_logits()
        self.layers = [module for module, _ in ran]
        self.states = [inputs[last].detach(), *(state for _, state in ran)]
        return logits

    def _first_run_of_engine(self) -> Array:
        """Keep the states of the stack that runs last."""
        states: dict[str, list[Array]] = {}

        def keep(stack: str, layer: int, state: Array) -> None:
            states.setdefault(stack, []).append(state)

        with self.model.capturing(at=keep):
            logits = self.rerun(unchanged)
        self.stack = list(states)[-1]
        self.states = states[self.stack]
        if self.states[0].shape[:2] != logits.shape[:2]:
            raise self._no_logits()
        return logits

    def _no_logits(self) -> UnsupportedError:
        return UnsupportedError(
            f"{name_of(self.model)} has no stack of layers with logits at each of its positions;"
            " choose a Transformer that predicts tokens."
        )


def layer_lists(model: torch.nn.Module) -> dict[str, list[torch.nn.Module]]:
    """Return the modules of each nn.ModuleList that is not within another, by its path."""
    lists: dict[str, list[torch.nn.Module]] = {}
    for path, module in model.named_modules():
        inner = any(path.startswith(f"{outer}.") for outer in lists)
        if isinstance(module, torch.nn.ModuleList) and not inner:
            lists[path] = list(module)
    return lists


def state_of(output: object) -> Array:
    """Return a layer's new state: its output, or the first of several."""
    return output[0] if isinstance(output, tuple) else output


@without_gradients
def logit_lens(trace: TraceData, step: int) -> Lens:
    """Return the likeliest tokens of a step after each layer, and how likely the written one is
    there.

    Takes a run of the model for each layer. A post-norm model has no final norm: each of its layers
    ends with a norm of its own.

    >>> trace = regard.load("en-de").trace("Where is the station?")
    >>> last = logit_lens(trace, step=2).layers[-1]
    >>> last.rank, last.candidates[0].token
    (1, '▁der')

    Args:
        step: a generated token by its number or, where nothing was generated, a position.

    Raises:
        UnsupportedError: a trace without its model, or a model without logits at each position.
        BadArgumentError: there is no such step.
    """
    stream = Stream(trace)
    id_ = stream.ids[stream.check_step(step)]
    last = len(stream.states) - 2
    layers = []
    for number, early in enumerate(stream.states):
        logits = stream.run(at=lambda layer, state: early if layer == last else None)  # noqa: B023
        logs = stream.log_probabilities(logits)[step]
        probabilities = arrays_of(logs).library.exp(logs)
        rank = int((probabilities > probabilities[id_]).sum()) + 1
        best = likeliest(probabilities, stream.token)
        layers.append(LensLayer(number, float(probabilities[id_]), rank, best))
    return Lens(step, stream.token(id_), layers)


def as_module(trace: TraceData) -> TraceData:
    """Return the same trace, by a module of torch where the native engine ran the model."""
    return trace if trace.by_torch is None else trace.by_torch()
