"""A text while it is written: in pieces that never change and have no half character."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Generic, TypeVar

from tokenizers.decoders import ByteLevel

from regard.text.tokenizer import Tokenizer

Found = TypeVar("Found")
Result = TypeVar("Result")

_UNFINISHED = "\ufffd"  # what a decoder writes for the first bytes of a character
_BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")


def text_after(tokenizer: Tokenizer, before: Sequence[int], ids: Sequence[int]) -> str:
    """Text that `ids` add to that of the ids `before` them: the space between the two, too."""
    return tokenizer.decode([*before, *ids])[len(tokenizer.decode(before)) :]


_PRINTED = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
# Characters of a byte-level vocabulary (Radford et al. 2019): a byte that prints stands for itself.
_BYTES = {chr(byte): byte for byte in _PRINTED} | {
    chr(0x100 + k): byte for k, byte in enumerate(sorted({*range(0x100)} - {*_PRINTED}))
}


def bytes_after(tokenizer: Tokenizer, before: Sequence[int], id_: int) -> bytes:
    """UTF-8 that a token adds to the text of the ids before it; a part of a character, too."""
    [piece] = tokenizer.tokens([id_])
    if _BYTE.fullmatch(piece):
        return bytes([int(piece[3:5], 16)])
    if isinstance(tokenizer.backend.decoder, ByteLevel) and _BYTES.keys() >= {*piece}:
        return bytes(_BYTES[character] for character in piece)
    return text_after(tokenizer, before, [id_]).encode()


class TextStream:
    """Gives text as ids come; all that it gives makes up `text_after(tokenizer, before, ids)`.

    Only the ids whose text has not been given, and those just before them, are decoded each time,
    so a long text costs no more for each token than a short one.

    Args:
        before: ids that the text goes on from.
    """

    def __init__(self, tokenizer: Tokenizer, before: Sequence[int] = ()) -> None:
        self.tokenizer = tokenizer
        self._known = list(before)  # their text has been given; spaces depend on it
        self._waiting: list[int] = []

    def add(self, id_: int) -> str:
        """Return the text that is certain with this id and was not before; often a word, at times
        ""."""
        self._waiting.append(id_)
        # In a run of byte pieces one wrong byte spoils the characters before it as well.
        if _BYTE.fullmatch(self.tokenizer.tokens([id_])[0]):
            return ""
        text = self._text()
        if text.endswith(_UNFINISHED):
            return ""
        if text:
            self._known, self._waiting = self._waiting, []
        return text

    def end(self) -> str:
        """Return the rest, when no more ids come: a character that stayed unfinished is U+FFFD."""
        text, self._waiting = self._text(), []
        return text

    def _text(self) -> str:
        return text_after(self.tokenizer, self._known, self._waiting)


class Writing(Iterator[str], Generic[Found, Result]):
    """The pieces of a text as its ids come, and then the result that they make up."""

    def __init__(
        self,
        tokens: Generator[int, None, Found],
        writes: Callable[[int], bool],
        text: TextStream,
        result: Callable[[Found], Result],
    ):
        self.result: Result | None = None  # once the last piece has come
        self._tokens, self._writes, self._text = tokens, writes, text
        self._make_result = result

    def __next__(self) -> str:
        while self.result is None:
            try:
                token = next(self._tokens)
                piece = self._text.add(token) if self._writes(token) else ""
            except StopIteration as end:
                self.result, piece = self._make_result(end.value), self._text.end()
            if piece:
                return piece
        raise StopIteration
