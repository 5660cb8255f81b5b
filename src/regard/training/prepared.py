"""Data made ready in a run's folder, once: a resumed run finds it there, unchanged.

prepared.json    what the data was made from, what was said of it, the values that no file has, and
                 SHA-256 of the other files
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self, get_type_hints

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from regard.data import TokenStore
from regard.errors import BadArgumentError, DamagedFileError, RegardError
from regard.files import sha256, sha256_tree, sync, write_json
from regard.json_files import read_object
from regard.text import Tokenizer, TokenizerPair
from regard.training.examples import Example, read_examples

Numbers = NDArray[np.float32]
Values = dict[str, Any]


@dataclass(frozen=True)
class Prepared:
    """A user's data, ready to be trained on.

    Each field is read from the run's folder as its type says: a `TokenStore` from NAME.tokens,
    examples from NAME.jsonl, numbers from NAME.npy, a tokenizer from its own files, what has a
    method `open` by it, and any other value from prepared.json.
    """

    origin: str  # the files' names
    sha256: str  # of their contents

    @classmethod
    def read(cls, folder: Path, values: Values) -> Self:
        """Return what is in the folder, with these values."""
        hints = get_type_hints(cls)
        return cls(**{each.name: _read(hints[each.name], folder, each.name, values)
                      for each in fields(cls)})  # fmt: skip


def _read(hint: Any, folder: Path, name: str, values: Values) -> Any:
    if hint is TokenStore:
        return TokenStore.open(folder / f"{name}.tokens")
    if hint in (Tokenizer, TokenizerPair):
        return hint.load(folder)
    if hint == list[Example]:
        return list(read_examples(folder / f"{name}.jsonl"))
    if hint == Numbers | None:
        file = folder / f"{name}.npy"
        return np.load(file) if file.is_file() else None
    if hasattr(hint, "open"):
        return hint.open(folder, name)
    return TypeAdapter(hint).validate_python(values[name])


def prepare_once(
    folder: Path,
    files: Sequence[str],
    options: dict[str, Any],
    make: Callable[[], tuple[str, Values]],
    *,
    say: Callable[[str], None],
) -> tuple[str, Values]:
    """Call `make`, which fills `folder`, unless that has been done.

    Args:
        files: what the data is made from; a folder stands for all files in it.
        make: returns a summary, and the values that are not in a file of their own, for JSON.

    Returns:
        SHA-256 of the files, for the run's record, and the values.
    """
    made_from = {"sha256": [sha256_tree(file) for file in files], **options}
    record = folder / "prepared.json"
    if record.exists():
        recorded = _recorded(record)
        if recorded["made_from"] != made_from:
            raise BadArgumentError(
                f"{folder.parent} holds a run on other data, or on data prepared in another way."
                " Give the same files and options to resume it, or another `output` to start"
                " a new run."
            )
        _check_unchanged(folder, recorded["files"])
        say(f"found prepared data in {folder}: {recorded['summary']}")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        summary, values = make()
        written = sorted(file for file in folder.glob("[!.]*") if file.is_file())
        made = {file.name: sha256(file) for file in written}
        recorded = {"made_from": made_from, "summary": summary, "values": values, "files": made}
        sync(folder)
        write_json(record, recorded)
        recorded = _recorded(record)
    checksums = made_from["sha256"]
    if len(checksums) > 1:  # as many as a folder of text may have
        checksums = [hashlib.sha256(" ".join(checksums).encode()).hexdigest()]
    return checksums[0], recorded["values"]


def _recorded(record: Path) -> dict[str, Any]:
    try:
        content = read_object(record)
        _ = content["made_from"], content["summary"], content["values"].keys()
        _ = content["files"].items()
    except (RegardError, AttributeError, KeyError) as error:
        raise DamagedFileError(
            f"{record} is damaged. Delete it to prepare the data again."
        ) from error
    return content


def _check_unchanged(folder: Path, made: dict[str, str]) -> None:
    """Return the prepared files are as they were written."""
    for name, checksum in made.items():
        file = folder / name
        if not file.is_file() or sha256(file) != checksum:
            what = "has changed since it was prepared" if file.is_file() else "is missing"
            raise DamagedFileError(
                f"{file} {what}, so the run would not be the same. Restore it, or delete"
                f" {folder / 'prepared.json'} to prepare the data again."
            )
