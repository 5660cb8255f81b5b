"""Errors as one sentence: what was expected, what came, what to do."""

import errno
import os
import sys

from regard.cli.texts import one_line
from regard.errors import RegardError

_ADVICE = {
    errno.ENOENT: "{name} does not exist. Check the path.",
    errno.EACCES: "{name} may not be read or written: permission denied. Choose another path.",
    errno.EPERM: "{name} may not be read or written: permission denied. Choose another path.",
    errno.EROFS: "{name} is on a read-only disk. Choose another path.",
    errno.ENOSPC: "the disk is full while writing {name}. Make room or choose another path.",
    errno.EISDIR: "{name} is a folder; a file was expected. Check the path.",
    errno.ENOTDIR: "{name} cannot be: a part of its path is a file. Check the path.",
    errno.EEXIST: "{name} is a file; a folder was expected. Check the path.",
}


def sentence(error: Exception) -> str | None:
    """What to tell the user, in one line; None for an error that is no fault of theirs."""
    if isinstance(error, RegardError):
        return one_line(" ".join(str(error).split()))
    if hasattr(error, "format_message"):  # typer's complaint about the command line
        return one_line(" ".join(str(error.format_message()).split()))
    if isinstance(error, OSError):
        name = os.fspath(error.filename) if error.filename is not None else "a file"
        name = name.decode(errors="replace") if isinstance(name, bytes) else name
        advice = _ADVICE.get(error.errno or 0, "{name}: {reason}.")
        return one_line(advice.format(name=name, reason=error.strerror or error))
    # safetensors wraps the system's errors in its own; it is imported only where weights were used.
    safetensors = sys.modules.get("safetensors")
    if safetensors is not None and isinstance(error, safetensors.SafetensorError):
        return one_line(f"the weights could not be read or written: {error}")
    return None
