"""From files of sentence pairs to batches: read, clean, split, store, batch."""

from regard.data.batches import Batch, Batches, pad
from regard.data.clean import Cleaner, CleaningReport, CleaningRules
from regard.data.pairs import BadLine, Pair
from regard.data.readers import read_pairs
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
    "Split",
    "TokenStore",
    "pad",
    "plan_split",
    "read_pairs",
]
