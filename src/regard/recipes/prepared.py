"""Data made ready in a run's folder, once: a resumed run finds it there, unchanged.

prepared.json    what the data was made from, what was said of it, and SHA-256 of the other files
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from regard.errors import BadArgumentError, DamagedFileError, RegardError
from regard.files import sha256, sha256_tree, write_json
from regard.json_files import read_object


def prepare_once(
    folder: Path,
    files: Sequence[str],
    options: dict[str, Any],
    make: Callable[[], str],
    *,
    say: Callable[[str], None],
) -> str:
    """Calls `make`, which fills `folder` and returns a summary, unless that has been done.

    Args:
        files: what the data is made from; a folder stands for all files in it.
        options: the options that it depends on.

    Returns:
        SHA-256 of the files, for the run's record.

    Raises:
        BadArgumentError: the folder has data from other files or options.
        DamagedFileError: the prepared data has changed since.
    """
    made_from = {"sha256": [sha256_tree(file) for file in files], **options}
    record = folder / "prepared.json"
    if record.exists():
        recorded = _read(record)
        if recorded["made_from"] != made_from:
            raise BadArgumentError(
                f"{folder.parent} holds a run on other data, or on data prepared in another way."
                " Give the same files and options to resume it, or another `output` to start"
                " a new run."
            )
        _check_unchanged(folder, recorded.get("files", {}))
        say(f"found prepared data in {folder}: {recorded['summary']}")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        summary = make()
        written = sorted(file for file in folder.glob("[!.]*") if file.is_file())
        made = {file.name: sha256(file) for file in written}
        write_json(record, {"made_from": made_from, "summary": summary, "files": made})
    return " ".join(made_from["sha256"])


def _read(record: Path) -> dict[str, Any]:
    try:
        content = read_object(record)
        _ = content["made_from"], content["summary"], content.get("files", {}).items()
    except (RegardError, AttributeError) as error:
        raise DamagedFileError(
            f"{record} is damaged. Delete it to prepare the data again."
        ) from error
    return content


def _check_unchanged(folder: Path, made: dict[str, str]) -> None:
    """The prepared files are as they were written."""
    for name, checksum in made.items():
        file = folder / name
        if not file.is_file() or sha256(file) != checksum:
            what = "has changed since it was prepared" if file.is_file() else "is missing"
            raise DamagedFileError(
                f"{file} {what}, so the run would not be the same. Restore it, or delete"
                f" {folder / 'prepared.json'} to prepare the data again."
            )
