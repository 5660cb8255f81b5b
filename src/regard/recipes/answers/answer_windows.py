"""A context in windows that a model can read, the answer's place in each, and the loss of that.

Devlin et al. 2019, section 4.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Encoding
from torch import Tensor
from torch.nn import functional

from regard.errors import BadArgumentError
from regard.text.cutting import windows


@dataclass(frozen=True)
class AnswerWindow:
    """A window of a question and its context, and where the answer is in it.

    `first` and `last` are the answer's tokens, both 0 where the window does not hold all of it;
    `begin` and `end` bound the context's. All count from the window's first token.
    """

    positions: list[int]  # of the encoding's tokens
    first: int
    last: int
    begin: int
    end: int


def answer_windows(
    encoding: Encoding, answer: tuple[int, int] | None, max_length: int, stride: int
) -> list[AnswerWindow]:
    """The windows over a context; none if the question leaves no room, or the answer has no token.

    Args:
        answer: its first character in the context, and the one behind its last; None: there is no
            answer.
        max_length: tokens of a window, special ones included.
        stride: tokens that a window shares with the one before it.
    """
    texts, offsets = encoding.sequence_ids, encoding.offsets
    context = [k for k, text in enumerate(texts) if text == 1]
    first, end = answer or (0, 0)
    inside = [k for k in context if max(offsets[k][0], first) < min(offsets[k][1], end)]
    if not context or 0 not in texts or (answer and not inside):
        return []
    try:
        cuts = windows(encoding, max_length, stride)
    except BadArgumentError:
        return []
    return [_placed(positions, texts, inside) for positions in cuts]


def _placed(
    positions: list[int], texts: Sequence[int | None], inside: Sequence[int]
) -> AnswerWindow:
    rows = [row for row, k in enumerate(positions) if texts[k] == 1]  # without gaps
    begin, end = rows[0], rows[-1] + 1
    first = last = 0
    if inside and positions[begin] <= inside[0] and inside[-1] <= positions[end - 1]:
        first, last = (begin + k - positions[begin] for k in (inside[0], inside[-1]))
    return AnswerWindow(positions, first, last, begin, end)


def span_loss(logits: Tensor, places: Tensor) -> Tensor:
    """The summed loss of a batch: the mean of the cross-entropies of the answer's two ends, over
    the context's tokens and the first special token.

    Args:
        logits: (batch, length, 2).
        places: (batch, 4): first and last token of the answer, 0 for none; where the context begins
            and ends.
    """
    columns = torch.arange(logits.shape[1], device=logits.device)
    context = (columns >= places[:, 2:3]) & (columns < places[:, 3:4])
    allowed = context | (columns == 0)  # (batch, length)
    masked = logits.masked_fill(~allowed[..., None], -torch.inf)
    ends = [functional.cross_entropy(masked[..., k], places[:, k], reduction="sum") for k in (0, 1)]
    return (ends[0] + ends[1]) / 2
