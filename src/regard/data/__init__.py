"""Data: records of files and pipes; sentence pairs and documents; clean, split, store, batch."""

from typing import TYPE_CHECKING

from regard.data.clean import Cleaner, CleaningReport, CleaningRules
from regard.data.lines import BadLine, LeftOut, OnBadLine, refuse
from regard.data.pairs import Pair, read_pairs
from regard.data.reader import BadCellError, Row, read_examples, read_rows
from regard.data.roles import Column, Role
from regard.data.split import Folds, Part, Split, part_size, plan_folds, plan_split
from regard.data.store import TokenStore
from regard.lazy import attach

if TYPE_CHECKING:
    from regard.data.batches import Batch, Batches, Plan, pad

__all__ = [
    "BadCellError",
    "BadLine",
    "Batch",
    "Batches",
    "Cleaner",
    "CleaningReport",
    "CleaningRules",
    "Column",
    "Folds",
    "LeftOut",
    "OnBadLine",
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
    "read_examples",
    "read_pairs",
    "read_rows",
    "refuse",
]

_BATCHES = dict.fromkeys(("Batch", "Batches", "Plan", "pad"), "regard.data.batches")  # by torch

__getattr__, __dir__ = attach(globals(), _BATCHES)
