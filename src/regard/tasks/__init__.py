"""What the models are for, each a class that takes text and gives text."""

from typing import Any

from regard.tasks.loading import SHIPPED, load
from regard.tasks.training import train

__all__ = ["SHIPPED", "load", "pipeline", "train"]


def __getattr__(name: str) -> Any:
    if name == "pipeline":  # it imports every task, of which most programs need one
        from regard.tasks.pipelines import pipeline

        return pipeline
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
