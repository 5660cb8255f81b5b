"""The vectors of a few words."""

import torch
from torch import Tensor

from regard.words.vectors import load_vectors


def vectors(sentence: str) -> Tensor:
    """(words, dim): one vector for each word, whatever stands around it."""
    return torch.from_numpy(load_vectors("words-en").rows(sentence.split()))
