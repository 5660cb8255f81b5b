"""Places of attention layers in a model: public tap names, and the sequences on both sides."""

import re
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from regard.attention import Mask
from regard.inspection.huggingface.interface import CapturedCall
from regard.inspection.huggingface.masks import Unreadable

CROSS = re.compile(r"cross|enc_?dec|encoder_attn|encdec", re.IGNORECASE)
ATTENTION = re.compile(r"(Attention|Attn|Mixer|DeltaNet|Hyena|Retention)(V?\d|Layer|Block)?$")
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

    def __post_init__(self) -> None:
        self.paths = {module: path for path, module in self.model.named_modules()}
        self.pair = bool(getattr(config_of(self.model), "is_encoder_decoder", False))

    @property
    def decodes(self) -> bool:
        """Return True if a decoder has run."""
        return any(name.startswith("decoder") for name in self._names)

    def path(self, module: nn.Module) -> str:
        return self.paths.get(module, type(module).__name__)

    def name(self, captured: CapturedCall, mask: Mask | None) -> Place:
        """The place of the layer that is running.

        Raises:
            Unreadable: it works on another sequence than its side's others.
        """
        path = self.path(captured.module)
        cross = captured.module in self.cross or is_cross(captured.module, path)
        hides = first_sees_itself_alone(mask, captured.key)
        side = self.side(captured.module, path, cross, hides)
        kind = "cross" if cross else "self"
        name = self.unused(side, kind, path)
        rows, columns = captured.query.shape[2], captured.key.shape[2]
        if kind == "self" and rows != columns:
            raise Unreadable(f"has {rows} queries over {columns} keys of one sequence")
        queries = self.axis(side, path)
        keys = queries if kind == "self" else self.memory(queries)
        for axis, length in ((queries, rows), (keys, columns)):
            if self.lengths.setdefault(axis, length) != length:
                raise Unreadable(
                    f"works on {length} positions where {axis} has {self.lengths[axis]}:"
                    " trace that part of the model by itself"
                )
        return Place(name, kind, queries, keys)

    def side(self, module: nn.Module, path: str, cross: bool, hides: bool) -> str:
        if cross:
            return "decoder"
        if self.pair:
            for part in path.split("."):
                for side in ("encoder", "decoder"):
                    if side in part:
                        return side
        causal = getattr(module, "is_causal", False) or hides
        return "decoder" if causal else "encoder"

    def unused(self, side: str, kind: str, path: str) -> str:
        """Name with the layer's own number; a layer that runs again counts on from the last."""
        digits = re.search(r"\.(\d+)\.", f".{path}.")
        number = int(digits[1]) if digits else 0
        while (name := f"{side}.layers.{number}.{kind}") in self._names:
            number += 1
        self._names.add(name)
        return name

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
        """The axis that cross-attention looks at."""
        if self.pair:
            return "source"
        return "patches" if "patches" in self.lengths and queries != "patches" else "source"


def is_cross(module: nn.Module, path: str) -> bool:
    """Return True if keys come from another sequence than queries."""
    said = getattr(module, "is_cross_attention", None)
    if said is not None:
        return bool(said)
    # The attention's own name and class decide, not that of a model such as CrossEncoder.
    own = path.split(".")[-2:]
    return any(CROSS.search(part) for part in (*own, type(module).__name__))


def another_sequence(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return True if an attention module was given states of another sequence than its own."""
    own = args[0] if args else kwargs.get("hidden_states")
    others = (kwargs.get(name) for name in STATES_OF_ANOTHER)
    return any(other is not None and other is not own for other in others)


def first_sees_itself_alone(mask: Mask | None, key: Tensor) -> bool:
    """Return True if the first of several positions sees no later one, as in a decoder."""
    keys, device = key.shape[2], key.device
    if mask is None or keys < 2:
        return False
    first = torch.zeros(1, dtype=torch.long, device=device)
    return not bool(mask.tile(first, torch.arange(1, keys, device=device)).any())


def config_of(model: nn.Module) -> Any:
    return getattr(model, "config", None)
