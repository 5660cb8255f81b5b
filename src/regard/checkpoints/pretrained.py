"""Models to and from a folder in Hugging Face's layout: config.json and model.safetensors."""

import json
import os
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from regard.checkpoints import seq2seq
from regard.errors import RegardError
from regard.files import whole_file
from regard.models import EncoderDecoder
from regard.positions import sinusoidal

MODEL_TYPES = ("marian", "pegasus", "regard")


def save_pretrained(
    model: EncoderDecoder,
    folder: str | os.PathLike[str],
    *,
    dtype: torch.dtype = torch.float32,
    settings: dict[str, Any] | None = None,
) -> None:
    """Writes config.json and model.safetensors, each whole or not at all.

    Args:
        dtype: of the written weights.
        settings: more keys for config.json.
    """
    folder = Path(folder)
    names = _names(model)
    state = model.state_dict()
    tensors = {theirs: state[ours].to(dtype).contiguous() for ours, theirs in names.items()}
    config = seq2seq.to_config(model.config) | {"dtype": str(dtype).removeprefix("torch.")}
    with whole_file(folder / "model.safetensors") as file:
        save_file(tensors, file, metadata={"format": "pt"})
    with whole_file(folder / "config.json") as file:
        file.write_text(json.dumps(config | (settings or {}), indent=2) + "\n", encoding="utf-8")


def from_pretrained(
    folder: str | os.PathLike[str], *, dtype: torch.dtype = torch.float32
) -> EncoderDecoder:
    """The model in `folder`, in evaluation mode.

    Args:
        dtype: of the loaded weights, whatever they were saved in.

    Raises:
        RegardError: no model there, an unknown family, a damaged file, or weights whose names or
            shapes are not those that config.json asks for.
    """
    folder = Path(folder)
    settings = read_config(folder)
    config = seq2seq.from_config(settings)
    with torch.device("meta"):
        model = EncoderDecoder(config)
    file = folder / "model.safetensors"
    if not file.exists():
        raise RegardError(f"{folder} has no model.safetensors. Is the folder complete?")
    try:
        tensors = load_file(file)
    except SafetensorError as error:
        raise RegardError(f"{file} is damaged ({error}). Copy or train the model again.") from error
    except OSError as error:
        raise RegardError(f"{file} cannot be read. Check who may read it.") from error
    names = _names(model)
    _check(model, names, tensors, folder)
    state = {ours: tensors[theirs].to(dtype) for ours, theirs in names.items()}
    if config.positions == "sinusoidal":
        table = sinusoidal(config.max_positions, config.d_model, layout="halves").to(dtype)
        state["encoder.embed.positions.weight"] = state["decoder.embed.positions.weight"] = table
    model.load_state_dict(state, assign=True)
    for embed in (model.encoder.embed, model.decoder.embed):
        embed.positions.weight.requires_grad_(config.positions == "learned")
    return model.eval()


def read_config(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """config.json of a model folder, its family checked."""
    file = Path(folder) / "config.json"
    if not file.exists():
        raise RegardError(f"{folder} is not a model folder: it has no config.json.")
    try:
        settings: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RegardError(f"{file} is not valid JSON ({error}).") from error
    if settings.get("model_type") not in MODEL_TYPES:
        raise RegardError(
            f"model_type must be one of {', '.join(MODEL_TYPES)};"
            f" {file} says {settings.get('model_type')!r}."
        )
    return settings


def _names(model: EncoderDecoder) -> dict[str, str]:
    """Our name → theirs for every weight that is written."""
    static = model.config.positions == "sinusoidal"
    return {
        name: seq2seq.their_name(name, model.config)
        for name in model.state_dict()
        if not (static and name.endswith("embed.positions.weight"))
    }


def _check(
    model: EncoderDecoder, names: dict[str, str], tensors: dict[str, Tensor], folder: Path
) -> None:
    wanted = set(names.values())
    missing = sorted(wanted - set(tensors))
    ignored = {name for name in tensors if name.endswith(seq2seq.IGNORED)}
    unexpected = sorted(set(tensors) - wanted - ignored)
    if missing or unexpected:
        raise RegardError(
            f"the weights in {folder} do not fit its config.json:"
            f" missing {_some(missing)}; unexpected {_some(unexpected)}."
        )
    state = model.state_dict()
    for ours, theirs in names.items():
        if state[ours].shape != tensors[theirs].shape:
            raise RegardError(
                f"{theirs} must be {tuple(state[ours].shape)} by {folder}/config.json;"
                f" model.safetensors has {tuple(tensors[theirs].shape)}."
            )


def _some(names: list[str]) -> str:
    if not names:
        return "none"
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
