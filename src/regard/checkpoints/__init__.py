"""Hugging Face's format in and out.

What needs torch is imported when it is first used: settings and tokenizers are read without it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from regard.checkpoints.checkpoint import Checkpoint, CheckpointLike, open_checkpoint
from regard.checkpoints.hub import find_folder

if TYPE_CHECKING:
    from regard.checkpoints.pretrained import empty_model, from_pretrained, save_pretrained

__all__ = [
    "Checkpoint",
    "CheckpointLike",
    "empty_model",
    "find_folder",
    "from_pretrained",
    "open_checkpoint",
    "save_pretrained",
]


def __getattr__(name: str) -> Any:
    if name not in ("empty_model", "from_pretrained", "save_pretrained"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.pretrained"), name)
    globals()[name] = value  # the next look-up finds it without coming here
    return value
