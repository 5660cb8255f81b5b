"""Laying out a packed model for this processor; see `layout`."""

from collections.abc import Callable
from pathlib import Path

from regard.files import sha256, whole_folder, write_json
from regard.runtime.layout import FILES, layout_of
from regard.runtime.packing import alone, announced
from regard.runtime.session import write_layout

SKIPPED = "probe.onnx"  # has no weights


def lay_out(folder: Path, say: Callable[[str], None] = lambda sentence: None) -> bool:
    """Writes the layout of a packed model beside its graphs, where it is not there yet.

    It takes about as much of the disk again as the model and its matrices. Results do not change.

    Args:
        folder: of the packed model.
        say: called with a sentence where it takes longer than a second.

    Returns:
        Whether it was written: what was opened before does not use it.

    Raises:
        UnavailableError: the folder cannot be written.
    """
    layout = layout_of(folder)
    if layout.is_dir():
        return False
    with alone(layout):
        if layout.is_dir():  # another process wrote it meanwhile
            return True
        with (
            announced(f"laying out {folder.name} for this processor; this is done once.", say),
            whole_folder(layout) as unfinished,
        ):
            for file in sorted(folder.glob("*.onnx")):
                if file.name != SKIPPED:
                    write_layout(file, unfinished / file.name)
            write_json(
                unfinished / FILES,
                {file.name: sha256(file) for file in sorted(unfinished.iterdir())},
            )
    return True
