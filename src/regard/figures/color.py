"""Color in terminals, without what draws in it."""

import os
from typing import TextIO


def takes_color(stream: TextIO) -> bool:
    """Return True if `stream` is a terminal that shows color and NO_COLOR is not set."""
    dumb = os.environ.get("TERM") == "dumb"
    return stream.isatty() and not dumb and not os.environ.get("NO_COLOR")
