"""Names for the positions along the axes of a transformers model's maps."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from torch import Tensor, nn

from regard.errors import BadArgumentError
from regard.inspection.answers import AxisInfo
from regard.inspection.grouping import sentence_spans, word_spans
from regard.inspection.huggingface.places import Places, config_of

IDS = {
    "tokens": ("input_ids",),
    "source": ("input_ids",),
    "target": ("decoder_input_ids",),
    "patches": (),
}


def axes_of(
    places: Places,
    inputs: Mapping[str, Any],
    output: Any,
    *,
    tokens: Sequence[str] | Mapping[str, Sequence[str]] | None,
    tokenizer: Any,
) -> dict[str, AxisInfo]:
    """An axis for each sequence that a tap is of; names are those of the batch's first row.

    Raises:
        BadArgumentError: `tokens` for an axis that is not there, or of another length.
    """
    given = by_axis(tokens, list(places.lengths))
    axes = {}
    for axis, length in places.lengths.items():
        ids = ids_of(axis, length, inputs)
        if axis in given:
            names = list(given[axis])
            if len(names) != length:
                raise BadArgumentError(
                    f"tokens must have one name for each of the {length} positions of {axis};"
                    f" got {len(names)}."
                )
        elif axis in places.vision:
            names = patches(places.model, inputs, length)
        elif ids is not None:
            names = strings(ids, tokenizer)
        else:
            names = [str(position) for position in range(length)]
        named = ids is not None and tokenizer is not None and axis not in given
        reads = axis == "target" or (axis == "tokens" and places.decodes)
        axes[axis] = AxisInfo(
            tokens=names,
            predicts=predictions(names, output, tokenizer) if reads else None,
            words=word_spans(names, tokenizer.all_special_tokens) if named else None,
            sentences=sentence_spans(names) if named else None,
            prompt=length,
        )
    return axes


def by_axis(
    tokens: Sequence[str] | Mapping[str, Sequence[str]] | None, axes: list[str]
) -> Mapping[str, Sequence[str]]:
    if tokens is None:
        return {}
    if not isinstance(tokens, Mapping):
        if len(axes) > 1:
            raise BadArgumentError(
                f"tokens must be given by axis here, {' and '.join(map(repr, axes))}; got one list."
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


def strings(ids: Sequence[int], tokenizer: Any) -> list[str]:
    """The tokenizer's own pieces, a space before a word as ▁; ids where there is no tokenizer."""
    if tokenizer is None:
        return [str(id_) for id_ in ids]
    bytes_of = getattr(getattr(tokenizer, "backend_tokenizer", None), "decoder", None)
    if type(bytes_of).__name__ != "ByteLevel":
        bytes_of = None
    names = []
    for id_, piece in zip(ids, tokenizer.convert_ids_to_tokens(list(ids)), strict=True):
        if piece is None:  # above the tokenizer's: embeddings are rounded up to a multiple of 64
            names.append(str(id_))
            continue
        text = bytes_of.decode([piece]) if bytes_of is not None else piece
        text = text.replace(" ", "▁").replace("\n", "↵")
        names.append(piece if unwritable(text) else text)
    return names


def unwritable(text: str) -> bool:
    """Whether it is a part of a character, or one that a terminal obeys instead of showing."""
    parts = "\N{REPLACEMENT CHARACTER}" in text or not text
    return parts or any(unicodedata.category(letter) == "Cc" for letter in text)


def predictions(names: list[str], output: Any, tokenizer: Any) -> list[str]:
    """What each position gives: the token read next, and after the last the likeliest."""
    logits = getattr(output, "logits", None)
    last = ""
    if isinstance(logits, Tensor) and logits.ndim == 3 and logits.shape[1] == len(names):
        last = strings([int(logits[0, -1].argmax())], tokenizer)[0]
    return [*names[1:], last]


def patches(model: nn.Module, inputs: Mapping[str, Any], length: int) -> list[str]:
    """ "row,column" of each patch of an image, after the tokens that stand for the whole of it."""
    pixels, config = inputs.get("pixel_values"), config_of(model)
    config = getattr(config, "vision_config", None) or getattr(config, "encoder", config)
    size = getattr(config, "patch_size", None)
    numbers = [str(position) for position in range(length)]
    if not isinstance(pixels, Tensor) or not isinstance(size, int):
        return numbers
    height, width = pixels.shape[-2] // size, pixels.shape[-1] // size
    extra = length - height * width
    if extra not in range(17):
        return numbers
    whole = ["CLS", *(f"register {index}" for index in range(1, extra))][:extra]
    return whole + [f"{row},{column}" for row in range(height) for column in range(width)]


def names_of_logits(model: nn.Module, logits: Tensor, tokenizer: Any) -> Callable[[int], str]:
    """The names of the vocabulary's entries, or of the classes."""
    classes = getattr(config_of(model), "id2label", None)
    vocabulary = getattr(config_of(model), "vocab_size", None)
    if classes and len(classes) == logits.shape[-1] and logits.shape[-1] != vocabulary:
        return partial(class_name, classes)
    return partial(token_name, tokenizer)


def class_name(classes: Mapping[int, Any], index: int) -> str:
    return str(classes.get(index, index))


def token_name(tokenizer: Any, id_: int) -> str:
    return strings([id_], tokenizer)[0]
