"""Teaching a model: loss, schedule, mixed precision, the loop and the run's folder."""

from regard.training.config import Progress, TrainingConfig
from regard.training.loop import Batches, Objective, fit
from regard.training.loss import cross_entropy
from regard.training.metrics import CorpusScores, chance, corpus_scores
from regard.training.run import Checkpoint, RunFolder

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
