"""Data: records of files and pipes; sentence pairs and documents; clean, split, store, batch.

Names are imported when they are first used: few need numpy, and batches torch.
"""

from typing import TYPE_CHECKING

from regard.lazy import attach

if TYPE_CHECKING:
    from regard.data.batches import Batch, Batches, Plan, pad
    from regard.data.clean import Cleaner, CleaningReport, CleaningRules
    from regard.data.lines import BadLine, LeftOut, OnBadLine, refuse
    from regard.data.pairs import Pair, read_pairs
    from regard.data.reader import BadCellError, Row, read_examples, read_rows
    from regard.data.roles import Column, Role
    from regard.data.split import Folds, Part, Split, part_size, plan_folds, plan_split
    from regard.data.store import TokenStore

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

_HOME = {
    "batches": ("Batch", "Batches", "Plan", "pad"),
    "clean": ("Cleaner", "CleaningReport", "CleaningRules"),
    "lines": ("BadLine", "LeftOut", "OnBadLine", "refuse"),
    "pairs": ("Pair", "read_pairs"),
    "reader": ("BadCellError", "Row", "read_examples", "read_rows"),
    "roles": ("Column", "Role"),
    "split": ("Folds", "Part", "Split", "part_size", "plan_folds", "plan_split"),
    "store": ("TokenStore",),
}
__getattr__, __dir__ = attach(globals(), _HOME)
