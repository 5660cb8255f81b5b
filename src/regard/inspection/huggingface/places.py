"""Places of attention layers in a model: tap names, the sequences on both sides, and positions."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from regard.attention.record import Attention
from regard.errors import BadArgumentError
from regard.inspection.answers import AxisInfo
from regard.inspection.huggingface.interface import CapturedCall
from regard.inspection.naming import SINK, Naming, behind_sink, byte_level, numbered, patches
from regard.inspection.writing import Written

if TYPE_CHECKING:
    from transformers import PretrainedConfig

CROSS = re.compile(r"cross|enc_?dec|encoder_attn|encdec", re.IGNORECASE)
ATTENTION = re.compile(r"(Attention|Attn|Mixer|DeltaNet|Hyena|Retention)(V?\d|Layer|Block)?$")
LINEAR = re.compile(r"Mixer|DeltaNet|Hyena|Retention")  # those that have no softmax
VISION = re.compile(r"vision|visual|image|vit", re.IGNORECASE)
STATES_OF_ANOTHER = ("encoder_hidden_states", "key_value_states", "cross_attention_states")


@dataclass(frozen=True)
class Place:
    """A layer's tap name, and the axes of its rows and columns."""

    name: str  # "decoder.layers.3.cross"
    kind: str
    queries: str
    keys: str


@dataclass
class Places:
    """Names the attention layers of one run, in the order in which they run: the same run gives
    the same names."""

    model: nn.Module
    pixels: bool  # whether the input is an image alone
    paths: dict[nn.Module, str] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)  # of the axes so far
    vision: set[str] = field(default_factory=set)  # axes of image patches
    cross: set[nn.Module] = field(default_factory=set)  # modules seen to be given other states
    _names: set[str] = field(default_factory=set)
    _last: dict[str, str] = field(default_factory=dict)  # of the names of each path

    def __post_init__(self) -> None:
        self.paths = {module: path for path, module in self.model.named_modules()}
        self.pair = bool(getattr(config_of(self.model), "is_encoder_decoder", False))

    @property
    def decodes(self) -> bool:
        """Return True if a decoder has run."""
        return any(name.startswith("decoder") for name in self._names)

    def path(self, module: nn.Module) -> str:
        return self.paths.get(module, type(module).__name__)

    def name(self, captured: CapturedCall, inputs: Attention, *, again: bool) -> Place:
        """Return the place of the layer that is running, again: it has attended before in this
        turn."""
        path = self.path(captured.module)
        cross = self.is_cross(captured.module)
        side = self.side(captured.module, path, cross, first_sees_itself_alone(inputs))
        rows, columns = captured.query.shape[2], captured.key.shape[2]
        sink = inputs.key.shape[2] > columns
        kind = "cross" if cross else "self"
        return self.place(side, kind, path, rows, columns, sink=sink, again=again)

    def is_cross(self, module: nn.Module) -> bool:
        return module in self.cross or is_cross(module, self.path(module))

    def is_of(self, module: nn.Module, side: str, kind: str) -> bool:
        """Return True for a layer of that side, if one is said, and kind."""
        cross = self.is_cross(module)
        alike = not side or self.side(module, self.path(module), cross, False) == side
        return alike and kind == ("cross" if cross else "self")

    def place(
        self,
        side: str,
        kind: str,
        path: str,
        rows: int,
        columns: int,
        *,
        sink: bool = False,
        again: bool = False,
    ) -> Place:
        """Return the place of a layer of so many queries and keys, beside which there may be a
        sink."""
        name = self.unused(side, kind, path, again)
        queries = self.sized(self.axis(side, path), rows)
        keys = self.sized(
            self.axis(side, path) if kind == "self" else self.memory(queries), columns
        )
        if queries != keys:  # such as patches, and their means
            kind = "cross"
        if sink:
            keys = self.sized(keys + SINK, columns + 1)
        return Place(name, kind, queries, keys)

    def sized(self, axis: str, length: int) -> str:
        """Return an axis of that length; where it has another one, the name says how long it is
        there."""
        if self.lengths.setdefault(axis, length) == length:
            return axis
        name = f"{axis} ({length})"
        self.lengths[name] = length
        return name

    def side(self, module: nn.Module, path: str, cross: bool, hides: bool) -> str:
        if cross:
            return "decoder"
        if self.pair:
            for part in path.split("."):
                for side in ("encoder", "decoder"):
                    if side in part:
                        return side
        return "decoder" if getattr(module, "is_causal", False) or hides else "encoder"

    def unused(self, side: str, kind: str, path: str, again: bool) -> str:
        """Name with the layer's own number; a layer that runs again counts on from the last, one
        that attends again has the same name, to which the recorder adds."""
        digits = re.search(r"\.(\d+)\.", f".{path}.")  # of its module, or given as a number
        number = int(digits[1]) if digits else 0
        if again:
            return self._last[path]
        while (name := f"{side}.layers.{number}.{kind}") in self._names:
            number += 1
        self._names.add(name)
        self._last[path] = name
        return name

    def forget(self, name: str) -> None:
        """Give a name back, of a tap that is replaced."""
        self._names.discard(name)

    def axis(self, side: str, path: str) -> str:
        image = self.pixels or (side == "encoder" and VISION.search(path) is not None)
        if self.pair:
            name = "source" if side == "encoder" else "target"
        else:
            name = "patches" if image else "tokens"
        if image and side == "encoder":
            self.vision.add(name)
        return name

    def memory(self, queries: str) -> str:
        """Return the axis that cross-attention looks at."""
        if self.pair:
            return "source"
        return "patches" if "patches" in self.lengths and queries != "patches" else "source"


def is_cross(module: nn.Module, path: str) -> bool:
    """Return True if keys come from another sequence than queries."""
    said = getattr(module, "is_cross_attention", None)
    if said is not None:
        return bool(said)
    # The attention's own name and class decide, not that of a model such as CrossEncoder.
    names = path.split(".")[-2:]
    return any(CROSS.search(part) for part in (*names, type(module).__name__))


def states_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
    """Return the states that an attention module was given, whose positions ask."""
    return args[0] if args else kwargs.get("hidden_states")


def another_sequence(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return True if an attention module was given states of another sequence than its own."""
    states = states_of(args, kwargs)
    others = (kwargs.get(name) for name in STATES_OF_ANOTHER)
    return any(other is not None and other is not states for other in others)


def first_sees_itself_alone(inputs: Attention) -> bool:
    """Return True if the first of several positions sees no later one, as in a decoder."""
    keys, device = inputs.key.shape[2], inputs.key.device
    first = torch.tensor([keys - inputs.query.shape[2]], device=device)
    if inputs.mask is None or not 0 <= first < keys - 1:
        return False
    later = torch.arange(int(first) + 1, keys, device=device)
    return not bool(inputs.mask.tile(first, later).any())


def config_of(model: nn.Module) -> "PretrainedConfig | None":
    return getattr(model, "config", None)


IDS = {"tokens": "input_ids", "source": "input_ids", "target": "decoder_input_ids"}


def axes_of(
    places: Places,
    inputs: Mapping[str, Any],
    logits: Tensor | None,
    tokens: Sequence[str] | Mapping[str, Sequence[str]] | None,
    naming: Naming,
    written: Written | None,
) -> dict[str, AxisInfo]:
    """Return an axis for each sequence that a tap is of; names are those of the batch's first
    row."""
    tokens_by_axis = by_axis(tokens, [axis for axis in places.lengths if SINK not in axis])
    axes: dict[str, AxisInfo] = {}
    for name, length in places.lengths.items():
        ids = ids_of(name, length, inputs)
        if name.endswith(SINK):
            axis = behind_sink(axes[name.removesuffix(SINK)])
        elif name in tokens_by_axis:
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
    """Return the token ids that the axis stands for, if the inputs have them."""
    ids = inputs.get(IDS.get(axis, ""))
    if not isinstance(ids, Tensor) or ids.ndim != 2 or ids.shape[1] != length:
        return None
    return ids[0].tolist()


def naming_of(tokenizer: Any) -> Naming:
    """Names by a transformers tokenizer; without one, the ids themselves."""
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
    """Return the names of the vocabulary's entries, or of the classes."""
    classes = getattr(config_of(model), "id2label", None)
    vocabulary = getattr(config_of(model), "vocab_size", None)
    if classes and len(classes) == logits.shape[-1] and logits.shape[-1] != vocabulary:
        return partial(class_name, classes)
    return naming.name


def class_name(classes: Mapping[int, Any], index: int) -> str:
    return str(classes.get(index, index))
