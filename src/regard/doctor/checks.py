"""The checks of `regard doctor`: each gives findings of one line, with the remedy."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from regard.checkpoints import Checkpoint, empty_model, from_pretrained
from regard.checkpoints.fit import fit
from regard.checkpoints.weights import Weights
from regard.doctor.behavior import check_run
from regard.doctor.settings import Finding, check_settings, named
from regard.errors import RegardError
from regard.runtime.packing import cache_size
from regard.text import Tokenizer, TokenizerPair

LISTED = 20  # names of weights in full; there may be hundreds that do not fit
SMALL = 300_000_000  # parameters of a model that is run unasked: seconds, and a gigabyte
TEXT = "The dog runs through the snow, and a child throws a ball."
TOKENS = 8  # of it, which every model has positions for


def examine(checkpoint: Checkpoint, *, run: bool = False) -> Iterator[Finding]:
    """All findings about a model folder. A file that cannot be read is a finding, not an error."""
    weights, family_is_known = None, False
    try:
        family_is_known = checkpoint.family is not None
        yield Finding("ok", "config", f"config.json, a {checkpoint.settings['model_type']} model")
    except RegardError as error:
        yield Finding("wrong", "config", str(error))
    try:
        weights = checkpoint.weights
        yield from _check_files(checkpoint.folder, weights)
        if family_is_known:
            yield from _check_fit(checkpoint)
        yield from named("values", _check_values(weights), "every weight is a finite number")
    except RegardError as error:
        yield Finding("wrong", "weights", str(error))
    yield from _check_cache()
    settings = _read_any(checkpoint, "config.json")
    if settings.get("model_type") == "vit":
        return  # reads no text
    try:
        tokenizers = checkpoint.tokenizers
    except RegardError as error:
        yield Finding("wrong", "tokenizer", str(error))
        return
    yield Finding("ok", "tokenizer", _describe(tokenizers))
    generation = _read_any(checkpoint, "generation_config.json")
    yield from check_settings(settings, tokenizers, generation)
    if weights is not None:
        yield from _check_run(checkpoint, tokenizers.source, run=run)


def _check_files(folder: Path, weights: Weights) -> Iterator[Finding]:
    size = sum(file.stat().st_size for file in weights.files)
    count = "1 file" if len(weights.files) == 1 else f"{len(weights.files)} files"
    dtypes = ", ".join(sorted(set(weights.dtypes.values())))
    facts = f"{count}, {size / 1e6:,.1f} MB, {len(weights)} tensors of {dtypes}"
    yield Finding("ok", "weights", facts)
    if any(file.suffix == ".bin" for file in weights.files):
        yield Finding(
            "note",
            "weights",
            "a .bin can contain code, which regard refuses to run but other programs may run:"
            " save the model as safetensors",
        )
    if programs := sorted(file.name for file in folder.glob("*.py")):
        yield Finding("note", "code", f"{', '.join(programs)}: never run here; delete unused ones")


def _check_cache() -> Iterator[Finding]:
    """Check the cache of packed models, which says nothing about the folder."""
    try:
        size = cache_size()
    except RegardError as error:
        yield Finding("note", "cache", str(error))
        return
    if size.models:
        yield Finding("ok", "cache", f"{size}; a deleted one is made again when it is needed")


def _check_fit(checkpoint: Checkpoint) -> Iterator[Finding]:
    try:
        model = empty_model(checkpoint)
    except RegardError as error:
        yield Finding("wrong", "config", str(error))
        return
    fitted = fit(checkpoint.family, model, checkpoint.weights.shapes)
    problems = fitted.problems()
    listed = [f"{each}: config.json and the weights do not match" for each in problems[:LISTED]]
    if len(problems) > LISTED:
        listed.append(f"and {len(problems) - LISTED} more names do not fit")
    yield from named("names", listed, "every name and shape matches config.json")
    if fitted.tied:
        broken = fitted.untrue(checkpoint.weights)
        ties = (f"{each}: set tie_word_embeddings to false, or copy one" for each in broken)
        yield from named("ties", ties, "tied weights are equal")


def _check_values(weights: Weights) -> Iterator[str]:
    for name, tensor in weights.items():
        if tensor.is_floating_point() and tensor.numel():
            low, high = tensor.aminmax()
            if not (torch.isfinite(low) and torch.isfinite(high)):
                yield (
                    f"{name} contains NaN or infinity:"
                    " copy the file again, or go back to an earlier checkpoint"
                )
                return


def _check_run(checkpoint: Checkpoint, tokenizer: Tokenizer, *, run: bool) -> Iterator[Finding]:
    size = sum(math.prod(shape) for shape in checkpoint.weights.shapes.values())
    if size > SMALL and not run:
        yield Finding("note", "running", f"{size:,} parameters were not run: --run runs them too")
        return
    try:
        model = from_pretrained(checkpoint)
    except RegardError:
        return  # a finding of another check already
    pad = tokenizer.pad_id if "pad" in tokenizer.special else None
    try:
        messages = check_run(model, tokenizer.inputs(TEXT).ids[:TOKENS], pad)
        yield from named("running", messages, "neither padding nor the future changes it")
    except RegardError as error:  # ids outside the vocabulary
        yield Finding("wrong", "running", str(error))


def _describe(tokenizers: TokenizerPair) -> str:
    def facts(tokenizer: Tokenizer) -> str:
        return f"{type(tokenizer.backend.model).__name__} with {tokenizer.vocab_size:,} tokens"

    if tokenizers.joint:
        return facts(tokenizers.source)
    return f"source {facts(tokenizers.source)}, target {facts(tokenizers.target)}"


def _read_any(checkpoint: Checkpoint, name: str) -> Mapping[str, Any]:
    """A JSON object; empty if it cannot be read, which another check reports."""
    try:
        return checkpoint.files.get(name, {})
    except RegardError:
        return {}
