"""Hugging Face's format in and out."""

from regard.checkpoints.hub import find_folder
from regard.checkpoints.pretrained import empty_model, from_pretrained, read_config
from regard.checkpoints.saving import save_pretrained

__all__ = ["empty_model", "find_folder", "from_pretrained", "read_config", "save_pretrained"]
