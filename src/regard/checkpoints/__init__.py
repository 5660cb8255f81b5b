"""Hugging Face's format in and out."""

from regard.checkpoints.checkpoint import Checkpoint, CheckpointLike, open_checkpoint
from regard.checkpoints.hub import find_folder
from regard.checkpoints.pretrained import empty_model, from_pretrained
from regard.checkpoints.saving import save_pretrained

__all__ = [
    "Checkpoint",
    "CheckpointLike",
    "empty_model",
    "find_folder",
    "from_pretrained",
    "open_checkpoint",
    "save_pretrained",
]
