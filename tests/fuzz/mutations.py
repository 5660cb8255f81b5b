"""Damage to what is valid: bytes changed anywhere, and JSON values of the wrong kind."""

import json
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from typing import Any

Mutation = Callable[[Random], bytes]

ODD_BYTES = [
    b"", b"\x00", b"\xff", b"\xff" * 8, b"\x7f" + b"\xff" * 7, b"\x80", b"\n", b"\t", b'"', b"\\",
    b"[" * 5000, b"9" * 5000, b"a" * 5000, b"-1", b"NaN", b"1e999", b"\xed\xa0\x80",
    b"\xef\xbb\xbf", b"\\ud800", b"\x1b]0;x\x07",
]  # fmt: skip
ODD_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 3, 2**31, 2**63, -(2**63) - 1, 10**30, 0.5, -0.0, 1e308, 1e-320,
    float("nan"), float("inf"), "", " ", "x", "\ud800", "a" * 3000, "-1", "\x1b]0;x\x07\n",
    "\u200b",
    [], [[]], {}, {"": None}, [None], [0] * 300, {"a": {"a": {}}},
]  # fmt: skip
SIGNS = (
    "ab 09\t\n\r\x00\x7f\u0085\u00ad\u0301\u0628\u0927\u200d\u2028\ufeff\ufffd😀\ud800'\"\\{}[]%"
)
EDITS = ("replace", "insert", "delete", "cut", "repeat")


def mutations(content: bytes) -> list[Mutation]:
    """Every way to damage the content of a file."""
    found: list[Mutation] = [lambda random: damaged(content, random)]
    # All of it may be JSON, or what follows its first line, as in a request.
    for start in (0, content.find(b"\n") + 1):
        with suppress(ValueError):
            value = json.loads(content[start:])
            if isinstance(value, dict | list):
                found.append(_after(content[:start], value))
                break
    if content[8:9] == b"{":
        found += _of_safetensors(content)
    return found


def _after(first: bytes, value: Any) -> Mutation:
    return lambda random: first + other_values(value, random)


def damaged(content: bytes, random: Random) -> bytes:
    """The content with a few of its bytes changed, or cut short."""
    for _ in range(random.randint(1, 4)):
        place = random.randint(0, len(content))
        end = min(place + random.randint(0, 40), len(content))
        new = random.choice(ODD_BYTES) if random.random() < 0.5 else random.randbytes(4)
        kind = random.choice(EDITS)
        if kind == "replace":
            content = content[:place] + new + content[place + len(new) :]
        elif kind == "insert":
            content = content[:place] + new + content[place:]
        elif kind == "delete":
            content = content[:place] + content[end:]
        elif kind == "cut":
            content = content[:place]
        else:
            content = content[:end] + content[place:]
    return content


def other_values(value: Any, random: Random) -> bytes:
    """A JSON value with one or two of the values in it replaced or removed, as bytes."""
    for _ in range(random.randint(1, 2)):
        value = json.loads(json.dumps(value))
        places = list(_places(value))
        if not places:
            return json.dumps(_value(random)).encode()
        holder, key = random.choice(places)
        if isinstance(holder, dict) and random.random() < 0.3:
            del holder[key]
        else:
            holder[key] = _value(random)
    return json.dumps(value).encode()


def _of_safetensors(content: bytes) -> list[Mutation]:
    """Other values in the file's header, whose length fits, and in the metadata's own JSON."""
    (length,) = struct.unpack("<Q", content[:8])
    header, rest = json.loads(content[8 : 8 + length]), content[8 + length :]

    def whole(header: bytes) -> bytes:
        return struct.pack("<Q", len(header)) + header + rest

    def with_metadata(name: str, inner: Any) -> Mutation:
        def make(random: Random) -> bytes:
            text = other_values(inner, random).decode()
            metadata = header["__metadata__"] | {name: text}
            return whole(json.dumps(header | {"__metadata__": metadata}).encode())

        return make

    metadata = header.get("__metadata__", {}).items()
    inner = [(name, json.loads(text)) for name, text in metadata if text[:1] == "{"]
    return [
        lambda random: whole(other_values(header, random)),
        *(with_metadata(*each) for each in inner),
    ]


def _value(random: Random) -> Any:
    kind = random.randrange(6)
    if kind < 3:
        return random.choice(ODD_VALUES)
    if kind == 3:
        return random.randint(-20, 300)
    if kind == 4:
        return random.choice([random.random(), random.gauss(0, 100), random.gauss(0, 1e300)])
    return "".join(random.choices(SIGNS, k=random.randint(1, 9)))


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Each place in a JSON value: what holds it, and its key there."""
    if not isinstance(content, dict | list):
        return
    for key in list(content) if isinstance(content, dict) else range(len(content)):
        yield content, key
        yield from _places(content[key])
