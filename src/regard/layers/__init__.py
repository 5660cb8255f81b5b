"""Modules that own parameters and call the pure functions of `attention` and `positions`."""

from regard.layers.block import DecoderLayer, EncoderLayer, Residual
from regard.layers.cache import KeyValueCache, LayerCache
from regard.layers.dropout import Dropout
from regard.layers.embeddings import Embedding, empty_table
from regard.layers.feed_forward import FeedForward
from regard.layers.heads import MultiHeadAttention

__all__ = [
    "DecoderLayer",
    "Dropout",
    "Embedding",
    "EncoderLayer",
    "FeedForward",
    "KeyValueCache",
    "LayerCache",
    "MultiHeadAttention",
    "Residual",
    "empty_table",
]
