"""Looking at what attention did, from the query, key and mask that it had."""

from regard.inspection.alignment import STEPS, cross_attention, group_words

__all__ = ["STEPS", "cross_attention", "group_words"]
