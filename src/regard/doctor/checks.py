"""The checks of `regard doctor`: each gives findings of one line, with the remedy."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from regard.checkpoints import Checkpoint, empty_model, from_pretrained
from regard.checkpoints.fit import fit
from regard.checkpoints.weights import Weights
from regard.doctor.settings import Finding, check_settings, named
from regard.errors import RegardError
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
    reads_sounds = settings.get("model_type") == "whisper"
    yield from check_settings(settings, tokenizers, generation, reads_sounds=reads_sounds)
    if weights is not None and not reads_sounds:
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


def _check_fit(checkpoint: Checkpoint) -> Iterator[Finding]:
    try:
        model = empty_model(checkpoint)
    except RegardError as error:
        yield Finding("wrong", "config", str(error))
        return
    ours = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    fitted = fit(checkpoint.family, checkpoint.config, ours, checkpoint.weights.shapes)
    problems = fitted.problems()
    listed = [f"{name}: config.json and the weights do not match" for name in problems[:LISTED]]
    if len(problems) > LISTED:
        listed.append(f"and {len(problems) - LISTED} more names do not fit")
    yield from named("names", listed, "every name and shape matches config.json")
    if fitted.tied:
        broken = fitted.untrue(checkpoint.weights.__getitem__)
        ties = (f"{tie}: set tie_word_embeddings to false, or copy one" for tie in broken)
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


PADS = 3
ROUNDING = 1e-3  # of the largest value: what other shapes may change; a mask changes far more


@torch.no_grad()
def check_run(model: Any, text: Sequence[int], pad: int | None) -> Iterator[str]:
    """Run a short text alone, padded, and with another end; yield what is wrong.

    Args:
        model: one that reads text, in evaluation mode.
        pad: what the tokenizer pads with; None where it has no such token.
    """
    ids = torch.tensor([text])
    alone = _result(model, ids, torch.ones_like(ids, dtype=torch.bool))
    if not bool(alone.isfinite().all()):
        yield (
            "the model returns NaN or infinity for a short text:"
            " go back to an earlier checkpoint, or load it in float32"
        )
        return
    yield from _padding(model, ids, alone, pad)
    yield from _future(model, ids, alone)


def _padding(model: Any, ids: Tensor, alone: Tensor, pad: int | None) -> Iterator[str]:
    masked = model.writing == "generation"
    if pad is None and not masked:
        return  # a recurrent model takes no padding; a decoder gets an attention mask
    # On the left too where it may stand there; behind a causal mask, nothing sees it on the right.
    sides = (0, PADS) if masked else (0,)
    if any(_differ(_padded(model, ids, pad or 0, left), alone) for left in sides):
        yield (
            f"a text that is padded with {pad or 0} gives a different result, so the mask treats"
            " padding as text or text as padding: set pad_token_id in config.json to the token"
            " that the tokenizer pads with"
        )


def _padded(model: Any, ids: Tensor, pad: int, left: int) -> Tensor:
    padded = functional.pad(ids, (left, PADS - left), value=pad)
    place = torch.arange(padded.shape[1])[None]
    return _result(model, padded, (place >= left) & (place < left + ids.shape[1]))


def _future(model: Any, ids: Tensor, alone: Tensor) -> Iterator[str]:
    """Another token may change what is given at its own place and behind it."""
    if not model.writing:
        return  # every token sees the whole text
    other, place = ids.clone(), ids.shape[1] // 2
    other[0, place] = (ids[0, place] + 1) % model.config.vocab_size
    changed = _result(model, ids, torch.ones_like(ids, dtype=torch.bool), target=other)
    if _differ(changed[:, :place], alone[:, :place]):
        yield (
            "a token changes the output before it, so the decoder sees the future: its causal"
            " mask is inverted or missing; report it, with this folder's config.json"
        )


def _result(
    model: Any, ids: Tensor, attention_mask: Tensor, target: Tensor | None = None
) -> Tensor:
    """Output of a model for the tokens of one text, (1, tokens, anything).

    Args:
        target: what an encoder–decoder writes, and what a decoder reads in the place of ids.
    """
    tokens = ids[attention_mask][None]
    if not model.writing:
        return model.hidden(ids)[attention_mask][None]
    if model.writing == "generation":
        states = model.hidden(ids if target is None else target, attention_mask)
        return (states if model.head else model.logits(states))[attention_mask][None]
    written = (tokens if target is None else target) % model.config.decoder_vocab_size
    return model(ids, written) if model.writes else model.hidden(ids, written)


def _differ(ours: Tensor, alone: Tensor) -> bool:
    return not bool((ours - alone).abs().max() <= ROUNDING * alone.abs().max())
