"""Lines of files: bytes to text, text to JSON objects and back, refused in one sentence each."""

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from regard.errors import DamagedFileError, shortened
from regard.json_files import unrepeated

# Characters that JSON allows as they are, and some programs take for the end of a line.
_OTHER_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_OTHER_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # but line feeds and tabs


def json_object(text: str, *, strict: bool = True) -> dict[str, Any]:
    """Return a line as the JSON object that it is.

    Args:
        strict: whether NaN and numbers that no float holds are refused, because what is passed
            through must be JSON again.

    Raises:
        DamagedFileError: it is not an object, has a key twice, or text that is not valid Unicode.
    """
    checks: dict[str, Any] = {"object_pairs_hook": unrepeated}
    if strict:
        checks |= {"parse_constant": _no_constant, "parse_float": _finite}
    try:
        fields = json.loads(text, **checks)
    except ValueError as error:
        raise DamagedFileError(f"expected a JSON object; {error}") from None
    except RecursionError:
        raise DamagedFileError("expected a JSON object, but it is nested too deeply") from None
    if not isinstance(fields, dict):
        raise DamagedFileError(f"expected a JSON object; got {type(fields).__name__}")
    if "\\ud" in text or "\\uD" in text:  # only an escape can be half of a character
        try:
            json.dumps(fields, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            half = f"U+{ord(error.object[error.start]):04X}"
            raise DamagedFileError(
                f"the line is not valid Unicode: it has the lone surrogate {half}."
                " Give it as UTF-8."
            ) from None
    return fields


def beside(names: Iterable[str], answer: Collection[str]) -> list[str]:
    """Return the names of fields that are passed on beside an answer, which overwrites none.

    >>> beside(["text", "labels"], {"labels": []})
    ['text', 'input_labels']
    """
    names, renamed = [*names], list[str]()
    for name in names:
        other = name
        while other in answer or (other != name and other in names):
            other = f"input_{other}"
        renamed.append(other)
    return renamed


def json_line(fields: Mapping[str, Any]) -> str:
    """Return an object as JSON that every program takes for one line."""
    return json.dumps(fields, ensure_ascii=False).translate(_OTHER_LINE_ENDS)


def one_line(text: str) -> str:
    """Return a text that a file or a model made as it may be printed: on one line, in one column.

    Line breaks and tabs become spaces, because the reader of line n counts on line n; any other
    control character is written as its escape, because a terminal would obey it.
    """
    return _CONTROL.sub(_shown, " ".join(text.splitlines()))


def several_lines(text: str) -> str:
    """Return the same of a text that may have lines: line breaks and tabs stay."""
    return _OTHER_CONTROL.sub(_shown, text.replace("\r\n", "\n"))


def _shown(control: re.Match[str]) -> str:
    return " " if control[0].isspace() else f"\\x{ord(control[0]):02x}"


def _finite(text: str) -> float:
    """Return the number; one that no float holds would come out as Infinity, which is not JSON."""
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{shortened(text)} is too large for a number")
    return number


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


def is_number(text: str) -> bool:
    """Return whether a text is a whole number from 0, of a size that Python reads."""
    return text.isdecimal() and len(text) < 19
