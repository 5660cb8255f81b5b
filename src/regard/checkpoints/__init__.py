"""Hugging Face's format in and out.

Names are imported when they are first used: settings and tokenizers are read without torch, and
the shipped models are listed without numpy.
"""

from typing import TYPE_CHECKING

from regard.lazy import attach, modules

if TYPE_CHECKING:
    from regard.checkpoints import argos, card, ctranslate2, gguf, hub
    from regard.checkpoints.checkpoint import Checkpoint, CheckpointLike, open_checkpoint
    from regard.checkpoints.hub import find_folder
    from regard.checkpoints.pretrained import empty_model, from_pretrained, save_pretrained
else:
    argos, card, ctranslate2, gguf, hub = modules(
        __name__, "argos", "card", "ctranslate2", "gguf", "hub"
    )

__all__ = [
    "Checkpoint",
    "CheckpointLike",
    "empty_model",
    "find_folder",
    "from_pretrained",
    "open_checkpoint",
    "save_pretrained",
]

_HOME = {
    "checkpoint": ("Checkpoint", "CheckpointLike", "open_checkpoint"),
    "hub": ("find_folder",),
    "pretrained": ("empty_model", "from_pretrained", "save_pretrained"),
}
__getattr__, __dir__ = attach(globals(), _HOME)
