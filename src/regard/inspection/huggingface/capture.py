"""`regard.trace` for transformers models: one run at the model's own speed, captured by layers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from regard.attention import Call
from regard.errors import UnsupportedError, some
from regard.inspection.huggingface.handed_out import AS_HANDED_OUT, MOST, handed_out
from regard.inspection.huggingface.interface import CapturedCall, capturing_interface
from regard.inspection.huggingface.masks import MaskReader, Unreadable
from regard.inspection.huggingface.places import (
    ATTENTION,
    LINEAR,
    Places,
    another_sequence,
    axes_of,
    first_sees_itself_alone,
    names_of_logits,
    naming_of,
    states_of,
)
from regard.inspection.huggingface.understanding import inputs_of, understand
from regard.inspection.linear import Projections, linear_layers
from regard.inspection.recording import Recorder, check_traceable
from regard.inspection.trace import Trace
from regard.inspection.trace_data import Edit
from regard.inspection.watching import watching
from regard.inspection.writing import Written

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def trace_transformers(
    model: nn.Module,
    *,
    tokens: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    tokenizer: "PreTrainedTokenizerBase | None" = None,
    text: str = "",
    keep: str = "auto",
    **inputs: object,
) -> Trace:
    """Run `model(**inputs)` once with its own attention implementation, and traces it.

    The model computes what it computes without this, to the bit: its attention functions run with
    the arguments that they would get anyway. A learned sink is the first key, and each softmax of a
    layer is a tap. Layers that are not captured are shown by the weights that the model hands out
    in a second run, if it computes the same then, as the notes of these taps say; nothing can then
    be ablated. Layers that cannot be shown faithfully are left out, and `trace.notes` says which
    and why.

    Args:
        tokens: names of the positions, for one axis or by axis ("source", "target", …).
        tokenizer: names the positions by their ids where `tokens` does not.
    """
    return captured(model, inputs, tokens=tokens, tokenizer=tokenizer, text=text, keep=keep)


@torch.no_grad()
def captured(
    model: nn.Module,
    inputs: dict[str, Any],
    *,
    tokens: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    tokenizer: "PreTrainedTokenizerBase | None" = None,
    name: str | None = None,
    text: str = "",
    written: Written | None = None,
    keep: str = "auto",
) -> Trace:
    """Trace a run, with the model's `name` and what it has `written` on one of the axes."""
    check(model, inputs)
    try:
        run, output = ran(model, inputs, keep)
    except ValueError:  # of a hybrid whose layers are not those that its cache is made for
        if "use_cache" in inputs or "use_cache" not in signature(model.forward).parameters:
            raise
        inputs = inputs | {"use_cache": False}
        run, output = ran(model, inputs, keep)
    run.take_handed_out(inputs, output)
    run.check_captured()
    logits, naming = logits_of(output), naming_of(tokenizer)
    token_of = naming.name if logits is None else names_of_logits(model, logits, naming)
    return Trace.of_run(
        model,
        logits=logits,
        run=None if run.shows_handed_out else partial(rerun, model, inputs, run.names),
        written=written,
        token_of=token_of,
        notes=run.notes(),
        taps=run.recorder.taps,
        axes=axes_of(run.places, inputs, logits, tokens, naming, written),
        model_name=name or getattr(model.config, "name_or_path", "") or type(model).__name__,
        task=task_of(run.places, logits),
        text=text,
        output=output,
        read=read_by(run.places, inputs),
    )


def ran(model: nn.Module, inputs: dict[str, Any], keep: str) -> tuple["Run", Any]:
    """Return a run that was captured, and the model's output."""
    batches = frozenset(len(value) for value in inputs.values() if isinstance(value, Tensor))
    pixels = inputs.get("pixel_values") is not None and inputs.get("input_ids") is None
    run = Run(model, Recorder(keep), Places(model, pixels), batches)
    with capturing_model(model, run):
        return run, model(**inputs)


@dataclass
class Run:
    """Captured calls of one run, and the taps made of them."""

    model: nn.Module
    recorder: Recorder
    places: Places
    batches: frozenset[int]  # the sizes that a batch may have
    names: list[str | None] = field(default_factory=list)  # of the taps, call by call
    of_module: dict[nn.Module, list[str]] = field(default_factory=dict)  # taps that it has so far
    masks: MaskReader = field(default_factory=MaskReader)
    projections: Projections = field(default_factory=Projections)
    entered: Counter[nn.Module] = field(default_factory=Counter)  # attention modules, how often
    spoke: Counter[nn.Module] = field(default_factory=Counter)  # those captured, how often
    refused: dict[str, list[str]] = field(default_factory=dict)  # paths by the reason
    positions: dict[nn.Module, int] = field(default_factory=dict)  # that each was given
    shows_handed_out: bool = False  # whether weights are such as the model handed out

    def capture(self, captured: CapturedCall) -> None:
        self.spoke[captured.module] += 1
        self.names.append(None)
        try:
            again = self.attends_again(captured)
            call = understand(captured, self.masks)
            place = self.places.name(captured, call.inputs, again=again)
        except Unreadable as reason:
            self.refused.setdefault(str(reason), []).append(self.places.path(captured.module))
            return
        tap = self.recorder.add(
            place.name, call, queries=place.queries, keys=place.keys, kind=place.kind
        )
        self.names[-1] = tap.name
        self.of_module.setdefault(captured.module, []).append(tap.name)
        self.projections.expect(tap, captured.output)

    def attends_again(self, captured: CapturedCall) -> bool:
        """Return True for a further softmax of a layer over the same positions; what was kept of a
        layer that goes through its input in parts has no one map, and goes."""
        if captured.query.shape[0] not in self.batches:
            raise Unreadable("attends within windows of its input")
        if not self.spoke[captured.module] > self.entered[captured.module] > 0:
            return False
        if self.of_module.get(captured.module) and captured.query.shape[2] == self.positions.get(
            captured.module
        ):
            return True
        for name in self.of_module.pop(captured.module, []):
            del self.recorder.taps[name]
            self.names[self.names.index(name)] = None
        raise Unreadable("attends to its input in several parts, or several times over")

    def take_handed_out(self, inputs: dict[str, Any], output: object) -> None:
        """Layers that were not captured, from the weights that the model hands out: all of their
        side and kind, if it hands out more of them than were captured."""
        taps, silent = self.recorder.taps, self.silent()
        softmax = [module for module in silent if not LINEAR.search(type(module).__name__)]
        if (taps or silent) and not softmax and not self.refused:
            return
        modules = dict(self.model.named_modules())
        by_place = handed_out(self.model, inputs, output, self.batches)
        for (side, kind), layers in by_place.items():
            captured = [
                tap
                for tap in taps.values()
                if side in ("", tap.side)
                and f".{kind}" in tap.name
                and AS_HANDED_OUT not in tap.notes
            ]
            if sum(call is not None for call in layers) <= len(captured):
                continue
            for tap in captured:
                del taps[tap.name]
                self.places.forget(tap.name)
            for module in [m for m in self.entered if self.places.is_of(m, side, kind)]:
                del self.entered[module]
            for reason, paths in list(self.refused.items()):
                self.refused[reason] = [
                    path for path in paths
                    if path not in modules or not self.places.is_of(modules[path], side, kind)
                ]  # fmt: skip
            self.refused = {reason: paths for reason, paths in self.refused.items() if paths}
            for number, call in enumerate(layers):
                try:
                    self.take(call, side, kind, number)
                except Unreadable as reason:
                    self.refused.setdefault(str(reason), []).append(f"layer {number}")

    def take(self, call: Call | None, side: str, kind: str, number: int) -> None:
        """Return a tap of weights that the model gave, of a layer by its number."""
        if call is None:
            raise Unreadable("hands out something other than the weights of whole sequences")
        rows, columns = call.inputs.query.shape[2], call.inputs.key.shape[2]
        if kind == "self" and columns > rows and columns not in self.places.lengths.values():
            raise Unreadable(f"hands out {rows} queries over {columns} keys of one sequence")
        side = side or ("decoder" if first_sees_itself_alone(call.inputs) else "encoder")
        place = self.places.place(side, kind, str(number), rows, columns)
        tap = self.recorder.add(
            place.name, call, queries=place.queries, keys=place.keys, kind=place.kind
        )
        tap.notes.append(AS_HANDED_OUT)
        self.shows_handed_out = True

    def check_captured(self) -> None:
        if self.recorder.taps:
            return
        name = type(self.model).__name__
        if self.refused:
            reason, paths = next(iter(self.refused.items()))
            raise UnsupportedError(
                f"the attention of {name} cannot be shown faithfully, because it {reason}"
                f" (in {some(paths)})."
            )
        silent = sorted({type(module).__name__ for module in self.silent()})
        if silent:
            raise UnsupportedError(
                f"{name} mixes positions in {some(silent)}, without transformers' attention"
                " interface, so what it attends to cannot be captured, and it hands out no whole"
                f" maps of these inputs, of which {MOST:,} weights at most are taken."
            )
        raise UnsupportedError(f"no attention was captured in {name}: it has no attention layers.")

    def notes(self) -> list[str]:
        """Return a sentence for whatever is not in the trace."""
        notes = [
            f"left out, because it {reason}: {some(paths)}"
            for reason, paths in self.refused.items()
        ]
        silent = self.silent()
        if silent:
            kinds = sorted({type(module).__name__ for module in silent})
            paths = [self.places.path(module) for module in silent]
            notes.append(
                f"left out, because {some(kinds)} does not use transformers' attention interface:"
                f" {some(paths)}"
            )
        for tap in self.recorder.taps.values():
            if tap.output_weight is None and AS_HANDED_OUT not in tap.notes:
                tap.notes.append("its output projection is unknown, and therefore ‖α·f(x)‖ too")
        return notes

    def silent(self) -> list[nn.Module]:
        """Return the attention modules that ran, and of which nothing was captured, innermost
        only."""
        captured = [self.places.path(module) for module in self.spoke]
        entered = [self.places.path(module) for module in self.entered]
        return [
            module
            for module, path in zip(self.entered, entered, strict=True)
            if not any(inside(other, path) or inside(path, other) for other in captured)
            and not any(other != path and inside(other, path) for other in entered)
        ]


def inside(path: str, other: str) -> bool:
    """Return True if the module at `path` is the one at `other`, or a part of it."""
    return f"{path}.".startswith(f"{other}.")


@contextmanager
def capturing_model(model: nn.Module, run: Run) -> Iterator[None]:
    """Capture attention, the attention modules entered, and what their outputs go into."""

    def enter(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        run.entered[module] += 1
        states = states_of(args, kwargs)
        if isinstance(states, Tensor) and states.ndim > 1:
            run.positions[module] = states.shape[-2]
        if another_sequence(args, kwargs):
            run.places.cross.add(module)

    attention = [module for module in model.modules() if ATTENTION.search(type(module).__name__)]
    with (
        watching(attention, before=enter),
        watching(linear_layers(model), before=run.projections.see),
        capturing_interface(run.capture),
    ):
        yield


def rerun(model: nn.Module, inputs: dict[str, Any], names: list[str | None], edit: Edit) -> Tensor:
    """Return the logits, (batch, positions, vocab), of the same inputs under an edit of the
    attention."""
    masks, order = MaskReader(), iter(names)

    def capture(captured: CapturedCall) -> Tensor | None:
        name = next(order)  # the layers run in the order in which they ran
        if name is None:
            return None
        return edit(name, Call(inputs_of(captured, masks), captured.output, None))

    with capturing_interface(capture):
        logits = logits_of(model(**inputs))
    assert logits is not None, "a trace without logits has no rerun"
    return logits


def check(model: nn.Module, inputs: dict[str, Any]) -> None:
    check_traceable(model)
    if inputs.get("past_key_values") is not None:
        raise UnsupportedError(
            "a trace needs whole texts, so that rows and columns are the same tokens;"
            " leave out past_key_values and give all of the input_ids."
        )


def read_by(places: Places, inputs: dict[str, Any]) -> dict[str, Tensor]:
    """Return the token ids that the model looks up, by axis."""
    names = {"source" if places.pair else "tokens": "input_ids", "target": "decoder_input_ids"}
    tables = {axis: inputs.get(name) for axis, name in names.items()}
    return {axis: ids for axis, ids in tables.items() if ids is not None}


def logits_of(output: object) -> Tensor | None:
    """(batch, positions, vocab); one position for a model that classifies its whole input."""
    logits = getattr(output, "logits", None)
    if not isinstance(logits, Tensor) or logits.ndim not in (2, 3):
        return None
    return logits[:, None] if logits.ndim == 2 else logits


def task_of(places: Places, logits: Tensor | None) -> str:
    if places.pixels:
        return "vision"
    if places.pair:
        return "translation"
    return "generation" if places.decodes and logits is not None else "encoding"
