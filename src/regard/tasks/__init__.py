"""What the models are for, each a class that takes text and gives text."""

from regard.tasks.loading import SHIPPED, load
from regard.tasks.training import train

__all__ = ["SHIPPED", "load", "train"]
