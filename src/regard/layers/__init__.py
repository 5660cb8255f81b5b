"""Modules that own parameters and call the pure functions of `attention` and `positions`."""

from regard.layers.attention import KeyValueCache, LayerCache, MultiHeadAttention
from regard.layers.distances import DistanceStates
from regard.layers.dropout import Dropout
from regard.layers.embeddings import Embedding, check_ids, empty_table
from regard.layers.experts import MixtureOfExperts
from regard.layers.norm import NORMS, Norm, RMSNorm, make_norm
from regard.layers.patches import PatchEmbedding
from regard.layers.relative_bias import RelativeBias
from regard.layers.rotary import Rotary
from regard.layers.sound import SoundEmbedding
from regard.layers.transformer import ACTIVATIONS, FeedForward, Stack, TransformerLayer

__all__ = [
    "ACTIVATIONS",
    "NORMS",
    "DistanceStates",
    "Dropout",
    "Embedding",
    "FeedForward",
    "KeyValueCache",
    "LayerCache",
    "MixtureOfExperts",
    "MultiHeadAttention",
    "Norm",
    "PatchEmbedding",
    "RMSNorm",
    "RelativeBias",
    "Rotary",
    "SoundEmbedding",
    "Stack",
    "TransformerLayer",
    "check_ids",
    "empty_table",
    "make_norm",
]
