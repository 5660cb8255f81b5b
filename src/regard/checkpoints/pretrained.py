"""A model from a folder in Hugging Face's layout: config.json and the weights."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from regard.checkpoints.families import family_for
from regard.checkpoints.family import Family, Settings, cast, places, to_ours
from regard.checkpoints.fit import Fit, fit
from regard.checkpoints.hub import find_folder
from regard.checkpoints.weights import open_weights
from regard.errors import RegardError


def from_pretrained(
    name: str | os.PathLike[str], *, dtype: torch.dtype | None = torch.float32
) -> Any:
    """The model in a folder, of a shipped name or of "hub:org/name", in evaluation mode.

    Its weights are the file's own memory, read when they are used, unless `dtype` asks for another
    number format than the file's.

    Args:
        dtype: of the loaded weights, whatever they were saved in; None: as they were saved.

    Raises:
        RegardError: no model there, an unknown family, a damaged file, or weights whose names,
            shapes or ties are not those that config.json asks for. Nothing is half loaded.
    """
    folder = find_folder(name)
    settings = read_config(folder)
    family = family_for(settings["model_type"], where=str(folder / "config.json"))
    model = _empty(family, settings)
    weights = open_weights(folder)
    found = fit(family, model, weights.shapes)
    _refuse(found, weights, folder)
    theirs = {name: weights[in_file] for name, in_file in found.found.items()}
    state = to_ours(places(family.names(model)), theirs) | dict(family.constants(model))
    _assign(model, state, dtype)
    return model.eval()


def empty_model(folder: str | os.PathLike[str]) -> nn.Module:
    """The model that a folder's config.json describes, without memory for its weights."""
    settings = read_config(folder)
    return _empty(family_for(settings["model_type"], where=f"{folder}/config.json"), settings)


def read_config(folder: str | os.PathLike[str]) -> Settings:
    """config.json of a model folder, its family checked; a key it lacks is a RegardError."""
    file = Path(folder) / "config.json"
    if not file.exists():
        raise RegardError(f"{folder} is not a model folder: it has no config.json.")
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RegardError(f"{file} is not valid JSON ({error}).") from error
    if not isinstance(settings, dict):
        raise RegardError(f"{file} must be a JSON object; it is a {type(settings).__name__}.")
    family_for(settings.get("model_type"), where=str(file))
    return _Settings(settings, file)


class _Settings(dict[str, Any]):
    """A config.json whose missing key says which file lacks it."""

    def __init__(self, content: Mapping[str, Any], file: Path):
        super().__init__(content)
        self.file = file

    def __missing__(self, key: str) -> Any:
        raise RegardError(
            f"{self.file} of a {self.get('model_type')} model must have {key!r}; it has not."
            " Copy it again from where the model came from."
        )


def _empty(family: Family, settings: Settings) -> nn.Module:
    try:
        config = family.from_config(settings)
        with torch.device("meta"), _NoFirstValues():
            return family.model(config)
    except RegardError:
        raise
    except (TypeError, ValueError, KeyError, ArithmeticError, RuntimeError) as error:
        # A number where a name should be, a width of minus one: no model comes of it.
        raise RegardError(
            f"config.json does not describe a {settings['model_type']} model ({error})."
            " Copy it again from where the model came from."
        ) from error


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
        raise RegardError(
            f"the weights in {folder} do not fit its config.json:"
            f" missing {_some(found.missing)}; unexpected {_some(found.unexpected)}."
        )
    if found.misshaped:
        name, wanted, got = found.misshaped[0]
        more = len(found.misshaped) - 1
        raise RegardError(
            f"{name} must be {wanted} by {folder}/config.json; the file has {got}"
            + (f", and {more} more do not fit (`regard doctor` lists them)." if more else ".")
        )
    if wrong := next(found.untrue(weights), None):
        raise RegardError(f"{wrong}, in {folder}.")


def _assign(model: nn.Module, state: Mapping[str, Tensor], dtype: torch.dtype | None) -> None:
    """Puts the tensors in their places; parameters that were one stay one."""
    made: dict[int, nn.Parameter] = {}
    for path, module in model.named_modules():
        dot = f"{path}." if path else ""
        for name, empty in list(module.named_parameters(recurse=False, remove_duplicate=False)):
            if id(empty) not in made:
                tensor = cast(state[dot + name], dtype)
                made[id(empty)] = nn.Parameter(tensor, requires_grad=empty.requires_grad)
            setattr(module, name, made[id(empty)])
        for name, _ in list(module.named_buffers(recurse=False)):
            setattr(module, name, state[dot + name])


def _some(names: list[str]) -> str:
    if not names:
        return "none"
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
