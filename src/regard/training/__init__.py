"""Teaching a model: loss, schedule, mixed precision, the loop and the run's folder."""

from typing import TYPE_CHECKING

from regard.lazy import attach, modules
from regard.training.metrics import CorpusScores, chance, corpus_scores

if TYPE_CHECKING:
    from regard.training import recipe, sequences, verdict
    from regard.training.config import Progress, TrainingConfig
    from regard.training.loop import Batches, Objective, fit
    from regard.training.loss import cross_entropy
    from regard.training.run import Checkpoint, RunFolder
else:
    recipe, sequences, verdict = modules(__name__, "recipe", "sequences", "verdict")

__all__ = [
    "Batches",
    "Checkpoint",
    "CorpusScores",
    "Objective",
    "Progress",
    "RunFolder",
    "TrainingConfig",
    "chance",
    "corpus_scores",
    "cross_entropy",
    "fit",
]

_BY_TORCH = {
    "config": ("Progress", "TrainingConfig"),
    "loop": ("Batches", "Objective", "fit"),
    "loss": ("cross_entropy",),
    "run": ("Checkpoint", "RunFolder"),
}

__getattr__, __dir__ = attach(globals(), _BY_TORCH)
