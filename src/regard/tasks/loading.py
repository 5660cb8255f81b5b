"""Finding a model by the name of a shipped one or by its folder."""

import difflib
import os
from pathlib import Path

from regard.errors import RegardError
from regard.tasks.translation import Translator

FOLDER = Path(__file__).parent.parent / "shipped"
SHIPPED = ("en-de", "en-hi")


def load(name: str | os.PathLike[str]) -> Translator:
    """The translator of a shipped name (en-de, en-hi) or in a folder.

    Raises:
        RegardError: neither; the message lists the shipped names and the nearest.
    """
    return Translator.load(find(name), name=str(name))


def find(name: str | os.PathLike[str]) -> Path:
    """The folder of a model; a folder of that name comes before a shipped model."""
    if Path(name).is_dir():
        folder = Path(name)
        # A run's folder holds its model one level down.
        return folder / "model" if (folder / "model" / "config.json").exists() else folder
    if str(name) in SHIPPED:
        return FOLDER / str(name)
    near = difflib.get_close_matches(str(name), SHIPPED, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise RegardError(
        f"a model is one of {', '.join(SHIPPED)} or a folder; there is no {str(name)!r}.{hint}"
    )
