"""A model from a folder in Hugging Face's layout: config.json and the weights."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, overload

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from regard.checkpoints.checkpoint import CheckpointLike, open_checkpoint
from regard.checkpoints.family import cast as in_dtype
from regard.checkpoints.family import places, to_ours
from regard.checkpoints.fit import Fit, fit
from regard.errors import DamagedFileError, some
from regard.models import EncoderDecoder, Model


@overload
def from_pretrained(
    name: Literal["en-de", "en-hi"], *, dtype: torch.dtype | None = ...
) -> EncoderDecoder: ...
@overload
def from_pretrained(name: CheckpointLike, *, dtype: torch.dtype | None = ...) -> Model: ...
def from_pretrained(name: CheckpointLike, *, dtype: torch.dtype | None = torch.float32) -> Model:
    """The model in a folder, of a shipped name or of "hub:org/name", in evaluation mode.

    Its weights are the file's own memory, read when they are used, unless `dtype` asks for another
    number format than the file's.

    >>> model = regard.from_pretrained("en-de")
    >>> type(model).__name__, model.config.decoder_layers
    ('EncoderDecoder', 3)

    Args:
        dtype: of the loaded weights, whatever they were saved in; None: as they were saved.

    Raises:
        NotFoundError: no model there.
        UnsupportedError: an unknown family, or a setting that is not implemented.
        DamagedFileError: a damaged file, or weights whose names, shapes or ties are not those that
            config.json asks for. Nothing is half loaded.
    """
    checkpoint = open_checkpoint(name)
    model, family, weights = empty_model(checkpoint), checkpoint.family, checkpoint.weights
    found = fit(family, model, weights.shapes)
    _refuse(found, weights, checkpoint.folder)
    theirs = {name: weights[in_file] for name, in_file in found.found.items()}
    state = to_ours(places(family.names(model)), theirs) | dict(family.constants(model))
    _assign(model, state, dtype)
    return model.eval()


def empty_model(name: CheckpointLike) -> Model:
    """The model that config.json describes, without memory for its weights.

    >>> next(empty_model("en-de").parameters()).device
    device(type='meta')
    """
    checkpoint = open_checkpoint(name)
    config = checkpoint.config
    with checkpoint.describing(), torch.device("meta"), _NoFirstValues():
        return checkpoint.family.model(config)


class _NoFirstValues(TorchFunctionMode):
    """Leaves out the random first values of weights that have no memory: torch imports a compiler
    for seconds to draw them."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") in ("normal_", "uniform_", "trunc_normal_"):
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


def _refuse(found: Fit, weights: Mapping[str, Tensor], folder: Path) -> None:
    if found.missing or found.unexpected:
        raise DamagedFileError(
            f"the weights in {folder} do not fit its config.json:"
            f" missing {some(found.missing)}; unexpected {some(found.unexpected)}."
        )
    if found.misshaped:
        name, wanted, got = found.misshaped[0]
        more = len(found.misshaped) - 1
        raise DamagedFileError(
            f"{name} must be {wanted} according to {folder}/config.json; the file has {got}"
            + (f", and {more} more do not fit (`regard doctor` lists them)." if more else ".")
        )
    if wrong := next(found.untrue(weights), None):
        raise DamagedFileError(f"{wrong}, in {folder}.")


def _assign(model: nn.Module, state: Mapping[str, Tensor], dtype: torch.dtype | None) -> None:
    """Puts the tensors in their places; parameters that were one stay one."""
    made: dict[int, nn.Parameter] = {}
    for path, module in model.named_modules():
        dot = f"{path}." if path else ""
        for name, empty in list(module.named_parameters(recurse=False, remove_duplicate=False)):
            if id(empty) not in made:
                tensor = in_dtype(state[dot + name], dtype)
                made[id(empty)] = nn.Parameter(tensor, requires_grad=empty.requires_grad)
            setattr(module, name, made[id(empty)])
        for name, _ in list(module.named_buffers(recurse=False)):
            setattr(module, name, state[dot + name])
