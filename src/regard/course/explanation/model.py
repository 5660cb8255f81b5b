"""Explaining an attention layer of a model: its own vectors and matrices, captured as it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard import models
from regard.arrays import Array, without_gradients
from regard.attention import Call
from regard.course.explanation.inputs import (
    LONGEST,
    Normalization,
    Projection,
    Setup,
    check_length,
    double,
)
from regard.course.explanation.record import Explanation
from regard.course.explanation.steps import explained
from regard.errors import UnsupportedError, check_choice
from regard.inspection.models import rerun, tap_name
from regard.inspection.recording import check_traceable, is_module
from regard.inspection.trace_data import Edit
from regard.inspection.watching import watching
from regard.lazy import torch

if TYPE_CHECKING:
    from torch import Tensor

    from regard.inspection.recording import EngineModel, Looked
    from regard.models.layers import MultiHeadAttention, Norm
    from regard.models.layers.rotary import Rotary

_PARTS = (".query_norm.weight", ".sinks", "_norm.weight", "_output_norm.weight")

Run = Callable[[Edit], Any]
"""Runs a model once, and shows each attention to an edit, by tap name."""


def running(model: torch.nn.Module, **inputs: object) -> Run:
    """`model(**inputs)` under an edit, for `explain_tap`.

    >>> model = regard.from_pretrained("sentences")
    >>> run = running(model, ids=torch.tensor([[5, 6, 7]]))
    >>> explanation = explain_tap(model, run, "encoder.layers.0.self", ["a", "b", "c"])
    >>> explanation["weights"].array.shape[1:]  # queries, keys
    (3, 3)
    """
    return partial(rerun, model, inputs)


def attention_taps(model: Looked) -> list[str]:
    """Return the names of the layers that can be explained, "encoder.layers.0.self", from the
    lowest, of a module or of the native engine's model.

    >>> attention_taps(regard.from_pretrained("en-de"))[:2]
    ['encoder.layers.0.self', 'encoder.layers.1.self']
    """
    if not is_module(model):
        return [tap_name(path) for path in model.attentions()]
    return [
        tap_name(path)
        for path, module in model.named_modules()
        if isinstance(module, models.layers.MultiHeadAttention)
    ]


@without_gradients
def explain_tap(
    model: Looked,
    run: Run,
    tap: str,
    tokens: list[str],
    *,
    key_tokens: list[str] | None = None,
    source: str = "model",
) -> Explanation:
    """Every step of one attention layer, with the residual connection around it, in float64.

    The first sequence of the batch is explained. The numbers are computed again from what the
    layer was given; a note says how far the last step is from what the layer itself gave.

    >>> model = regard.from_pretrained("sentences")
    >>> run = running(model, ids=torch.tensor([[5, 6, 7]]))
    >>> steps = explain_tap(model, run, attention_taps(model)[0], ["a", "b", "c"])
    >>> steps["weights"].array.sum(-1).round(6).min()  # of each row
    np.float64(1.0)

    Args:
        model: one of regard's, in evaluation mode, or the native engine's (`Trace.model`).
        run: runs it on the text under an edit: a `Trace.rerun`, or what `running` gives.
        tap: the layer's name, one of `attention_taps`.
        tokens, key_tokens: names of the rows and, in cross-attention, of the columns.

    Raises:
        BadArgumentError: an unknown layer, or more tokens than can be read.
        UnsupportedError: the layer did not run exactly once, or has a norm of queries, keys
            or its output, or a learned sink, or rotates a part of each head.
    """
    check_traceable(model)
    check_choice("tap", tap, attention_taps(model))
    for names in (tokens, key_tokens or []):
        check_length(len(names), fits=LONGEST // 2)  # a word may have several tokens
    if is_module(model):
        setup, output = _setup(model, run, tap, tokens, key_tokens)
    else:
        setup, output = _setup_of_engine(model, run, tap, tokens, key_tokens)
    explanation = explained(setup, source=source, tap=tap)
    difference = float(abs(explanation.steps[-1].array[0] - output).max())
    assert difference <= 1e-3 * max(1.0, float(abs(output).max())), f"{tap} is off: {difference}"
    explanation.notes.append(
        f"The last step equals the output of {tap} when {source} ran, to within {difference:.0e}:"
        " the model"
        " computes in float32, the steps in float64."
    )
    return explanation


def _setup(
    model: torch.nn.Module, run: Run, tap: str, tokens: list[str], key_tokens: list[str] | None
) -> tuple[Setup, NDArray[np.float64]]:
    """Return the layer of a module, and its output with the residual connection."""
    captured = _capture(model, run, tap)
    attention = captured.attention
    setup = Setup(
        tokens=tokens,
        vectors=double(captured.vectors[0]),
        heads=attention.num_heads,
        key_heads=attention.num_key_heads,
        head_dim=attention.head_dim,
        score=attention.score,
        mask=captured.calls[0].inputs.mask,
        bias=_first(captured.calls[0].inputs.bias),
        key_tokens=key_tokens,
        key_vectors=None if captured.memory is None else double(captured.memory[0]),
        projections={
            name: _projection(getattr(attention, name))
            for name in ("query", "key", "value", "output")
        },
        rotation=_rotation(attention.rotary, len(tokens), captured.positions),
        norm=_normalization(captured.norm),
        norm_first=captured.norm_first,
    )
    return setup, double(captured.output[0]).numpy()


def _setup_of_engine(
    model: EngineModel, run: Run, tap: str, tokens: list[str], key_tokens: list[str] | None
) -> tuple[Setup, NDArray[np.float64]]:
    """Return the layer of a model of the native engine, and its output with the residual
    connection."""
    states: dict[tuple[str, int], Any] = {}
    calls: dict[str, list[Call]] = {}

    def at(stack: str, layer: int, state: Array) -> None:
        states[stack, layer] = double(state[0])

    def listen(name: str, call: Call) -> None:
        calls.setdefault(name, []).append(call._replace(output=double(call.output[0])))

    with model.capturing(at=at):
        run(listen)
    stack, _, number, kind = tap.split(".")
    vectors, memory = states[stack, int(number)], None
    if kind == "cross":  # what it reads is the output of self-attention, and the encoder's
        before = tap.removesuffix("cross") + "self"
        vectors = _sublayer(model, before, calls[before], tokens, vectors)[1]
        memory = states["encoder", model.config.encoder_layers]
        if model.config.norm_first:
            memory = normalization_of(model, "encoder.norm")(memory)
    return _sublayer(model, tap, calls[tap], tokens, vectors, key_tokens, memory)


def _sublayer(
    model: EngineModel,
    tap: str,
    calls: list[Call],
    tokens: list[str],
    vectors: NDArray[np.float64],
    key_tokens: list[str] | None = None,
    memory: NDArray[np.float64] | None = None,
) -> tuple[Setup, NDArray[np.float64]]:
    path = f"{tap}_attention"
    sizes, rotation = model.attentions()[path], _rotation_of_engine(model, tap, len(tokens))
    has = {name: model.weight(f"{path}{name}") is not None for name in _PARTS}
    _check_explained(
        tap,
        normalizes_heads=has[".query_norm.weight"],
        normalizes_output=has["_output_norm.weight"] or not has["_norm.weight"],
        has_sink=has[".sinks"],
        rotates_part=rotation is not None and 2 * rotation[0].shape[1] < sizes.head_dim,
    )
    _check_once(tap, calls)
    projections = {
        name: projection_of(model, f"{path}.{name}") for name in ("query", "key", "value", "output")
    }
    norm, (inputs, output, _) = normalization_of(model, f"{path}_norm"), calls[0]
    setup = Setup(
        tokens=tokens,
        vectors=vectors,
        **sizes._asdict(),
        score=inputs.score,
        mask=inputs.mask,
        bias=_first(inputs.bias),
        key_tokens=key_tokens,
        key_vectors=memory,
        projections=projections,
        rotation=rotation,
        norm=norm,
        norm_first=model.config.norm_first,
    )
    joined = output.swapaxes(0, 1).reshape(len(vectors), -1)
    output = vectors + projections["output"](joined)
    return setup, output if setup.norm_first else norm(output)


def _rotation_of_engine(model: EngineModel, tap: str, length: int) -> tuple[Any, Any] | None:
    """Cosine and sine at each position, as the engine computes them."""
    stack, _, number, _ = tap.split(".")
    frequencies, layers = (
        model.weight(f"{stack}.rotary.{name}") for name in ("frequencies", "layers")
    )
    kind = 0 if layers is None else int(layers[int(number)])
    if frequencies is None or kind == 0:
        return None
    angles = np.arange(length, dtype=np.float32)[:, None] * frequencies[kind - 1]
    factor = getattr(getattr(model.config, "rotary_scaling", None), "attention_factor", 1)
    return double(np.cos(angles)) * factor, double(np.sin(angles)) * factor


def _check_explained(
    tap: str,
    *,
    normalizes_heads: bool,
    normalizes_output: bool,
    has_sink: bool,
    rotates_part: bool,
) -> None:
    """Raise UnsupportedError for a layer with a step that is not among those of `steps`."""
    for unexplained, what in (
        (normalizes_heads, "normalizes its queries and keys"),
        (normalizes_output, "normalizes its output"),
        (has_sink, "has a learned sink"),
        (rotates_part, "rotates a part of each head"),
    ):
        if unexplained:
            raise UnsupportedError(
                f"{tap} {what}, which no step explains yet; regard look shows its weights."
            )


def _check_once(tap: str, calls: Sequence[Call]) -> None:
    if len(calls) != 1:
        raise UnsupportedError(
            f"{tap} must run once to be explained; it ran {len(calls)} times: give one forward"
            " pass."
        )


def projection_of(model: EngineModel, path: str) -> Projection:
    """Return a linear layer of the native engine's model, in float64."""
    bias = model.weight(f"{path}.bias")
    return Projection(
        double(model.weight(f"{path}.weight")).T, None if bias is None else double(bias)
    )


def normalization_of(model: EngineModel, path: str) -> Normalization:
    """Return a norm of the native engine's model, in float64."""
    config, bias = model.config, model.weight(f"{path}.bias")
    weight = double(model.weight(f"{path}.weight"))
    kind = "rms" if config.norm_kind.startswith("rms") else "layer"
    return Normalization(kind, weight, None if bias is None else double(bias), config.norm_eps)


@dataclass(eq=False)
class _Captured:
    """Input and output of one layer."""

    attention: MultiHeadAttention
    norm: Norm
    norm_first: bool
    calls: list[Call] = field(default_factory=list)
    vectors: Tensor = field(init=False)  # before attention and its norm
    memory: Tensor | None = None
    positions: Tensor | None = None
    output: Tensor = field(init=False)  # after attention and its norm


def _capture(model: torch.nn.Module, run: Run, tap: str) -> _Captured:
    layer = model.get_submodule(tap.rpartition(".")[0])
    attention = model.get_submodule(f"{tap}_attention")
    norm = model.get_submodule(f"{tap}_attention_norm")
    assert isinstance(layer, models.layers.TransformerLayer)
    assert isinstance(attention, models.layers.MultiHeadAttention)
    rotary = attention.rotary
    _check_explained(
        tap,
        normalizes_heads=not isinstance(attention.query_norm, torch.nn.Identity),
        normalizes_output=not isinstance(layer.self_attention_output_norm, torch.nn.Identity),
        has_sink=attention.sinks is not None,
        rotates_part=rotary is not None and rotary.dim < attention.head_dim,
    )
    assert isinstance(norm, models.layers.Norm)
    captured = _Captured(attention, norm, layer.norm_first)
    first, last = (norm, attention) if layer.norm_first else (attention, norm)

    def before(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        captured.memory = args[1] if len(args) > 1 else kwargs.get("memory")
        captured.positions = kwargs.get("positions")

    def at_first(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        captured.vectors = args[0]

    def at_last(module: torch.nn.Module, args: tuple[Any, ...], output: Tensor) -> None:
        captured.output = captured.vectors + output if captured.norm_first else output

    def listen(name: str, call: Call) -> None:
        if name == tap:
            captured.calls.append(call)

    with (
        watching([attention], before=before),
        watching([first], before=at_first),
        watching([last], after=at_last),
    ):
        run(listen)
    _check_once(tap, captured.calls)
    return captured


def _projection(linear: torch.nn.Linear) -> Projection:
    bias = None if linear.bias is None else double(linear.bias)
    return Projection(double(linear.weight).mT, bias)


def _normalization(norm: Norm) -> Normalization:
    if isinstance(norm, models.layers.RMSNorm):
        return Normalization("rms", double(norm.factor), None, norm.eps)
    bias = None if norm.bias is None else double(norm.bias)
    return Normalization("layer", double(norm.weight), bias, norm.eps)


def _rotation(
    rotary: Rotary | None, length: int, positions: Tensor | None
) -> tuple[Tensor, Tensor] | None:
    """Cosine and sine at each position: what becomes of the vector (1 … 1, 0 … 0)."""
    if rotary is None:
        return None
    half = rotary.dim // 2
    ones = torch.cat([torch.ones(half), torch.zeros(half)]).expand(1, 1, length, -1)
    first_row = None if positions is None else positions[:1].cpu()
    cosine, sine = double(rotary(ones, ones, positions=first_row)[0][0, 0]).chunk(2, -1)
    return cosine, sine


def _first(bias: Tensor | None) -> Tensor | None:
    return None if bias is None else double(bias[:1])
