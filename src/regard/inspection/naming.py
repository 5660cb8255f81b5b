"""Readable names for token ids, and the axes that they make up."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import Array
from regard.inspection.answers import AxisInfo
from regard.inspection.grouping import sentence_spans, word_spans
from regard.letters import bare
from regard.models.configs.facts import Facts, ImageFacts, SpeechFacts
from regard.models.configs.heads import HEADS
from regard.text import Tokenizer, TokenizerPair


def readable(token: str) -> str:
    """Strip the mark of a word's beginning."""
    return token.lstrip("▁Ġ") or token


def spelled(tokens: Sequence[str]) -> str:
    """Return the word of these tokens, without the marks that tokenizers leave and outer
    punctuation."""
    return bare(re.sub("▁|Ġ|##|</w>", "", joined(tokens)))


def joined(names: Iterable[str]) -> str:
    """Return the text of names of tokens: bytes that a letter before them has are left out, and
    those of none are "�".

    >>> joined(["▁", "Ł", "<0x81>", "ó", "d", "<0xC5>"])
    '▁Łód�'
    """
    text, letter, others = "", b"", b""  # what the last letter still has, and bytes of none
    for name in (*names, ""):
        if _BYTES.fullmatch(name):
            others += bytes.fromhex(_AROUND_BYTE.sub("", name))
            if letter.startswith(others):
                letter, others = letter[len(others) :], b""
            continue
        unspelled = ("�" if is_control(x) else x for x in others.decode("utf-8", "replace"))
        text += "".join(unspelled) + name
        letter, others = name[-1:].encode("utf-8", "replace")[1:], b""
    return text


_BYTES, _AROUND_BYTE = re.compile("(?:<0x[0-9A-F]{2}>)+"), re.compile("<0x|>")
Tokenizers = Tokenizer | TokenizerPair | None
STRETCHES = 128  # of a sound
SINK = " and sink"  # of an axis of keys before which there is a learned sink


@dataclass(frozen=True)
class Naming:
    """Names ids by a tokenizer's own pieces, a space before a word as ▁; without one, by number."""

    piece: Callable[[int], str | None] | None = None  # of an id; None for one it does not know
    decoder: Any = None  # of the tokenizers library, where pieces spell bytes
    special: frozenset[str] = frozenset()  # pieces that belong to no word
    text_of: Callable[[Sequence[int]], str] = str  # what several ids spell

    @classmethod
    def of(cls, tokenizer: Tokenizer | None) -> "Naming":
        """Return the naming of one of this package's tokenizers."""
        if tokenizer is None:
            return cls()
        special = (*tokenizer.special_names(), *tokenizer.special.values())
        return cls(
            tokenizer.backend.id_to_token,
            byte_level(tokenizer.backend.decoder),
            frozenset(special),
            partial(written_text, tokenizer),
        )

    def names(self, ids: Sequence[int]) -> list[str]:
        """Name ids that follow each other: a letter of several is the name of its first."""
        if self.piece is None:
            return list(map(str, ids))
        names = list[str]()
        for spells, run in groupby(((id_, self._bytes(id_)) for id_ in ids), key=_spells_bytes):
            if spells:
                names += map(_shown, _shares([part for _, part in run if part is not None]))
            else:
                names += [self._whole(id_) for id_, _ in run]
        return names

    def name(self, id_: int) -> str:
        """Name one id by itself."""
        return self.names([id_])[0]

    def _bytes(self, id_: int) -> bytes | None:
        """Return the bytes of a piece that is one, or that is a part of a letter; None of any
        other."""
        piece = self.piece(id_) if self.piece is not None else None
        if piece is None:
            return None
        if self.decoder is None:
            return bytes.fromhex(piece[3:-1]) if _BYTES.fullmatch(piece) else None
        codes = [_byte_of().get(letter) for letter in piece]
        spelled = bytes(code for code in codes if code is not None)
        try:
            spelled.decode()
        except UnicodeDecodeError:
            return spelled if len(spelled) == len(piece) else None
        return None

    def _whole(self, id_: int) -> str:
        assert self.piece is not None
        piece = self.piece(id_)
        if piece is None:  # embeddings are rounded up to a multiple of 64
            return str(id_)
        text = _shown(piece if self.decoder is None else self.decoder.decode([piece]))
        return piece if not text or is_control(text) else text

    def axis(
        self, ids: Sequence[int], *, predicts: list[str] | None = None, prompt: int | None = None
    ) -> AxisInfo:
        """Return the axis of a sequence; words and sentences are known only with a tokenizer.

        Args:
            prompt: how many positions were given; all of them if not said.
        """
        names = self.names(ids)
        return AxisInfo(
            tokens=names,
            predicts=predicts,
            words=None if self.piece is None else word_spans(names, self.special),
            sentences=None if self.piece is None else sentence_spans(names),
            prompt=len(names) if prompt is None else prompt,
        )


def written_text(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """Decode ids, without those beyond the vocabulary that embeddings are rounded up to have."""
    return tokenizer.decode(id_ for id_ in ids if id_ < tokenizer.vocab_size)


def byte_level(decoder: object) -> object:
    """Return the decoder, if pieces spell bytes; None if they are text."""
    return decoder if type(decoder).__name__ == "ByteLevel" else None


def is_control(text: str) -> bool:
    """Return True for text that a terminal obeys instead of showing."""
    return not text.isprintable() and any(unicodedata.category(x) == "Cc" for x in text)


def _shown(text: str) -> str:
    return text.replace(" ", "▁").replace("\n", "↵")


def _spells_bytes(named: tuple[int, bytes | None]) -> bool:
    return named[1] is not None


def _shares(parts: Sequence[bytes]) -> list[str]:
    """Return what parts of some bytes spell: letters that begin there, and as `<0x81>` bytes that
    are of a letter before it, or of none."""
    owners = [number for number, part in enumerate(parts) for _ in part]
    shares, place = [""] * len(parts), 0
    for letter in b"".join(parts).decode("utf-8", "surrogateescape"):
        spelled = letter.encode("utf-8", "surrogateescape")
        first = owners[place]
        is_whole = len(letter.encode("utf-8", "ignore")) > 0 and not is_control(letter)
        shares[first] += letter if is_whole or letter == "\n" else ""
        for byte, owner in zip(spelled, owners[place:], strict=False):
            if owner != first or not (is_whole or letter == "\n"):
                shares[owner] += f"<0x{byte:02X}>"
        place += len(spelled)
    return shares


@cache
def _byte_of() -> dict[str, int]:
    """Return the byte that each letter of a byte-level vocabulary stands for (GPT-2's)."""
    printed = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printed]
    return {chr(byte): byte for byte in printed} | {
        chr(256 + number): byte for number, byte in enumerate(others)
    }


def numbered(length: int) -> AxisInfo:
    """Return an axis whose positions have no other name than their number."""
    return AxisInfo([str(position) for position in range(length)], None, None, None, length)


def of_sound(axis: AxisInfo, samples: NDArray[np.float32], size: int) -> AxisInfo:
    """Return the axis with how loud the sound, (samples,), is at each position of so many samples,
    and at most STRETCHES stretches of it."""
    loud = np.abs(samples[: size * len(axis.tokens)])
    peaks = np.maximum.reduceat(loud, range(0, len(loud), size))
    end, total = len(peaks), len(axis.tokens)
    step = -(-end // STRETCHES)
    words = [(first, min(first + step, end)) for first in range(0, end, step)]
    words += [(end, total)] if end < total else []
    return replace(axis, words=words, peaks=[round(float(peak), 4) for peak in peaks])


def patches(height: int, width: int, extra: int) -> list[str]:
    """ "row,column" of each patch of an image, after `extra` tokens that stand for all of it."""
    whole = ["CLS", *(f"register {index}" for index in range(1, extra))][:extra]
    return whole + [f"{row},{column}" for row in range(height) for column in range(width)]


def behind_sink(axis: AxisInfo) -> AxisInfo:
    """Return the axis with a sink before its first position."""
    words, sentences = (
        None if spans is None else [(0, 1), *((begin + 1, end + 1) for begin, end in spans)]
        for spans in (axis.words, axis.sentences)
    )
    return AxisInfo(["sink", *axis.tokens], None, words, sentences, axis.prompt + 1)


def named_axes(
    model: Facts,
    inputs: Mapping[str, Any],
    axes: dict[str, AxisInfo],
    logits: Array | None,
    tokenizer: Tokenizers,
    prompt: int | None,
) -> dict[str, AxisInfo]:
    """Return the sequences between which the model attends, with the names of their positions.

    Args:
        axes: numbered, of those without tokens.
        prompt: positions of the last axis before what was written; None: nothing was.
    """
    if isinstance(model, ImageFacts):
        height, width = model.grid
        names = {
            "patches": patches(height, width, int(model.config.class_token)),
            "image": ["image"],  # of the query of a pooling attention
        }
        return {axis: replace(info, tokens=names[axis]) for axis, info in axes.items()}
    sinks = [axis for axis in axes if axis.endswith(SINK)]
    ids = {axis: rows[0].tolist() for axis, rows in model.ids(inputs).items()}
    if isinstance(model, SpeechFacts):
        states = axes[model.axes[0]].tokens
        axes[model.axes[0]] = replace(
            axes[model.axes[0]], tokens=[f"{int(k) * model.seconds:.2f}s" for k in states]
        )
    axes |= {axis: naming(tokenizer, axis).axis(row) for axis, row in ids.items()}
    predicted = None if logits is None else model.predicted(inputs, logits)
    if predicted is not None:
        axis = model.axes[-1]
        start = len(ids[axis]) if axis == model.axes[0] else 1
        axes[axis] = replace(
            axes[axis],
            predicts=naming(tokenizer, axis).names(predicted[0].tolist()),
            prompt=start if prompt is None else prompt,
        )
    return axes | {axis: behind_sink(axes[axis.removesuffix(SINK)]) for axis in sinks}


def naming(tokenizer: Tokenizers, axis: str = "source") -> Naming:
    return Naming.of(
        getattr(tokenizer, axis) if isinstance(tokenizer, TokenizerPair) else tokenizer
    )


def entry_names(
    model: object, axes: Mapping[str, AxisInfo], tokenizer: Tokenizers
) -> Callable[[int], str]:
    if isinstance(model, Facts):
        names = {
            "label": model.config.labels,
            "position": axes[model.axes[0]].tokens,
        }
        entries = HEADS[model.head_name].entries
        if entries in names:
            return names[entries].__getitem__
    return naming(tokenizer, "target").name
