"""A model into a folder in Hugging Face's layout: config.json and the weights."""

import os
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from regard.checkpoints.families import family_of
from regard.checkpoints.family import Place, Settings, cast, places, to_theirs
from regard.checkpoints.weights import SAFETENSORS
from regard.errors import UnsupportedError
from regard.files import whole_file, write_json


def save_pretrained(
    model: nn.Module,
    folder: str | os.PathLike[str],
    *,
    dtype: torch.dtype = torch.float32,
    settings: Settings | None = None,
    shard_bytes: int = 5 * 2**30,
) -> None:
    """Writes config.json and model.safetensors, each whole or not at all.

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
    state = _state(model)
    table = places(family.names(model))
    _check_ties(table, state)
    tensors = {
        name: cast(tensor, dtype).contiguous() for name, tensor in to_theirs(table, state).items()
    }
    config = family.to_config(model.config) | {"dtype": str(dtype).removeprefix("torch.")}
    _write_weights(tensors, folder, shard_bytes)
    write_json(folder / "config.json", config | (settings or {}))


def _state(model: nn.Module) -> dict[str, Tensor]:
    """Every parameter and buffer, also the second name of a tied one."""
    return {
        name: tensor.detach()
        for name, tensor in chain(
            model.named_parameters(remove_duplicate=False),
            model.named_buffers(remove_duplicate=False),
        )
    }


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
    """Groups of at most that size, or of one tensor, in the order of the model."""
    shards: list[dict[str, Tensor]] = [{}]
    size = 0
    for name, tensor in tensors.items():
        if shards[-1] and size + tensor.nbytes > shard_bytes:
            shards.append({})
            size = 0
        shards[-1][name] = tensor
        size += tensor.nbytes
    return shards
