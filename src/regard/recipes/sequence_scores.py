"""Scores of an encoder–decoder on pairs of texts: its loss, and what greedy decoding writes."""

from collections.abc import Sequence
from typing import TypeVar

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from regard.models import AnyEncoderDecoder
from regard.tasks.text_to_text import TextToText
from regard.training import cross_entropy

Item = TypeVar("Item")


def spread(items: Sequence[Item], most: int) -> list[Item]:
    """At most so many of the items, evenly spread: files are often sorted."""
    count = min(most, len(items))
    return [items[k * len(items) // count] for k in range(count)]


def greedy_answers(
    task: TextToText, sources: Sequence[str], references: Sequence[str], *, batch_size: int
) -> list[str]:
    """The answers of greedy decoding, each at most ten tokens longer than the longest reference.

    A young model rarely ends a text; nothing is learned from how long it would continue.
    """
    longest = max(map(len, task.tokenizers.target.encode_batch(list(references))))
    results = task.run(
        sources, any_script=True, batch_size=batch_size, num_beams=1, max_new_tokens=longest + 10
    )
    return [result.text for result in results]


@torch.inference_mode()
def mean_loss(task: TextToText, pairs: Sequence[tuple[str, str]]) -> float:
    """Cross-entropy per target token, end of text included, in nats, without smoothing.

    Source and target are asked as the checkpoint wants them: prefix, special tokens, languages.
    """
    sources = [task.read(source) for source, _ in pairs]
    targets = [torch.tensor(task.expected(task.tidied(target))) for _, target in pairs]
    pad_id = task.model.config.pad_id
    order = sorted(range(len(pairs)), key=lambda k: len(targets[k]))
    loss, tokens = 0.0, 0
    for start in range(0, len(order), 64):
        chosen = order[start : start + 64]
        source = task.batch([sources[k] for k in chosen])
        target = pad_sequence([targets[k] for k in chosen], True, pad_id).to(task.device)
        loss += summed_loss(task.model, source, target).item()
        tokens += sum(len(targets[k]) for k in chosen)
    return loss / tokens


def summed_loss(
    model: AnyEncoderDecoder, source: Tensor, target: Tensor, label_smoothing: float = 0.0
) -> Tensor:
    """Summed loss over the target's tokens; padded positions never reach the projection.

    Args:
        source: (batch, source length) ids.
        target: (batch, target length) ids.
    """
    hidden = model.hidden(source, target).flatten(0, 1)
    target = target.flatten()
    kept = (target != model.config.pad_id).nonzero()[:, 0]
    return cross_entropy(
        hidden.index_select(0, kept),
        model.output_weight,
        target[kept],
        bias=model.logits_bias,
        label_smoothing=label_smoothing,
    )
