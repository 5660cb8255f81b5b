"""Modules that own parameters and call the pure functions of `attention` and `positions`."""

from regard.models.layers.attention import KeyValueCache, LayerCache, MultiHeadAttention
from regard.models.layers.distances import DistanceStates
from regard.models.layers.dropout import Dropout
from regard.models.layers.embeddings import Embedding, check_ids, empty_table
from regard.models.layers.experts import MixtureOfExperts
from regard.models.layers.norm import NORMS, Norm, RMSNorm, make_norm
from regard.models.layers.patches import PatchEmbedding
from regard.models.layers.relative_bias import RelativeBias
from regard.models.layers.rotary import Rotary
from regard.models.layers.sound import SoundEmbedding
from regard.models.layers.transformer import ACTIVATIONS, FeedForward, Stack, TransformerLayer

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
