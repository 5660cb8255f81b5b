"""Graphs with their weights as ONNX Runtime lays them out for one kind of processor.

Opening a graph copies its matrices into a layout of the processor's, in memory that each process
has for itself. A packed model that has been laid out (`laying_out.lay_out`) has that layout in
files; sessions read them where they are, so that processes share their pages and open sooner.
"""

import hashlib
import platform
import shutil
from functools import cache
from pathlib import Path

from regard.files import sha256
from regard.json_files import read_object
from regard.runtime.silent import silent_runtime

FILES = "files.json"
# Of the first processor in /proc/cpuinfo: by these ONNX Runtime chooses its layout.
_NAMES = (
    *("vendor_id", "cpu family", "model", "model name", "stepping", "flags"),
    *("CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features"),
)


def layout_of(folder: Path) -> Path:
    """Where the graphs of a packed model's folder are, or will be, laid out for this processor."""
    return folder / f"layout-{_key()}"


def laid_out(file: Path) -> Path | None:
    """The graph to be opened in place of `file`; None where it has not been laid out."""
    folder = layout_of(file.parent)
    found = folder / file.name
    return found if found.is_file() and (folder / FILES).is_file() else None


def remove_damaged(folder: Path) -> None:
    """Removes a layout that is not what was written; the graphs are then opened without it."""
    layout = layout_of(folder)
    if not layout.is_dir():
        return
    try:
        expected = read_object(layout / FILES)
        whole = all(sha256(layout / name) == value for name, value in expected.items())
    except (ValueError, OSError):
        whole = False
    if not whole:
        shutil.rmtree(layout, ignore_errors=True)


@cache
def _key() -> str:
    onnxruntime = silent_runtime()
    processor = f"{platform.machine()} {platform.processor()}"
    try:
        first = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")[0]
        lines = [line for line in first.splitlines() if line.partition("\t")[0].strip() in _NAMES]
        processor += "\n".join(lines)
    except OSError:
        pass  # only Linux has it
    named = f"{onnxruntime.__version__} {processor}"
    return hashlib.sha256(named.encode()).hexdigest()[:16]
