"""Looking at what attention did, from the query, key and mask that it had."""

from regard.inspection.alignment import cross_attention, default_layer, group_words

__all__ = ["cross_attention", "default_layer", "group_words"]
