"""Scores of encoder–decoders: what they write greedily, and the loss of what was expected."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from regard.arrays import NUMPY
from regard.engine.text_to_text import TextToText
from regard.generation.config import GREEDY
from regard.training import sequences

Item = TypeVar("Item")


def spread(items: Sequence[Item], most: int) -> list[Item]:
    """Return at most so many of the items, evenly spread: files are often sorted."""
    count = min(most, len(items))
    return [items[k * len(items) // count] for k in range(count)]


def greedy_answers(
    task: TextToText, sources: Sequence[str], references: Sequence[str], *, batch_size: int
) -> list[Any]:
    """Return the results of greedy decoding, each at most ten tokens longer than the longest
    reference.

    A young model rarely ends a text; nothing is learned from how long it would continue.
    """
    longest = max(map(len, task.tokenizers.target.encode_batch(list(references))))
    limits = {"batch_size": batch_size, "max_new_tokens": longest + 10, "cut_repetition": False}
    return list(task.run(sources, force=True, **limits, **GREEDY))


def mean_loss(task: TextToText, pairs: Sequence[tuple[str, str]]) -> float:
    """Cross-entropy per target token, end of text included, in nats, without smoothing, as the
    task's engine computes it.

    Source and target are asked as the checkpoint wants them: prefix, special tokens, languages.
    """
    sources = [task.read(source) for source, _ in pairs]
    targets = [task.expected(task.tidied(target)) for _, target in pairs]
    if task.engine.packed is None:
        return sequences.loss_by_module(task, sources, targets)
    model, loss = task.engine.own(task.handle), 0.0
    for source, target in zip(sources, targets, strict=True):
        ids = np.array([[*task.before, *source, *task.after]])
        logs = NUMPY.log_softmax(model(source=ids, target=np.array([target]))[0])
        loss -= float(logs[np.arange(len(target)), target].sum(dtype=np.float64))
    return loss / sum(map(len, targets))
