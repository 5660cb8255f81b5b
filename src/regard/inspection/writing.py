"""What a model wrote, and how each token stood beside those it was chosen over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

from regard.inspection.answers import Candidate, GenerationInfo, HypothesisInfo, Step

CANDIDATES = 5
ROWS_AT_ONCE = 64  # of logits, which are as wide as the vocabulary
ONE_PASS = "maps are of one pass over the finished hypothesis"


@dataclass(frozen=True)
class Written:
    """The hypotheses of a search, or one that was given, and which of them is traced."""

    ids: list[int]  # of the hypothesis that is traced
    hypotheses: list[HypothesisInfo]  # best first
    shown: int  # its number among them
    axis: str  # on which it grew, behind …
    prompt: int  # … so many positions
    searched: bool = True  # False: it was given


def generation_info(written: Written, logits: Tensor, name: Callable[[int], str]) -> GenerationInfo:
    """How the hypothesis came about; logits are (positions, vocab) of the axis."""
    return GenerationInfo(
        axis=written.axis,
        steps=steps(logits[written.prompt - 1 :], written.ids, name),
        hypotheses=written.hypotheses,
        shown=written.shown,
    )


def steps(logits: Tensor, ids: Sequence[int], name: Callable[[int], str]) -> list[Step]:
    """What each step gave, and the likeliest tokens beside it; logits are (steps, vocab)."""
    found: list[Step] = []
    for rows in logits[: len(ids)].split(ROWS_AT_ONCE):
        for row in rows.float().softmax(-1):
            id_ = ids[len(found)]
            found.append(Step(name(id_), float(row[id_]), likeliest(row, name)))
    return found


def likeliest(probabilities: Tensor, name: Callable[[int], str]) -> list[Candidate]:
    """The largest of (entries,), best first."""
    top = probabilities.topk(min(CANDIDATES, len(probabilities)))
    return [
        Candidate(name(index), probability)
        for index, probability in zip(top.indices.tolist(), top.values.tolist(), strict=True)
    ]
