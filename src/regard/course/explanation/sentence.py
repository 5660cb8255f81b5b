"""A sentence explained: attention over the vectors of its words, or in a layer of a model."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.checkpoints import open_checkpoint
from regard.course.explanation import (
    attention_taps,
    explain_tap,
    explain_vectors,
    principal,
    random_projections,
    running,
)
from regard.course.explanation.inputs import EMPTY, check_length
from regard.course.explanation.record import Explanation
from regard.course.words import WordVectors
from regard.course.words.segmentation import word_spans
from regard.course.words.vectors import stem
from regard.engine.native.looking import opened
from regard.errors import (
    BadArgumentError,
    NotFoundError,
    UnavailableError,
    UnsupportedError,
    check_choice,
    some,
)
from regard.inspection.models import as_read
from regard.inspection.naming import Naming
from regard.tasks.translation.task import Translator
from regard.text import normalize

if TYPE_CHECKING:
    from regard.inspection.recording import Looked

WORDS = "words-en"
_PIECES = "A model, such as minilm, reads every word by its pieces."
PROJECTIONS = ("none", "random")


def explain_words(
    text: str,
    words: WordVectors,
    *,
    part: slice = slice(None),
    heads: int = 1,
    head_dim: int | None = None,
    projections: str = "none",
    source: str = WORDS,
    stand_ins: Mapping[str, str | None] | None = None,
    **options: Any,
) -> Explanation:
    """Attention over the static vectors of a sentence's words, without a trained parameter.

    >>> from regard.course.words import load_vectors
    >>> explanation = explain_words("money bank grows", load_vectors("words-en"))
    >>> numpy.array(explanation["weights"].values).round(2)
    array([[[0.96, 0.03, 0.01],
            [0.26, 0.68, 0.06],
            [0.1 , 0.07, 0.83]]])

    Args:
        part: which of the words, for a longer text.
        heads, head_dim: the vectors are brought to heads · head_dim dimensions, the directions in
            which the whole vocabulary is longest; all that the heads can share if not given.
        projections: "none", query, key and value are the vectors; "random", matrices drawn once.
        source: what to call the vectors.
        stand_ins: for a word that has no vector, the word whose vector it gets; None for zeros.
            Others get that of their stem, or are left out, with a note.
        options: score, mask, window, temperature, positions, as `explain_vectors` takes them.

    Raises:
        BadArgumentError: no word, more than 64, or settings that do not fit.
        NotFoundError: no word has a vector.
    """
    check_choice("projections", projections, PROJECTIONS)
    if not 1 <= heads <= words.dim:
        raise BadArgumentError(f"heads must be from 1 to {words.dim}; got {heads}.")
    text = normalize(text).replace("’", "'")  # as the vocabulary writes it
    tokens = _part([text[start:end] for start, end in word_spans(text)], part)
    tokens, looked_up, notes = _looked_up(tokens, words, stand_ins or {}, source)
    nothing = np.zeros(words.dim, np.float32)
    vectors = np.stack([nothing if token is None else words[token] for token in looked_up])
    head_dim = words.dim // heads if head_dim is None else head_dim
    width = heads * head_dim
    if not 1 <= width <= words.dim:
        raise BadArgumentError(
            f"heads · head_dim must be from 1 to {words.dim}, the dimensions of {source}; got"
            f" {heads} · {head_dim}."
        )
    if width < words.dim:
        vectors = vectors.astype(np.float64) @ principal(words.vectors, width)
        notes.append(
            f"The vectors of {source} have {words.dim} dimensions; here are the {width} directions"
            " that keep most of them."
        )
    matrices: dict[str, Any] = {}
    if projections == "random":
        matrices = dict(random_projections(width, heads, head_dim))
        notes.append("The matrices are random: nothing is trained here.")
    return explain_vectors(
        tokens, vectors, heads=heads, head_dim=head_dim, source=source, notes=notes, **matrices,
        **options,
    )  # fmt: skip


def explain(
    model: str | os.PathLike[str],
    text: str,
    *,
    layer: int | None = None,
    attention: str | None = None,
    target: str | None = None,
    part: slice = slice(None),
) -> Explanation:
    """Step of one attention layer of a model for a text, with its own vectors and matrices.

    >>> explanation = explain("en-de", "The old man bought a red car.", layer=1)
    >>> explanation["weights"].shape  # heads, queries, keys
    [4, 9, 9]

    Args:
        model: a shipped name, or a folder with an encoder, a decoder or both.
        layer: which, from 0; the lowest if not given.
        attention: "encoder" (self-attention), "decoder" (self-attention) or "cross"; cross when a
            target is given, else the first of these that the model has.
        target: a translation to explain, instead of the model's own.
        part: which of the text's words, for a longer one.

    Raises:
        BadArgumentError: no text, more than 64 tokens, an unknown layer or attention.
        UnsupportedError: a model that does not read text, or a target for a model without cross-
            attention.
    """
    checkpoint = open_checkpoint(model)
    name = Path(model).name if Path(model).is_dir() else str(model)
    text = " ".join(_part(normalize(text).split(), part))
    if checkpoint.architecture == "EncoderDecoder" and checkpoint.config.head == "language_model":
        translator = Translator.load(checkpoint, name=name, lazily=True)
        with suppress(UnsupportedError, UnavailableError):
            translator = translator.run_by("native", precision="fp32")
        trace = translator.trace(text, target=target)
        loaded: Any = trace.model
        tap = _tap(loaded, name, attention or ("cross" if target is not None else None), layer)
        assert trace.rerun is not None, "a translator's trace can run its model again"
        source, target_tokens = trace.axes["source"].tokens, trace.axes["target"].tokens
        rows = source if tap.startswith("encoder") else target_tokens
        columns = source if tap.endswith(".cross") else None
        return explain_tap(loaded, trace.rerun, tap, rows, key_tokens=columns, source=name)
    if checkpoint.architecture not in ("Encoder", "Decoder"):
        raise UnsupportedError(
            f"{name} is a {checkpoint.settings['model_type']} model; only Transformers that read"
            " text can be explained. `regard look` shows what it attends to."
        )
    if target is not None:
        raise UnsupportedError(
            f"{name} has no cross-attention, so it takes no target; leave it out."
        )
    loaded = opened(checkpoint)
    tap = _tap(loaded, name, attention, layer)
    tokenizer = checkpoint.tokenizers.source
    read = tokenizer.inputs(text)
    inputs = {"ids": as_read(loaded, np.array([read.ids]))}
    if getattr(loaded.config, "token_types", None) is not None:
        inputs["token_type_ids"] = as_read(loaded, np.array([read.type_ids]))
    names = Naming.of(tokenizer).names(read.ids)
    return explain_tap(loaded, running(loaded, **inputs), tap, names, source=name)


def _tap(model: "Looked", name: str, attention: str | None, layer: int | None) -> str:
    """Return the tap that is meant, among those that the model has."""
    taps: dict[str, list[str]] = {}
    for tap in attention_taps(model):
        side, kind = tap.split(".")[0], tap.split(".")[-1]
        taps.setdefault("cross" if kind == "cross" else side, []).append(tap)
    attention = next(iter(taps)) if attention is None else attention
    if attention not in taps:
        raise BadArgumentError(
            f"{name} has the attention {', '.join(taps)}; got {attention!r}. Choose one of these."
        )
    choices, layer = taps[attention], layer or 0
    if not 0 <= layer < len(choices):
        raise BadArgumentError(
            f"{name} has {attention} layers 0 to {len(choices) - 1}; got {layer}."
        )
    return choices[layer]


def _part(tokens: list[str], part: slice) -> list[str]:
    count = len(tokens)
    if not count:
        raise BadArgumentError(EMPTY)
    chosen = tokens[part]
    if not chosen:
        raise BadArgumentError(
            f"the window {part.start or 0}:{'' if part.stop is None else part.stop} is empty: the"
            f" text has words 0 to {count - 1}."
        )
    check_length(len(chosen), "words")
    return chosen


def _looked_up(
    tokens: list[str], words: WordVectors, stand_ins: Mapping[str, str | None], source: str
) -> tuple[list[str], list[str | None], list[str]]:
    """Return the tokens that are explained, the word whose vector each has, and what there is to
    say of those that have none."""
    unknown = [token for token in dict.fromkeys(tokens) if token not in words]
    stems = {token: stem(token, words) for token in unknown if token not in stand_ins}
    left_out = [token for token, other in stems.items() if other is None]
    explained = [token for token in tokens if token not in left_out]
    if not explained:
        raise NotFoundError(
            f"no word of this text has a vector in {source}; got {some(left_out)}. {_PIECES}"
        )
    notes = [
        f"{token} has no vector in {source}; here it has that of {other}."
        for token, other in stems.items()
        if other is not None
    ]
    if left_out:
        has, is_ = ("has", "is") if len(left_out) == 1 else ("have", "are")
        notes.append(
            f"{', '.join(left_out)} {has} no vector in {source} and {is_} left out. {_PIECES}"
        )
    replaced = {**stems, **stand_ins}
    return explained, [replaced.get(token, token) for token in explained], notes
