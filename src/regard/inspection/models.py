"""`regard.trace`: run a model once, as it is, and keep what its attention layers were given."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from regard import models
from regard.arrays import Array, arrays_of, finite, without_gradients
from regard.attention import Call
from regard.attention.disentangled import Distances
from regard.attention.masks import PastSink
from regard.errors import BadArgumentError, UnsupportedError
from regard.inspection.answers import AxisInfo
from regard.inspection.hiding import (
    Looks,
    SwitchedOff,
    check_parts,
    looks_at,
    names_words,
    notes_of,
    pairs_of,
    part_of,
    placed,
)
from regard.inspection.naming import SINK, Tokenizers, entry_names, named_axes, naming, numbered
from regard.inspection.recording import (
    Looked,
    Ours,
    Recorder,
    capturing,
    check_traceable,
    is_module,
    joined,
    routing,
    row_by_row,
)
from regard.inspection.routes import Routes
from regard.inspection.tap import Tap
from regard.inspection.trace import Trace
from regard.inspection.trace_data import Edit
from regard.inspection.writing import Found, Written, likeliest, written
from regard.lazy import torch
from regard.models.configs.facts import Facts
from regard.progress import report

if TYPE_CHECKING:
    pass

NOTHING = SwitchedOff()


def trace(model: object, *text: object, keep: str = "auto", **inputs: Any) -> Trace:
    """Run a model once with its own fast kernels, and returns the trace of that run.

    >>> from regard.models import Decoder, decoder_preset
    >>> model = Decoder(decoder_preset("tiny", vocab_size=100)).eval()
    >>> trace(model, ids=torch.tensor([[5, 6, 7]]))
    <Trace of Decoder: 4 attention layers, 3 of tokens>
    >>> trace(regard.load("en-de"), "Where is the station?")
    <Trace of en-de: 10 attention layers, 6 of source, 6 of target>

    Args:
        model: what `regard.load` gives, such as a translator or a classifier; a model of regard's
            or of transformers'; or any module whose attention is `regard.attend`.
        text: for what `regard.load` gives: what its `trace` takes, a text or an image.
        keep: where queries, keys and values stay, "memory", "disk", or "auto": disk for what would
            make the trace larger than 2 GiB.
        inputs: for a module: its own inputs, such as ids, or source and target; and `tokenizer`,
            which names the tokens.

    Raises:
        UnsupportedError: no attention was captured, or it cannot be shown faithfully.
        BadArgumentError: not a model, or inputs without a name.
    """
    if not is_module(model):
        if hasattr(model, "trace"):  # a task's own: translator.trace(text)
            trace: Trace = model.trace(*text, keep=keep, **inputs)
            return trace
        raise BadArgumentError(
            "trace needs a model: a torch module or an object that regard.load returned;"
            f" got {type(model).__name__}."
        )
    if text:
        raise BadArgumentError(
            f"a module takes inputs by name, such as ids=…; got {len(text)} without a name. To"
            " trace a text, pass the object that regard.load returns."
        )
    if any(kind.__module__.partition(".")[0] == "transformers" for kind in type(model).__mro__):
        from regard.inspection.huggingface import trace_transformers

        return trace_transformers(model, keep=keep, **inputs)
    tokenizer = inputs.pop("tokenizer", None) if isinstance(model, Facts) else None
    return traced(model, inputs, tokenizer=tokenizer, keep=keep)


@without_gradients
def traced(
    model: Looked,
    inputs: dict[str, Any],
    *,
    tokenizer: Tokenizers = None,
    name: str | None = None,
    text: str = "",
    written: Written | None = None,
    answers: Mapping[str, int] | None = None,
    without: SwitchedOff = NOTHING,
    keep: str = "auto",
) -> Trace:
    """Return the trace of `model(**inputs)`, a module or the native engine's model; its names are
    those of the batch's first row. Inputs of numpy become tensors where the model has such.

    An encoder–decoder runs under teacher forcing: row t of its decoder's maps is the step that
    reads token t - 1 of the target, or the start, and gives token t.

    Args:
        tokenizer: names the tokens of a model of ours; without it they are numbers.
        written: how the target, or the end of the tokens, came about.
        answers: steps of the logits whose likeliest entries the notes name, by what to call them.
        without: what is switched off in the run; see `switched_off`.
    """
    check_traceable(model)
    inputs = {name: as_read(model, value) for name, value in inputs.items()}
    report("capturing attention")
    routes: dict[str, Routes] = {}
    with routing(model, partial(_add_routes, model, routes)):
        taps, output = capture(model, inputs, keep, without)
    for axis, rows in {tap.queries: tap.rows for tap in taps.values()}.items():
        if (looking := without.looking(axis)) and looking[-1] >= rows:
            raise BadArgumentError(
                f"rows of {axis} must be from 0 to {rows - 1}; got {looking[-1]}."
            )
    logits = logits_of(model, output)
    if isinstance(model, Facts) and logits is not None:
        finite(logits[0])
    axes = numbered_axes(taps)
    if isinstance(model, Facts):
        prompt = None if written is None else written.prompt
        axes = named_axes(model, inputs, axes, logits, tokenizer, prompt)
    token_of = entry_names(model, axes, tokenizer)
    notes = notes_of(without.parts, axes, without.axes)
    for what, step in (answers or {}).items():
        assert logits is not None, "only logits have answers"
        arrays = arrays_of(logits)
        best = likeliest(arrays.softmax(arrays.floats(logits[0, step])), token_of)
        notes.append(f"{what}: " + ", ".join(f"{x.token} {x.probability:.3f}" for x in best))
    ours = model if isinstance(model, Facts) else None

    @cache
    def by_torch() -> Trace:
        assert not is_module(model)
        settings: dict[str, Any] = dict(written=written, answers=answers, without=without)
        return traced(model.module(), inputs, tokenizer=tokenizer, name=name, text=text, **settings)

    return Trace.of_run(
        model,
        logits=logits,
        run=partial(logits_under, model, inputs, without),
        written=written,
        token_of=token_of,
        notes=notes,
        taps=taps,
        routes=routes,
        axes=axes,
        model_name=name or type(model).__name__,
        task="encoding" if ours is None else ours.task,
        text=text,
        output=output,
        read={} if ours is None else ours.ids(inputs),
        by_torch=None if is_module(model) else by_torch,
        can_rewrite=bool(ours and ours.rewrites and (not ours.writes or _searched(written))),
    )


def _searched(written: Written | None) -> bool:
    return written is not None and written.searched


def trace_written(
    model: Ours,
    found: Callable[[], Sequence[Found]],
    inputs: Callable[[Array], dict[str, Any]],
    *,
    hypothesis: int,
    searched: bool,
    prompt: int,
    forced: int,
    tokenizer: Tokenizers,
    without: SwitchedOff,
    unseen: bool = False,
    notes: Sequence[str] = (),
    **options: Any,
) -> Trace:
    """Return the trace of a model of ours that writes, or reads what a caller wrote for it.

    Args:
        found: gives the hypotheses, best first; a search runs without what is switched off.
        inputs: of forward, for the ids of the hypothesis, (1, length).
        searched: False for a text that the caller gave.
        prompt: positions of the last axis before those that were written.
        forced: how many of the first tokens the caller chose.
        unseen: what is switched off is not in the search's inputs either.
    """
    with hiding(model, NOTHING if unseen else without):
        hypotheses = found()
    axis = model.axes[-1]
    shown = written(
        hypotheses,
        hypothesis,
        naming(tokenizer, axis),
        axis=axis,
        prompt=prompt,
        searched=searched,
        forced=forced,
    )
    with no_changes(model):
        trace = traced(
            model,
            inputs(np.array([shown.ids])),
            tokenizer=tokenizer,
            written=shown,
            without=without,
            **options,
        )
    trace.notes += notes if searched else ()
    return trace


def no_changes(model: Looked) -> AbstractContextManager[object]:
    """Return the context in which a model is read only."""
    if not is_module(model):
        return nullcontext()
    return torch.inference_mode()


def as_read(model: Looked, value: object) -> object:
    """Return a value as a model's forward takes it: an array as a tensor, for a module."""
    if not (is_module(model) and isinstance(value, np.ndarray)):
        return value
    return torch.from_numpy(value).to(next(model.parameters()).device)


def capture(
    model: Looked, inputs: dict[str, Any], keep: str, without: SwitchedOff
) -> tuple[dict[str, Tap], Any]:
    """Return a tap for each attention that runs, named by the module that called it; and the
    output."""
    recorder = Recorder(keep)
    engine = None if is_module(model) else model
    modules = dict(model.named_modules()) if is_module(model) else {}

    def record(path: str, call: Call) -> Array:
        name = tap_name(path)
        call = without(name, call)
        queries, keys = axes_between(model, path, call)
        tap = recorder.add(
            name,
            call,
            queries=queries,
            keys=keys,
            kind="cross" if "cross" in path or queries != keys.removesuffix(SINK) else "self",
        )
        if engine is None:
            tap.output_weight = output_weight(modules.get(path))
            tap.distances = distances_of(modules, path, tap.rows)
        else:
            tap.output_weight = engine.projection(path)
            tap.distances = engine.distances(path, tap.rows)
        return call.output

    steps: list[Call] = []  # of the one attention that a recurrent decoder has
    stepwise = getattr(model, "stepwise", False)
    if engine is not None and not without.parts:
        with engine.keeping(keep) as run:
            output = engine(**inputs)
        engine.tell(run, record)
    else:
        with capturing(model, (lambda path, call: steps.append(call)) if stepwise else record):
            output = model(**inputs)
    if stepwise:
        record("decoder.cross_attention", joined(steps))
    if not recorder.taps:
        raise UnsupportedError(
            f"no attention was found in {type(model).__name__}: its attention must go through"
            " regard.attend, or the model be one of transformers."
        )
    return recorder.taps, output


def _add_routes(model: Any, routes: dict[str, Routes], path: str, probabilities: Array) -> None:
    """Return the record of a mixture of experts of a decoder of ours."""
    name = path.replace("feed_forward", "experts")
    number = int(name.split(".")[-2])
    config = model.config
    routes[name] = Routes(name, number, model.axes[-1], config.experts_per_token, probabilities)


def axes_between(model: object, path: str, call: Call) -> tuple[str, str]:
    """Return the axes of a layer's queries and keys; of another's module, a name for each
    length."""
    attention = call.inputs
    if isinstance(model, Facts):
        queries, keys = model.attends(path)
        return queries, keys + SINK * isinstance(attention.mask, PastSink)
    return f"positions ({attention.query.shape[2]})", f"positions ({attention.key.shape[2]})"


def numbered_axes(taps: Mapping[str, Tap]) -> dict[str, AxisInfo]:
    """Return the axes of the taps, their positions named by number."""
    lengths = {tap.queries: tap.rows for tap in taps.values()}
    lengths |= {tap.keys: tap.columns for tap in taps.values()}
    return {axis: numbered(length) for axis, length in lengths.items()}


def logits_of(model: object, output: object) -> Array | None:
    """(batch, steps, entries): tokens at each position, labels, or, at two steps, the positions at
    which an answer begins and ends; None for a model that returns states."""
    if isinstance(model, Facts):
        return model.logits_of(output)
    return output if getattr(output, "ndim", 0) == 3 else None


@without_gradients
def rerun(model: Looked, inputs: dict[str, Any], edit: Edit) -> object:
    """Return the output of `model(**inputs)` under an edit of its attention."""
    return run_under(model, inputs, edit)


def run_under(model: Looked, inputs: dict[str, Any], edit: Edit) -> object:
    """Run a model under an edit, with gradients where the caller's context has them."""
    # Ids that a decode made are inference tensors, which no backward pass can use.
    inputs = {
        name: value.clone() if hasattr(value, "is_inference") and value.is_inference() else value
        for name, value in inputs.items()
    }
    if getattr(model, "stepwise", False):
        edit = row_by_row(edit, inputs["target"].shape[1])
    with capturing(model, lambda path, call: edit(tap_name(path), call)):
        return model(**inputs)


def logits_under(model: Looked, inputs: dict[str, Any], without: SwitchedOff, edit: Edit) -> Array:
    """Return the logits of `model(**inputs)` under an edit of its attention."""
    logits = logits_of(model, run_under(model, inputs, without.under(edit)))
    assert logits is not None, "a trace without logits has no rerun"
    return logits


def switched_off(
    model: object,
    names: Sequence[int | str],
    lengths: Mapping[str, int],
    looks: Looks = (),
    whole: Callable[[], Trace] | None = None,
) -> SwitchedOff:
    """Return the named parts of a model of ours, as `hiding` reads their names.

    Args:
        whole: gives the trace with other looks as the model's own, where looks are named by words.
    """
    if not names and not looks:
        return NOTHING
    if not isinstance(model, Facts) or not (model.rewrites or not names) or model.stepwise:
        raise UnsupportedError(
            "words, heads and edges can be switched off, and looks chosen, where a Transformer"
            f" writes or names what an image shows; this model is a {type(model).__name__}."
        )
    heads = {tap_name(path): sizes.heads for path, sizes in model.attentions().items()}
    between, pairs = (model.axes[-1], model.axes[0]), pairs_of(looks)
    if whole is not None and names_words(pairs):
        pairs = placed(pairs, whole().axes, between)
    parts = [part_of(name, model.axes) for name in names]
    parts += looks_at(pairs, heads, model.attends, between)
    return SwitchedOff(check_parts(parts, lengths, heads, model.attends), model.attends)


def beginning(
    model: Ours,
    off: SwitchedOff,
    prompt: int,
    forced: Sequence[int],
    written: Callable[[Sequence[int]], Sequence[int]],
) -> Sequence[int]:
    """Tokens that stand before the last row that looks where it is made to: a look changes what is
    written from its row on, and nothing before it.

    Args:
        prompt: positions of the last axis before those that are written.
        forced: the tokens that the caller chose.
        written: the tokens that are written after a beginning.
    """
    for row in off.looking(model.axes[-1]):
        place = row + 1 - prompt
        if place <= len(forced):
            continue
        with hiding(model, off.before(row, model.axes[-1])):
            forced = written(forced)[:place]
    return forced


@contextmanager
def hiding(model: Looked, without: SwitchedOff) -> Iterator[None]:
    """Let the model decode as it does without some of its parts."""
    if not without.parts:
        yield
        return
    edit = without.decoding()
    with capturing(model, lambda path, call: edit(tap_name(path), call)):
        yield


def tap_name(path: str) -> str:
    """Return the public name of a module's tap: decoder.layers.3.cross_attention is ….3.cross."""
    return path.removesuffix("_attention")


def output_weight(attention: object) -> Array | None:
    """W_O of each head, (heads, head_dim, d_model): x W_O is the sum over heads of x_h W_O,h."""
    if not isinstance(attention, models.layers.MultiHeadAttention):
        return None
    return attention.output.weight.detach().mT.view(attention.num_heads, attention.head_dim, -1)


def distances_of(modules: Mapping[str, Any], path: str, length: int) -> Distances | None:
    """Return the distances that an attention of ours compares queries and keys with in a text of
    this length; None if it compares no distances."""
    stack, _, layer = path.partition(".layers.")
    states = getattr(modules.get(stack), "distances", None) if layer else None
    return None if states is None else modules[path].distances(*states(length))
