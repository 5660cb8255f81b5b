"""Transformers you can see through.

The public face. Names are imported when they are first used, so that `import regard` and
`regard --help` stay free of torch.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from regard.errors import (
    BadArgumentError,
    DamagedFileError,
    NotFoundError,
    RegardError,
    UnavailableError,
    UnsupportedError,
)
from regard.lazy import attach
from regard.packages import Missing
from regard.version import __version__

if TYPE_CHECKING:
    from regard.attention import attend, attention_weights
    from regard.checkpoints import from_pretrained
    from regard.inspection.models import trace
    from regard.tasks.evaluation import evaluate
    from regard.tasks.loading import load
    from regard.tasks.pipeline import pipeline
    from regard.tasks.training import train


__all__ = [
    "BadArgumentError",
    "DamagedFileError",
    "NotFoundError",
    "RegardError",
    "UnavailableError",
    "UnsupportedError",
    "__version__",
    "attend",
    "attention_weights",
    "evaluate",
    "from_pretrained",
    "load",
    "pipeline",
    "trace",
    "train",
]

_HOME = {
    "attention": ("attend", "attention_weights"),
    "checkpoints": ("from_pretrained",),
    "inspection": ("trace",),
    "tasks.evaluation": ("evaluate",),
    "tasks.loading": ("load",),
    "tasks.pipeline": ("pipeline",),
    "tasks.training": ("train",),
}

sys.meta_path.append(Missing())
__getattr__, __dir__ = attach(globals(), _HOME)
