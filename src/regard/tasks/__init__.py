"""What the models are for, each a class that takes text and gives text."""

from regard.tasks.loading import load
from regard.tasks.training import train

__all__ = ["load", "train"]
