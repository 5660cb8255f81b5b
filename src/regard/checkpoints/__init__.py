"""Hugging Face's format in and out."""

from regard.checkpoints.pretrained import from_pretrained, read_config, save_pretrained

__all__ = ["from_pretrained", "read_config", "save_pretrained"]
