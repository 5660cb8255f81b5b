"""Errors as one sentence: what was expected, what came, what to do."""

import errno
import os
import re
import sys
from collections.abc import Mapping
from typing import Any

from regard.errors import DamagedFileError, RegardError, did_you_mean, nearest
from regard.lines import one_line

_ADVICE = {
    errno.ENOENT: "{name} does not exist. Check the path.",
    errno.EACCES: "{name} may not be read or written: permission denied. Choose another path.",
    errno.EPERM: "{name} may not be read or written: permission denied. Choose another path.",
    errno.EROFS: "{name} is on a read-only disk. Choose another path.",
    errno.ENOSPC: "the disk is full while writing {name}. Make room or choose another path.",
    errno.EISDIR: "{name} is a folder; a file was expected. Check the path.",
    errno.ENOTDIR: "{name} cannot exist: part of its path is a file. Check the path.",
    errno.EEXIST: "{name} is a file; a folder was expected. Check the path.",
}


def sentence(error: Exception, options: Mapping[str, str] | None = None) -> str | None:
    """Return the sentence for an error, in one line; None for a defect of the program.

    Args:
        options: parameter of the running command → its flag.
    """
    if isinstance(error, RegardError):
        message = " ".join(str(error).split())
        if not isinstance(error, DamagedFileError):  # whose names are those in the file
            message = in_flags(message, options or {})
        return one_line(message)
    if hasattr(error, "format_message"):  # typer's complaint about the command line
        return one_line(" ".join(_refusal(error).split()))
    if isinstance(error, OSError):
        name = os.fspath(error.filename) if error.filename is not None else "a file"
        name = name.decode(errors="replace") if isinstance(name, bytes) else name
        advice = _ADVICE.get(error.errno or 0, "{name}: {reason}.")
        return one_line(advice.format(name=name, reason=error.strerror or error))
    if _is_memory(error):
        return (
            "there is not enough memory for this. Lower --batch-size, --num-beams or the model's"
            " size, or shorten the text."
        )
    # safetensors wraps the system's errors in its own; it is imported only where weights were used.
    safetensors = sys.modules.get("safetensors")
    if safetensors is not None and isinstance(error, safetensors.SafetensorError):
        return one_line(f"the weights could not be read or written: {error}")
    return None


def _refusal(error: Any) -> str:
    """Typer's complaint, with the name that was meant where one is near."""
    context, message = getattr(error, "ctx", None), str(error.message)
    if context and hasattr(error, "possibilities"):
        flags = {flag.lstrip("-"): flag for each in context.command.get_params(context)
                 for flag in each.opts if flag.startswith("--")}  # fmt: skip
        near = nearest(str(error.option_name).lstrip("-"), flags)
        return message if near is None else f"{message}. Did you mean {flags[near]}?"
    if context and (wrong := re.match(r"No such command '(.*?)'\.", message)):
        return wrong[0] + did_you_mean(wrong[1], context.command.commands)
    return str(error.format_message())


def _is_memory(error: Exception) -> bool:
    """Return whether memory could not be allocated, by Python, numpy or torch."""
    if isinstance(error, MemoryError):
        return True
    kinds = {kind.__name__ for kind in type(error).__mro__}
    # torch has a class for GPUs alone.
    return "OutOfMemoryError" in kinds or (
        "RuntimeError" in kinds and "can't allocate memory" in str(error)
    )


def in_flags(message: str, options: Mapping[str, str]) -> str:
    """Return a library's message in the words of a command: `output` and max_length become flags.

    A parameter's name is recognized in backticks, before "=", before " must" at the beginning and,
    if it has an underscore, anywhere that is not part of a path or of a quotation.
    """
    if "target_language" in options:
        message = message.replace('translator.between(target="…")', "--target-language")
    for name, flag in options.items():
        word = rf"(?<![\w./'\"`-]){name}(?![\w/'\"`-]|\.\w)"
        message = re.sub(rf"{word}=True\b|`{name}`|^{name}(?= must )", flag, message)
        message = re.sub(rf"{word}=False\b", f"no {flag}", message)
        message = re.sub(word if "_" in name else rf"{word}(?==)", flag, message)
    return message
