"""The checks of `regard doctor`: each gives findings of one line, with the remedy."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard import checkpoints
from regard.checkpoints import Checkpoint
from regard.checkpoints.families import TYPES
from regard.checkpoints.fit import fit, quantization
from regard.checkpoints.weights import Weights, is_ctranslate2
from regard.engine.doctor.nearest import nearest_family
from regard.engine.doctor.settings import Finding, check_settings, named
from regard.engine.native.looking import opened
from regard.errors import DamagedFileError, RegardError
from regard.inspection.recording import is_module
from regard.lazy import torch
from regard.models.configs.facts import KINDS
from regard.text import Tokenizer, TokenizerPair

if TYPE_CHECKING:
    from regard.inspection.recording import EngineModel, Ours

Ids = NDArray[np.int64]
Floats = NDArray[np.float32]

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
        elif near := nearest_family(checkpoint.settings, weights.shapes):
            yield Finding("note", "family", near)
        yield from named("values", _check_values(weights), "every weight is a finite number")
    except RegardError as error:
        yield Finding("wrong", "weights", str(error))
    settings = _read_any(checkpoint, "config.json")
    entry = TYPES.get(str(settings.get("model_type")))
    reads = KINDS[entry.model].reads if entry else "text"
    if reads == "image":
        return
    try:
        tokenizers = checkpoint.tokenizers
    except RegardError as error:
        yield Finding("wrong", "tokenizer", str(error))
        return
    yield Finding("ok", "tokenizer", _describe(tokenizers))
    generation = _read_any(checkpoint, "generation_config.json")
    yield from check_settings(settings, tokenizers, generation, reads_sounds=reads == "sound")
    if weights is not None and reads == "text":
        yield from _check_run(checkpoint, tokenizers.source, run=run)


def _check_files(folder: Path, weights: Weights) -> Iterator[Finding]:
    size = sum(file.stat().st_size for file in weights.files)
    count = "1 file" if len(weights.files) == 1 else f"{len(weights.files)} files"
    dtypes = ", ".join(sorted(set(weights.dtypes.values())))
    facts = f"{count}, {size / 1e6:,.1f} MB, {len(weights)} tensors of {dtypes}"
    yield Finding("ok", "weights", facts)
    if weights.packed_bytes is not None:
        floats = 4 * sum(map(math.prod, weights.shapes.values()))
        yield Finding(
            "ok",
            "memory",
            f"about {weights.packed_bytes / 1e6:,.1f} MB in the native engine, in fp32;"
            f" {floats / 1e6:,.1f} MB in torch, where every number is dequantized",
        )
    if any(file.suffix == ".bin" for file in weights.files) and not is_ctranslate2(folder):
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
        ours = _shapes(checkpoint)
    except RegardError as error:
        yield Finding("wrong", "config", str(error))
        return
    fitted = fit(checkpoint.family, checkpoint.config, ours, checkpoint.weights.shapes)
    problems = fitted.problems()
    if problems and (quantized := quantization(checkpoint.settings)):
        yield Finding("wrong", "weights", quantized)
        return
    listed = [f"{name}: config.json and the weights do not match" for name in problems[:LISTED]]
    if len(problems) > LISTED:
        listed.append(f"and {len(problems) - LISTED} more names do not fit")
    yield from named("names", listed, "every name and shape matches config.json")
    if fitted.tied:
        broken = fitted.untrue(partial(checkpoint.weights.read, xp=np))
        ties = (f"{tie}: set tie_word_embeddings to false, or copy one" for tie in broken)
        yield from named("ties", ties, "tied weights are equal")


def _shapes(checkpoint: Checkpoint) -> Mapping[str, tuple[int, ...]]:
    """Return the shapes of the weights that config.json describes."""
    if hasattr(checkpoint.config, "shapes"):
        return checkpoint.config.shapes()
    model = checkpoints.empty_model(checkpoint)
    return {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}


def _check_values(weights: Weights) -> Iterator[str]:
    for name in weights:
        try:
            weights.read(name, np)
        except DamagedFileError as error:
            yield str(error).removesuffix(".")
            return


def _check_run(checkpoint: Checkpoint, tokenizer: Tokenizer, *, run: bool) -> Iterator[Finding]:
    size = sum(math.prod(shape) for shape in checkpoint.weights.shapes.values())
    if size > SMALL and not run:
        yield Finding("note", "running", f"{size:,} parameters were not run: --run runs them too")
        return
    try:
        model = opened(checkpoint)
    except RegardError:
        return  # a finding of another check already
    pad = tokenizer.pad_id if "pad" in tokenizer.special else None
    try:
        model = getattr(model, "text", model)  # of a model of images too
        messages = check_run(model, tokenizer.inputs(TEXT).ids[:TOKENS], pad)
        yield from named("running", messages, "neither padding nor the future changes it")
    except RegardError as error:  # ids outside the vocabulary
        yield Finding("wrong", "running", str(error))


PADS = 3
ROUNDING = 1e-3  # of the largest value: what other shapes may change; a mask changes far more


def _describe(tokenizers: TokenizerPair) -> str:
    def facts(tokenizer: Tokenizer) -> str:
        return f"{type(tokenizer.backend.model).__name__} with {tokenizer.vocab_size:,} tokens"

    if tokenizers.joint:
        return facts(tokenizers.source)
    return f"source {facts(tokenizers.source)}, target {facts(tokenizers.target)}"


def _read_any(checkpoint: Checkpoint, name: str) -> Mapping[str, Any]:
    """Return a JSON object; empty if it cannot be read, which another check reports."""
    try:
        return checkpoint.files.get(name, {})
    except RegardError:
        return {}


def check_run(model: "Ours", text: Sequence[int], pad: int | None) -> Iterator[str]:
    """Run a short text alone, padded, and with another end; yield what is wrong.

    Args:
        model: one that reads text: a module in evaluation mode, or the native engine's.
        pad: what the tokenizer pads with; None where it has no such token.
    """
    run = ByModule(model) if is_module(model) else ByEngine(model)
    ids = np.array([text])
    alone = run.states(ids, ids)
    if not np.isfinite(alone).all():
        yield (
            "the model returns NaN or infinity for a short text:"
            " go back to an earlier checkpoint, or load it in float32"
        )
        return
    yield from _padding(run, model, ids, pad)
    yield from _future(run, model, ids, alone)


def _padding(run: "Run", model: "Ours", ids: Ids, pad: int | None) -> Iterator[str]:
    masked = model.writing == "generation" and (is_module(model) or model.writes)
    if pad is None and not masked:
        return  # a recurrent model takes no padding; a decoder gets an attention mask
    alone = run.padded(ids, np.ones(ids.shape, bool))

    def differs(left: int) -> bool:
        around = ((0, 0), (left, PADS - left))
        mask = np.pad(np.ones(ids.shape, bool), around)
        return _differ(run.padded(np.pad(ids, around, constant_values=pad or 0), mask), alone)

    # On the left too where it may stand there; behind a causal mask, nothing sees it on the right.
    if any(differs(left) for left in ((0, PADS) if masked else (0,))):
        yield (
            f"a text that is padded with {pad or 0} gives a different result, so the mask treats"
            " padding as text or text as padding: set pad_token_id in config.json to the token"
            " that the tokenizer pads with"
        )


def _future(run: "Run", model: "Ours", ids: Ids, alone: Floats) -> Iterator[str]:
    """Another token may change what is given at its own place and behind it."""
    if not model.writing or alone.shape[1] != ids.shape[1]:
        return  # every token sees the whole text, or it is read as one
    other, place = ids.copy(), ids.shape[1] // 2
    other[0, place] = (ids[0, place] + 1) % model.config.vocab_size
    if _differ(run.states(ids, other)[:, :place], alone[:, :place]):
        yield (
            "a token changes the output before it, so the decoder sees the future: its causal"
            " mask is inverted or missing; report it, with this folder's config.json"
        )


def _differ(ours: Floats, alone: Floats) -> bool:
    return not bool(abs(ours - alone).max() <= ROUNDING * abs(alone).max())


class ByEngine:
    """Runs of one text by the native engine."""

    def __init__(self, model: "EngineModel"):
        self._model, self._packed = model, model.packed

    def states(self, ids: Ids, target: Ids) -> Floats:
        """Return the outputs at each token, (1, tokens, anything), or for the whole text.

        Args:
            target: what an encoder–decoder writes, and what a decoder reads in the place of ids.
        """
        model = self._model
        if not model.writes:
            return self._read(target if model.writing == "generation" else ids)
        if model.writing == "generation":
            return np.asarray(model(ids=target))
        return np.asarray(model(source=ids, target=target % model.config.decoder_vocab_size))

    def padded(self, ids: Ids, mask: NDArray[np.bool_]) -> Floats:
        """Return the same of a text with padding, (1, length), without that of the padding; of a
        model that writes, at its end alone."""
        model = self._model
        if not model.writes:
            output = self._read(ids)
            return output[mask][None] if output.shape[:2] == mask.shape else output
        if model.writing == "generation":
            return np.asarray(self._packed.start(mask).step(ids))
        return np.asarray(self._packed.start(ids).step(np.array([[model.config.start_id]])))

    def _read(self, ids: Ids) -> Floats:
        output: Floats = self._packed(ids)
        return output if output.ndim == 3 else output[:, None]


class ByModule:
    """The same by a module of torch."""

    def __init__(self, model: Any):
        self._model = model

    def states(self, ids: Ids, target: Ids) -> Floats:
        """See `ByEngine.states`."""
        return self._run(ids, np.ones(ids.shape, bool), target)

    def padded(self, ids: Ids, mask: NDArray[np.bool_]) -> Floats:
        """See `ByEngine.padded`."""
        return self._run(ids, mask, None)

    def _run(self, ids: Ids, mask: NDArray[np.bool_], target: Ids | None) -> Floats:
        model = self._model
        source, attention_mask = torch.from_numpy(ids), torch.from_numpy(mask)
        written = torch.from_numpy(ids[mask][None] if target is None else target)
        with torch.no_grad():
            if not model.writing:
                output = model.hidden(source)[attention_mask][None]
            elif model.writing == "generation":
                read = source if target is None else written
                states = model.hidden(read, attention_mask)
                states = states if model.head else model.logits(states)
                output = states[attention_mask][None]
            else:
                written = written % model.config.decoder_vocab_size
                output = (model if model.writes else model.hidden)(source, written)
        return output.numpy()


Run = ByEngine | ByModule
