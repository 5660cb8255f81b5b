"""From files of sentence pairs to batches: read, clean, split, store, batch."""

from regard.data.batches import Batch, Batches, Plan, pad
from regard.data.clean import Cleaner, CleaningReport, CleaningRules
from regard.data.pairs import BadLine, Pair
from regard.data.readers import read_pairs
from regard.data.rows import Role, Row, read_rows
from regard.data.split import Split, plan_split
from regard.data.store import TokenStore

__all__ = [
    "BadLine",
    "Batch",
    "Batches",
    "Cleaner",
    "CleaningReport",
    "CleaningRules",
    "Pair",
    "Plan",
    "Role",
    "Row",
    "Split",
    "TokenStore",
    "pad",
    "plan_split",
    "read_pairs",
    "read_rows",
]
