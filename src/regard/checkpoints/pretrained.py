"""Models from and into folders in Hugging Face's layout: config.json and the weights."""

import os
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Literal, overload

import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from regard import models
from regard.checkpoints.checkpoint import CheckpointLike, open_checkpoint
from regard.checkpoints.families import family_of
from regard.checkpoints.family import Place, Settings, in_dtype, places, to_theirs
from regard.checkpoints.fit import read_state
from regard.checkpoints.weights import SAFETENSORS
from regard.errors import UnsupportedError
from regard.files import whole_file, write_json
from regard.models import EncoderDecoder, Model


@overload
def from_pretrained(
    name: Literal["en-de", "en-hi", "de-en"], *, dtype: torch.dtype | None = ...
) -> EncoderDecoder: ...
@overload
def from_pretrained(name: CheckpointLike, *, dtype: torch.dtype | None = ...) -> Model: ...
def from_pretrained(name: CheckpointLike, *, dtype: torch.dtype | None = torch.float32) -> Model:
    """Return the model in a folder, of a shipped name or of "hub:org/name", in evaluation mode.

    Its weights are in memory: what becomes of the file afterwards changes nothing.

    >>> model = regard.from_pretrained("en-de")
    >>> type(model).__name__, model.config.decoder_layers
    ('EncoderDecoder', 2)

    Args:
        dtype: of the loaded weights, whatever they were saved in; None: as they were saved.

    Raises:
        NotFoundError: no model there.
        UnsupportedError: an unknown family, or a setting that is not implemented.
        DamagedFileError: a damaged file, or weights whose names, shapes or ties are not those that
            config.json asks for, or that have NaN or infinity. Nothing is half loaded.
    """
    checkpoint = open_checkpoint(name)
    model = empty_model(checkpoint)
    ours = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    state = read_state(checkpoint, ours, torch)
    _assign(model, state, dtype)
    checkpoint.weights.check_unchanged()  # while they were copied
    return model.eval()


def empty_model(name: CheckpointLike) -> Model:
    """Return the model that config.json describes, without memory for its weights.

    >>> next(empty_model("en-de").parameters()).device
    device(type='meta')
    """
    checkpoint = open_checkpoint(name)
    config = checkpoint.config
    with checkpoint.describing(), torch.device("meta"), _NoFirstValues():
        model: Model = getattr(models, checkpoint.architecture)(config)
        return model


class _NoFirstValues(TorchFunctionMode):
    """Leaves out the random first values of weights that have no memory: torch imports a compiler
    for seconds to draw them."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> object:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") in ("normal_", "uniform_", "trunc_normal_"):
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


def _assign(model: nn.Module, state: Mapping[str, Tensor], dtype: torch.dtype | None) -> None:
    """Put the tensors in their places; parameters that were one stay one."""
    made: dict[int, nn.Parameter] = {}
    for path, module in model.named_modules():
        dot = f"{path}." if path else ""
        for name, empty in list(module.named_parameters(recurse=False, remove_duplicate=False)):
            if id(empty) not in made:
                tensor = in_dtype(state[dot + name], dtype, copy=True)
                made[id(empty)] = nn.Parameter(tensor, requires_grad=empty.requires_grad)
            setattr(module, name, made[id(empty)])
        for name, _ in list(module.named_buffers(recurse=False)):
            setattr(module, name, state[dot + name].clone())


def save_pretrained(
    model: nn.Module,
    folder: str | os.PathLike[str],
    *,
    dtype: torch.dtype = torch.float32,
    settings: Settings | None = None,
    shard_bytes: int = 5 * 2**30,
) -> None:
    """Write config.json and model.safetensors, each whole or not at all.

    >>> from regard.models import Decoder, decoder_preset
    >>> save_pretrained(Decoder(decoder_preset("tiny", vocab_size=100)), "mine")
    >>> type(regard.from_pretrained("mine")).__name__
    'Decoder'

    Args:
        dtype: of the written weights.
        settings: more keys for config.json.
        shard_bytes: a larger model is written in several files with an index.
    """
    folder = Path(folder)
    family = family_of(model)
    weights = chain(
        *(take(remove_duplicate=False) for take in (model.named_parameters, model.named_buffers))
    )
    state = {name: tensor.detach() for name, tensor in weights}  # also a tied one's second name
    table = places(family.names(model.config, model.state_dict()))
    _check_ties(table, state)
    tensors = {
        name: in_dtype(tensor, dtype).contiguous()
        for name, tensor in to_theirs(table, state).items()
    }
    config = family.to_config(model.config) | {"dtype": str(dtype).removeprefix("torch.")}
    _write_weights(tensors, folder, shard_bytes)
    write_json(folder / "config.json", config | (settings or {}))


def _check_ties(table: Mapping[str, Place], state: Mapping[str, Tensor]) -> None:
    first: dict[Place, str] = {}
    for ours, place in table.items():
        other = first.setdefault(place, ours)
        if state[ours] is not state[other] and not torch.equal(state[ours], state[other]):
            raise UnsupportedError(
                f"{ours} and {other} must be equal to be saved, because config.json ties them to"
                f" {place.name}; they differ."
            )


def _write_weights(tensors: dict[str, Tensor], folder: Path, shard_bytes: int) -> None:
    shards = _split(tensors, shard_bytes)
    index = folder / f"{SAFETENSORS}.index.json"
    files = [
        SAFETENSORS if len(shards) == 1 else f"model-{k:05}-of-{len(shards):05}.safetensors"
        for k in range(1, len(shards) + 1)
    ]
    for name, shard in zip(files, shards, strict=True):
        with whole_file(folder / name) as file:
            save_file(shard, file, metadata={"format": "pt"})
    if len(shards) == 1:
        index.unlink(missing_ok=True)  # of an earlier, larger model
        return
    total = sum(tensor.nbytes for tensor in tensors.values())
    where = {name: file for file, shard in zip(files, shards, strict=True) for name in shard}
    write_json(index, {"metadata": {"total_size": total}, "weight_map": where})
    (folder / SAFETENSORS).unlink(missing_ok=True)  # of an earlier, smaller model: it comes first


def _split(tensors: dict[str, Tensor], shard_bytes: int) -> list[dict[str, Tensor]]:
    """Return groups of at most that size, or of one tensor, in the order of the model."""
    shards: list[dict[str, Tensor]] = [{}]
    size = 0
    for name, tensor in tensors.items():
        if shards[-1] and size + tensor.nbytes > shard_bytes:
            shards.append({})
            size = 0
        shards[-1][name] = tensor
        size += tensor.nbytes
    return shards
