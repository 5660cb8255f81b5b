"""Attention: scores, masks, weights, and the weighted average. Tensors in, tensors out."""

from regard.attention.attend import KERNELS, attend, listening
from regard.attention.masks import Causal, Dense, Documents, Mask, Prefix, Window
from regard.attention.padding import Padding
from regard.attention.record import Call
from regard.attention.scores import (
    Score,
    additive,
    average,
    capped,
    cosine,
    dot,
    gaussian,
    general,
    scaled,
    scaled_dot,
)
from regard.attention.weights import attention_weights

__all__ = [
    "KERNELS",
    "Call",
    "Causal",
    "Dense",
    "Documents",
    "Mask",
    "Padding",
    "Prefix",
    "Score",
    "Window",
    "additive",
    "attend",
    "attention_weights",
    "average",
    "capped",
    "cosine",
    "dot",
    "gaussian",
    "general",
    "listening",
    "scaled",
    "scaled_dot",
]
