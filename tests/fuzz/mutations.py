"""Strategies for damaged files: bytes changed anywhere, and JSON values of the wrong kind."""

import json
import struct
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

ODD_BYTES = [
    b"", b"\x00", b"\xff", b"\xff" * 8, b"\x7f" + b"\xff" * 7, b"\x80", b"\n", b"\t", b'"', b"\\",
    b"[" * 5000, b"9" * 5000, b"a" * 5000, b"-1", b"NaN", b"1e999", b"\xed\xa0\x80",
    b"\xef\xbb\xbf", b"\\ud800", b"\x1b]0;x\x07",
]  # fmt: skip
ODD_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 3, 2**31, 2**63, -(2**63) - 1, 10**30, 0.5, -0.0, 1e308,
    float("nan"), float("inf"), "", " ", "x", "\ud800", "a" * 3000, "-1", "\x1b]0;x\x07\n",
    [], [[]], {}, {"": None}, [None], [0] * 300, {"a": {"a": {}}},
]  # fmt: skip
VALUES = st.sampled_from(ODD_VALUES) | st.integers() | st.floats() | st.text(max_size=9)
EDITS = ("replace", "insert", "delete", "cut", "repeat")


def damaged(content: bytes) -> st.SearchStrategy[bytes]:
    """The content with a few of its bytes changed, or cut short."""
    place = st.integers(0, len(content))
    new = st.sampled_from(ODD_BYTES) | st.binary(max_size=12)
    edit = st.tuples(st.sampled_from(EDITS), place, st.integers(0, 40), new)
    return st.lists(edit, min_size=1, max_size=4).map(lambda edits: _edited(content, edits))


def other_values(content: Any) -> st.SearchStrategy[bytes]:
    """A JSON value with one or two of the values in it replaced or removed, as bytes."""
    number = len(list(_places(content)))
    change = st.tuples(st.integers(0, max(number - 1, 0)), VALUES, st.booleans())
    return st.lists(change, min_size=1, max_size=2).map(lambda found: _changed(content, found))


def other_headers(content: bytes) -> st.SearchStrategy[bytes]:
    """A safetensors file with other values in its header, whose length fits; of the metadata's own
    JSON too."""
    (length,) = struct.unpack("<Q", content[:8])
    header, rest = json.loads(content[8 : 8 + length]), content[8 + length :]

    def whole(header: bytes) -> bytes:
        return struct.pack("<Q", len(header)) + header + rest

    strategies = [other_values(header).map(whole)]
    for name, text in header.get("__metadata__", {}).items():
        if text[:1] == "{":
            inner = other_values(json.loads(text)).map(_with_metadata(header, name))
            strategies.append(inner.map(whole))
    return st.one_of(strategies)


def _with_metadata(header: dict[str, Any], name: str) -> Callable[[bytes], bytes]:
    def put(text: bytes) -> bytes:
        metadata = header["__metadata__"] | {name: text.decode()}
        return json.dumps(header | {"__metadata__": metadata}).encode()

    return put


def _edited(content: bytes, edits: list[tuple[str, int, int, bytes]]) -> bytes:
    for kind, start, length, new in edits:
        end = min(start + length, len(content))
        if kind == "replace":
            content = content[:start] + new + content[start + len(new) :]
        elif kind == "insert":
            content = content[:start] + new + content[start:]
        elif kind == "delete":
            content = content[:start] + content[end:]
        elif kind == "cut":
            content = content[:start]
        else:
            content = content[:end] + content[start:]
    return content


def _changed(content: Any, changes: list[tuple[int, Any, bool]]) -> bytes:
    for place, value, remove in changes:
        content = json.loads(json.dumps(content))
        places = list(_places(content))
        if not places:
            return json.dumps(value).encode()
        holder, key = places[place % len(places)]
        if remove and isinstance(holder, dict):
            del holder[key]
        else:
            holder[key] = value
    return json.dumps(content).encode()


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Each place in a JSON value: what holds it, and its key there."""
    if not isinstance(content, dict | list):
        return
    for key in list(content) if isinstance(content, dict) else range(len(content)):
        yield content, key
        yield from _places(content[key])
