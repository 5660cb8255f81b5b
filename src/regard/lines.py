"""Lines of files: bytes to text, text to JSON objects and back, refused in one sentence each."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from regard.errors import DamagedFileError, shortened

BYTE_ORDER_MARK = "\ufeff"
# Characters that JSON allows as they are, and some programs take for the end of a line.
_OTHER_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_OTHER_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # but line feeds and tabs


def decoded(raw: bytes, where: str) -> str:
    """The text that UTF-8 bytes stand for.

    Args:
        where: what to call the bytes in the message.

    Raises:
        DamagedFileError: they are not UTF-8.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamagedFileError(
            f"{where} is not UTF-8 (byte {error.start + 1} is 0x{raw[error.start]:02x})."
            " Convert it to UTF-8."
        ) from None


def json_object(text: str, where: str) -> dict[str, Any]:
    """A line that begins with "{" as the JSON object that it is.

    Raises:
        DamagedFileError: it is not one, or has text that is not valid Unicode.
    """
    try:
        fields: dict[str, Any] = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except ValueError as error:
        raise DamagedFileError(f"{where} is not valid JSON ({error}).") from None
    except RecursionError:
        raise DamagedFileError(f"{where} is not usable JSON: it is nested too deeply.") from None
    if "\\u" in text:
        from regard.text.normalize import check_unicode

        check_unicode(json.dumps(fields, ensure_ascii=False), where)
    return fields


def json_line(fields: Mapping[str, Any]) -> str:
    """An object as JSON that every program takes for one line."""
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
    """The number; one that no float holds would come out as Infinity, which is not JSON."""
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{shortened(text)} is too large for a number")
    return number


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")
