"""From records to batches: sentence pairs and documents; clean, split, store, batch."""

from typing import TYPE_CHECKING

from regard.data.clean import Cleaner, CleaningReport, CleaningRules
from regard.data.pairs import Pair, read_pairs
from regard.data.split import Folds, Part, Split, part_size, plan_folds, plan_split
from regard.data.store import TokenStore
from regard.lazy import attach
from regard.records import BadLine, Role, Row, read_rows

if TYPE_CHECKING:
    from regard.data.batches import Batch, Batches, Plan, pad

__all__ = [
    "BadLine",
    "Batch",
    "Batches",
    "Cleaner",
    "CleaningReport",
    "CleaningRules",
    "Folds",
    "Pair",
    "Part",
    "Plan",
    "Role",
    "Row",
    "Split",
    "TokenStore",
    "pad",
    "part_size",
    "plan_folds",
    "plan_split",
    "read_pairs",
    "read_rows",
]

_BATCHES = dict.fromkeys(("Batch", "Batches", "Plan", "pad"), "regard.data.batches")  # by torch

__getattr__, __dir__ = attach(globals(), _BATCHES)
