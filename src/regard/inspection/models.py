"""`regard.trace`: run a model once, as it is, and keep what its attention layers were given."""

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from regard.attention import Call
from regard.errors import BadArgumentError, UnsupportedError
from regard.inspection.answers import AxisInfo
from regard.inspection.recording import Recorder, check_traceable, hearing
from regard.inspection.steps import joined, row_by_row
from regard.inspection.trace import Edit, Trace
from regard.layers import MultiHeadAttention
from regard.layers.recurrent_attention import BahdanauAttention, LuongAttention
from regard.models import AnyEncoderDecoder, RecurrentEncoderDecoder

ATTENTIONS = (MultiHeadAttention, BahdanauAttention, LuongAttention)


def trace(model: object, *, keep: str = "auto", **inputs: Any) -> Trace:
    """Runs `model(**inputs)` with its own fast kernels, and returns the trace of that run.

    Args:
        model: an encoder–decoder (inputs `source` and `target` ids), a transformers model (its own
            inputs, and `tokenizer` to name the tokens), a translator (`text`), or any module whose
            attention is `regard.attend`.
        keep: where queries, keys and values stay, "memory", "disk", or "auto": disk for what would
            make the trace larger than 2 GiB.

    Raises:
        UnsupportedError: no attention was captured, or it cannot be shown faithfully.
        BadArgumentError: not a model.
    """
    if not isinstance(model, nn.Module):
        if hasattr(model, "trace"):  # a task's own: translator.trace(text)
            return model.trace(keep=keep, **inputs)
        raise BadArgumentError(
            "trace needs a model: a torch module or what regard.load gives;"
            f" got {type(model).__name__}."
        )
    if any(kind.__module__.partition(".")[0] == "transformers" for kind in type(model).__mro__):
        from regard.inspection.huggingface import trace_transformers

        return trace_transformers(model, keep=keep, **inputs)
    if isinstance(model, AnyEncoderDecoder):
        return trace_encoder_decoder(model, keep=keep, **inputs)
    return trace_module(model, keep=keep, **inputs)


@torch.no_grad()
def trace_encoder_decoder(
    model: AnyEncoderDecoder, source: Tensor, target: Tensor, *, keep: str = "auto"
) -> Trace:
    """One pass under teacher forcing; the output is the logits, (batch, target length, vocab).

    Row t of a decoder's map is the step that reads token t - 1, or the start, and gives token t.

    Args:
        source: (batch, source length) ids, padded with pad_id.
        target: (batch, target length) ids to give, eos last, padded on the right.
    """
    check_traceable(model)
    recorder = Recorder(keep)

    def record(path: str, call: Call) -> None:
        name = tap_name(path)
        cross = name.endswith(".cross")
        side = "source" if name.startswith("encoder") else "target"
        tap = recorder.add(
            name,
            call,
            queries=side,
            keys="source" if cross else side,
            kind="cross" if cross else "self",
        )
        tap.output_weight = output_weight(model.get_submodule(path))

    steps: list[Call] = []  # of the one attention that a recurrent decoder has
    recurrent = isinstance(model, RecurrentEncoderDecoder)
    with hearing(model, (lambda path, call: steps.append(call)) if recurrent else record):
        logits = model(source, target)
    if recurrent:
        record("decoder.cross_attention", joined(steps))

    read = model.shift_right(target)[0].tolist()
    return Trace(
        taps=recorder.taps,
        axes={
            "source": numbered(source[0].tolist()),
            "target": AxisInfo(
                tokens=[str(id_) for id_ in read],
                predicts=[str(id_) for id_ in target[0].tolist()],
                words=None,
                sentences=None,
                prompt=1,
            ),
        },
        model_name=type(model).__name__,
        task="translation",
        output=logits,
        rerun=partial(
            rerun,
            model,
            {"source": source, "target": target},
            rows=target.shape[1] if recurrent else None,
        ),
    )


@torch.no_grad()
def trace_module(model: nn.Module, *, keep: str = "auto", **inputs: Any) -> Trace:
    """Any module that calls `regard.attend`: a tap for each call, named by the calling module."""
    check_traceable(model)
    recorder = Recorder(keep)
    axes: dict[str, AxisInfo] = {}

    def axis(length: int) -> str:
        name = f"positions ({length})"
        axes.setdefault(name, numbered(range(length)))
        return name

    def record(path: str, call: Call) -> None:
        queries, keys = call.inputs.query.shape[2], call.inputs.key.shape[2]
        recorder.add(
            tap_name(path),
            call,
            queries=axis(queries),
            keys=axis(keys),
            kind="cross" if "cross" in path or queries != keys else "self",
        )

    with hearing(model, record):
        output = model(**inputs)
    if not recorder.taps:
        raise UnsupportedError(
            f"no attention was heard in {type(model).__name__}: its attention must go through"
            " regard.attend, or the model be one of transformers."
        )

    is_logits = isinstance(output, Tensor) and output.ndim == 3
    return Trace(
        taps=recorder.taps,
        axes=axes,
        model_name=type(model).__name__,
        task="encoding",
        output=output,
        rerun=partial(rerun, model, inputs) if is_logits else None,
    )


@torch.no_grad()
def rerun(
    model: nn.Module, inputs: dict[str, Any], edit: Edit, *, rows: int | None = None
) -> Tensor:
    """The output of `model(**inputs)` under an edit of its attention.

    Args:
        rows: of a layer that computes them one after the other, as recurrent decoders do.
    """
    if rows is not None:
        edit = row_by_row(edit, rows)
    with hearing(model, lambda path, call: edit(tap_name(path), call)):
        output: Tensor = model(**inputs)
    return output


def tap_name(path: str) -> str:
    """The public name of a module's tap: decoder.layers.3.cross_attention is ….3.cross."""
    return path.removesuffix("_attention")


def output_weight(attention: nn.Module) -> Tensor | None:
    """W_O of each head, (heads, head_dim, d_model): x W_O is the sum over heads of x_h W_O,h."""
    if not isinstance(attention, MultiHeadAttention):
        return None
    weight = attention.output.weight.detach().mT
    return weight.view(attention.num_heads, attention.head_dim, -1)


def numbered(names: Any) -> AxisInfo:
    return AxisInfo([str(name) for name in names], None, None, None, prompt=len(names))
