"""Modules that own parameters and call the pure functions of `attention` and `positions`."""

from regard.layers.block import Layer, Residual
from regard.layers.cache import KeyValueCache, LayerCache
from regard.layers.dropout import Dropout, check_dropout
from regard.layers.embeddings import Embedding, check_ids, empty_table
from regard.layers.feed_forward import ACTIVATIONS, FeedForward
from regard.layers.heads import MultiHeadAttention
from regard.layers.norm import Norm, RMSNorm, make_norm
from regard.layers.patches import PatchEmbedding
from regard.layers.relative_bias import RelativeBias
from regard.layers.rotary import Rotary
from regard.layers.stack import Stack, TokenStack

__all__ = [
    "ACTIVATIONS",
    "Dropout",
    "Embedding",
    "FeedForward",
    "KeyValueCache",
    "Layer",
    "LayerCache",
    "MultiHeadAttention",
    "Norm",
    "PatchEmbedding",
    "RMSNorm",
    "RelativeBias",
    "Residual",
    "Rotary",
    "Stack",
    "TokenStack",
    "check_dropout",
    "check_ids",
    "empty_table",
    "make_norm",
]
