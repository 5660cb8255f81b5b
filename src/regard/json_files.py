"""JSON in files, refused in one sentence where it cannot be used."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, overload

from regard.errors import DamagedFileError, shortened
from regard.files import check_content


class RepeatedKey(ValueError):
    """An object of JSON has a key twice, of which readers take one or the other."""


class JsonObject(dict[str, Any]):
    """The content of a file; a missing key is a DamagedFileError that names the file."""

    def __init__(self, file: Path, content: Mapping[str, Any]):
        super().__init__(content)
        self._file = file

    def __missing__(self, key: str) -> NoReturn:
        raise DamagedFileError(
            f"{self._file} must have the key {key!r}, which is missing."
            " Copy the file again from where it came from."
        )


class JsonFiles:
    """The JSON objects in a folder; each file is read once, when it is first needed.

    Args:
        content: of files that need not be there.
    """

    def __init__(
        self, folder: str | os.PathLike[str], content: Mapping[str, JsonObject] | None = None
    ):
        self.folder = Path(folder)
        self._content: dict[str, JsonObject | None] = dict(content or {})

    @overload
    def get(self, name: str) -> JsonObject | None: ...
    @overload
    def get(self, name: str, default: Mapping[str, Any]) -> Mapping[str, Any]: ...
    def get(self, name: str, default: object = None) -> object:
        """Return the content of a file; `default` if there is no such file.

        Raises:
            DamagedFileError: it is not a JSON object.
        """
        if name not in self._content:
            file = self.folder / name
            self._content[name] = read_object(file) if file.is_file() else None
        content = self._content[name]
        return default if content is None else content


def read_object(file: Path) -> JsonObject:
    """Return the JSON object in a file.

    Raises:
        DamagedFileError: it is not one.
    """
    content = read_json(file)
    if not isinstance(content, dict):
        raise DamagedFileError(f"{file} must be a JSON object; it is a {type(content).__name__}.")
    return JsonObject(file, content)


def read_json(file: Path) -> Any:
    """Any JSON value in a file.

    Raises:
        DamagedFileError: it is not valid JSON, nested too deeply, has half a surrogate pair, or has
            a key twice.
    """
    try:
        text = file.read_text(encoding="utf-8")
        content = json.loads(text, object_pairs_hook=unrepeated)
        if "\\u" in text:
            json.dumps(content, ensure_ascii=False).encode()
        return content
    except RepeatedKey as error:
        raise DamagedFileError(f"{file} cannot be used: {error}") from None
    except (ValueError, RecursionError) as error:
        check_content(file)
        raise DamagedFileError(f"{file} is not valid JSON ({error}).") from error


def unrepeated(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of JSON, no key of which may be there twice.

    Raises:
        RepeatedKey: one is.
    """
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RepeatedKey(
            f"it has the key {shortened(twice)!r} twice. Remove or rename one of them."
        )
    return fields


def safetensors_entries(content: memoryview) -> tuple[dict[str, Any], int]:
    """Return the entries of a safetensors file that the package has checked, by name, and the place
    where their numbers begin."""
    start = 8 + int.from_bytes(content[:8], "little")
    entries = json.loads(bytes(content[8:start]))
    entries.pop("__metadata__", None)
    return entries, start
