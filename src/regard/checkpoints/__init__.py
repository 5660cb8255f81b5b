"""Hugging Face's format in and out.

What needs torch is imported when it is first used: settings and tokenizers are read without it.
"""

from typing import TYPE_CHECKING

from regard.checkpoints.checkpoint import Checkpoint, CheckpointLike, open_checkpoint
from regard.checkpoints.hub import find_folder
from regard.lazy import attach

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


_LATER = ("empty_model", "from_pretrained", "save_pretrained")
__getattr__, __dir__ = attach(globals(), dict.fromkeys(_LATER, "regard.checkpoints.pretrained"))
