"""Sentence pairs of translators' programs: TMX and XLIFF."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple
from xml.parsers import expat

from regard.data.lines import Say
from regard.data.streams import CHUNK, open_bytes
from regard.errors import BadArgumentError, DamagedFileError

MEMORIES = frozenset((".tmx", ".xlf", ".xliff", ".sdlxliff", ".mxliff"))

_UNITS = frozenset(("tu", "trans-unit", "segment"))
_TEXTS = frozenset(("seg", "source", "target"))
# Elements whose content is the code of another format, a remark, or a suggestion.
_CODES = frozenset(
    ["bpt", "ept", "ph", "it", "ut", "x", "bx", "ex", "sc", "ec", "alt-trans", "note", "prop"]
)
_WIDE = re.compile(rb"<\?xml[^>]*encoding=.utf-?(?:16|32)", re.IGNORECASE)


class Unit(NamedTuple):
    """Texts that say the same, each behind its language in lower case."""

    line: int
    texts: list[tuple[str, str]]


def read_memory(
    path: Path, languages: Sequence[str] | None, note: Say, say: Say
) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the source and the target of each pair.

    The file is read twice, the first time for its languages.

    Args:
        languages: those of the source and the target; None: the two that the file has, its own
            source first.

    Raises:
        BadArgumentError: the file has other languages, or more than two and none are named.
        DamagedFileError: it is damaged, or declares entities of its own.
    """
    reader = _Units(path)
    every = list(dict.fromkeys(one for unit in reader.units() for one, _ in unit.texts))
    sides = _sides(path, every, reader.origin, languages)
    note(f"{path}: the source is {sides[0]!r}; the target is {sides[1]!r}")
    if reader.unfinished:
        say(f"{path}: it calls {reader.unfinished:,} of its translations unfinished; left out")
    for unit in _Units(path).units():
        first, second = (
            [text for language, text in unit.texts if _is(language, side, every)] for side in sides
        )
        for source in first[:1]:
            for target in second:
                yield unit.line, source, target


def _sides(
    path: Path, every: Sequence[str], origin: str, languages: Sequence[str] | None
) -> tuple[str, str]:
    """Return the languages of the source and the target."""
    listed = ", ".join(every) or "no language"
    advice = "Name two of them with source_language and target_language."
    if languages is not None:
        first, second = (language.lower().replace("_", "-") for language in languages)
        for side in (first, second):
            if not any(_is(language, side, every) for language in every):
                raise BadArgumentError(f"{path} has {listed}; got {side!r}. {advice}")
        return first, second
    if len(every) != 2:
        raise BadArgumentError(
            f"a source and its translation are of two languages; {path} has {listed}. {advice}"
        )
    first, second = every
    return (second, first) if _is(second, origin, every) else (first, second)


def _is(language: str, side: str, every: Collection[str]) -> bool:
    """Return whether a language is that of a side: the same, or, where the file does not have just
    that, the same without its country."""
    same = language == side
    return same if side in every else language.partition("-")[0] == side.partition("-")[0]


def _is_unfinished(about: Mapping[str, str]) -> bool:
    """Return whether XLIFF says that a translation is still to be made or to be mended."""
    state = about.get("state", "")
    return state in ("new", "initial") or state.startswith("needs-")


class _Units:
    """The units of an XML file, as it is read."""

    def __init__(self, path: Path):
        self.path, self.origin = path, ""  # the language that the file calls its source
        self.unfinished = 0  # translations that are left out for their state
        self._skips = False  # whether the one that is being read is such
        self._done: list[Unit] = []
        self._texts: list[tuple[str, str]] = []
        self._text: list[str] = []
        self._line = self._inside = self._codes = 0  # texts and codes around this place
        # Of the text that is being read: of a TMX's "seg", and of an XLIFF's two elements.
        self._language = {"seg": "", "source": "source", "target": "target"}

    def units(self) -> Iterator[Unit]:
        with open_bytes(self.path) as stream:
            start = stream.read(CHUNK)
            # What `open_bytes` has made UTF-8 may still say that it is UTF-16.
            parser = expat.ParserCreate("UTF-8" if _WIDE.search(start[:200]) else None)
            parser.buffer_text = True
            parser.StartElementHandler = self._start
            parser.EndElementHandler = self._end
            parser.CharacterDataHandler = self._characters
            parser.EntityDeclHandler = self._refuse_entity
            self._parser = parser
            yield from self._parsed(stream, start)

    def _parsed(self, stream: BinaryIO, piece: bytes) -> Iterator[Unit]:
        while True:
            try:
                self._parser.Parse(piece, not piece)
            except expat.ExpatError as error:
                raise DamagedFileError(
                    f"{self.path}, line {error.lineno:,}: expected XML, but"
                    f" {expat.errors.messages[error.code]}. Export it again."
                ) from None
            yield from self._done
            self._done.clear()
            if not piece:
                return
            piece = stream.read(CHUNK)

    def _start(self, name: str, about: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        self._codes += name in _CODES
        if self._codes:
            return
        if name == "header":
            self.origin = about.get("srclang", "").lower()
        elif name in ("file", "xliff"):
            self._name("source", about.get("source-language") or about.get("srcLang"))
            self._name("target", about.get("target-language") or about.get("trgLang"))
            self.origin = self._language["source"]
        elif name in _UNITS:
            self._texts, self._line = [], self._parser.CurrentLineNumber
            self._skips = _is_unfinished(about)
        elif name == "tuv":
            self._name("seg", about.get("xml:lang") or about.get("lang") or "")
        elif name in _TEXTS:
            self._inside, self._text = self._inside + 1, []
            self._skips |= name == "target" and _is_unfinished(about)

    def _name(self, element: str, language: str | None) -> None:
        if language is not None:
            self._language[element] = language.lower().replace("_", "-")

    def _end(self, name: str) -> None:
        name = name.rpartition(":")[2]
        if name in _TEXTS and not self._codes:
            self._inside -= 1
            text = " ".join("".join(self._text).split("\n")).strip()
            if text and name == "target" and self._skips:
                self.unfinished += 1
            elif text:
                self._texts.append((self._language[name], text))
        elif name in _UNITS and not self._codes:
            self._done.append(Unit(self._line, self._texts))
        self._codes -= name in _CODES

    def _characters(self, text: str) -> None:
        if self._inside and not self._codes:
            self._text.append(text)

    def _refuse_entity(self, name: str, *about: object) -> None:
        raise DamagedFileError(
            f"{self.path} declares the entity {name!r}, which no memory of translations needs, and"
            " which can fill the computer's: export it again."
        )
