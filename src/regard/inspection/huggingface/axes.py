"""Names for the positions along the axes of a transformers model's maps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from torch import Tensor, nn

from regard.errors import BadArgumentError
from regard.inspection.answers import AxisInfo
from regard.inspection.huggingface.places import Places, config_of
from regard.inspection.naming import Naming, byte_level, numbered, patches
from regard.inspection.writing import Written

IDS = {
    "tokens": ("input_ids",),
    "source": ("input_ids",),
    "target": ("decoder_input_ids",),
    "patches": (),
}


def axes_of(
    places: Places,
    inputs: Mapping[str, Any],
    logits: Tensor | None,
    tokens: Sequence[str] | Mapping[str, Sequence[str]] | None,
    naming: Naming,
    written: Written | None,
) -> dict[str, AxisInfo]:
    """An axis for each sequence that a tap is of; names are those of the batch's first row.

    Raises:
        BadArgumentError: `tokens` for an axis that is not there, or of another length.
    """
    tokens_by_axis = by_axis(tokens, list(places.lengths))
    axes = {}
    for name, length in places.lengths.items():
        ids = ids_of(name, length, inputs)
        if name in tokens_by_axis:
            if len(tokens_by_axis[name]) != length:
                raise BadArgumentError(
                    f"tokens must have one name for each of the {length} positions of {name};"
                    f" got {len(tokens_by_axis[name])}."
                )
            axis = replace(numbered(length), tokens=list(tokens_by_axis[name]))
        elif name in places.vision:
            names = patch_names(places.model, inputs, length)
            axis = replace(numbered(length), tokens=names) if names else numbered(length)
        else:
            axis = numbered(length) if ids is None else naming.axis(ids)
        if name == "target" or (name == "tokens" and places.decodes):
            axis = replace(axis, predicts=predictions(axis.tokens, logits, naming))
        if written is not None and name == written.axis:
            # What the positions from the prompt's last on give is what was written.
            predicts = axis.tokens[1 : written.prompt] + naming.names(written.ids)
            predicts += (axis.predicts or [])[len(predicts) :]
            axis = replace(axis, predicts=predicts, prompt=written.prompt)
        axes[name] = axis
    return axes


def by_axis(
    tokens: Sequence[str] | Mapping[str, Sequence[str]] | None, axes: list[str]
) -> Mapping[str, Sequence[str]]:
    if tokens is None:
        return {}
    if not isinstance(tokens, Mapping):
        if len(axes) > 1:
            raise BadArgumentError(
                f"tokens must be given for each axis here, {' and '.join(map(repr, axes))}; got"
                " one list."
            )
        return {axes[0]: tokens}
    for axis in tokens:
        if axis not in axes:
            raise BadArgumentError(f"tokens are for the axes {', '.join(axes)}; got {axis!r}.")
    return tokens


def ids_of(axis: str, length: int, inputs: Mapping[str, Any]) -> list[int] | None:
    """The token ids that the axis stands for, if the inputs have them."""
    for name in IDS.get(axis, ()):
        ids = inputs.get(name)
        if isinstance(ids, Tensor) and ids.ndim == 2 and ids.shape[1] == length:
            return [int(id_) for id_ in ids[0]]
    return None


def naming_of(tokenizer: Any) -> Naming:
    """The naming of a transformers tokenizer; ids where there is none."""
    if tokenizer is None:
        return Naming()
    return Naming(
        tokenizer.convert_ids_to_tokens,
        byte_level(getattr(getattr(tokenizer, "backend_tokenizer", None), "decoder", None)),
        frozenset(tokenizer.all_special_tokens),
        partial(tokenizer.decode, skip_special_tokens=True),
    )


def predictions(names: list[str], logits: Tensor | None, naming: Naming) -> list[str]:
    """Token that each position predicts: the one read next, and after the last the likeliest."""
    last = ""
    if logits is not None and logits.shape[1] == len(names):
        last = naming.name(int(logits[0, -1].argmax()))
    return [*names[1:], last]


def patch_names(model: nn.Module, inputs: Mapping[str, Any], length: int) -> list[str] | None:
    """Names of an image's patches; None where their grid is not known."""
    pixels, config = inputs.get("pixel_values"), config_of(model)
    config = getattr(config, "vision_config", None) or getattr(config, "encoder", config)
    size = getattr(config, "patch_size", None)
    if not isinstance(pixels, Tensor) or not isinstance(size, int):
        return None
    height, width = pixels.shape[-2] // size, pixels.shape[-1] // size
    extra = length - height * width
    return patches(height, width, extra) if extra in range(17) else None


def names_of_logits(model: nn.Module, logits: Tensor, naming: Naming) -> Callable[[int], str]:
    """The names of the vocabulary's entries, or of the classes."""
    classes = getattr(config_of(model), "id2label", None)
    vocabulary = getattr(config_of(model), "vocab_size", None)
    if classes and len(classes) == logits.shape[-1] and logits.shape[-1] != vocabulary:
        return partial(class_name, classes)
    return naming.name


def class_name(classes: Mapping[int, Any], index: int) -> str:
    return str(classes.get(index, index))
