"""Losses and weights of labels, for classifiers of texts and of images."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional


def label_loss(
    logits: Tensor, targets: Sequence[NDArray[np.int64]], weights: Tensor, *, multi_label: bool
) -> Tensor:
    """Return the summed loss of a batch: cross-entropy of one label; of several, the mean over the
    labels of the cross-entropy of each.

    Args:
        targets: the numbers of each text's labels.
        weights: (labels,): of a label's texts; of several labels, of its positives.
    """
    if not multi_label:
        return one_label_loss(logits, torch.from_numpy(np.concatenate(targets)), weights)
    truth = torch.zeros_like(logits)
    rows = np.repeat(np.arange(len(targets)), [len(numbers) for numbers in targets])
    if len(rows):
        truth[torch.from_numpy(rows), torch.from_numpy(np.concatenate(targets))] = 1
    summed = functional.binary_cross_entropy_with_logits(
        logits, truth, pos_weight=weights, reduction="sum"
    )
    return summed / logits.shape[1]


def one_label_loss(logits: Tensor, labels: Tensor, weights: Tensor) -> Tensor:
    """Return the summed cross-entropy of a batch."""
    labels = labels.to(logits.device)
    return (functional.cross_entropy(logits, labels, reduction="none") * weights[labels]).sum()


def balanced_weights(counts: Sequence[int]) -> Tensor:
    """Return the mean count over each label's count, (labels,): every label then counts alike."""
    numbers = torch.tensor(counts, dtype=torch.float32)
    return numbers.sum() / (len(counts) * numbers)


def log_odds(counts: Sequence[int], texts: int) -> Tensor:
    """log p / (1 − p) of each label, (labels,), where p is its share of the texts.

    As the bias of a new head it gives rare labels their frequency from the first step on (Lin et
    al. 2017, Focal Loss for Dense Object Detection, section 4.1). A text is added to either side,
    so that a label that all texts have stays finite.
    """
    numbers = torch.tensor(counts, dtype=torch.float32)
    return ((numbers + 1) / (texts - numbers + 1)).log()
