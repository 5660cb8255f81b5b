"""Texts that a model wrote, and how each token stood beside those it was chosen over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from regard.arrays import Array, arrays_of, pieces
from regard.errors import BadArgumentError
from regard.inspection.answers import Candidate, GenerationInfo, HypothesisInfo, Step
from regard.inspection.naming import Naming

CANDIDATES = 5
ROWS_AT_ONCE = 64  # of logits, which are as wide as the vocabulary
ONE_PASS = "maps are of one pass over the finished hypothesis"


class Found(Protocol):
    """A hypothesis, as a search gives it."""

    @property
    def tokens(self) -> Sequence[int]: ...
    @property
    def score(self) -> float | None: ...
    @property
    def finished(self) -> bool: ...


@dataclass(frozen=True)
class Written:
    """The hypotheses of a search, or one that was given, and which of them is traced."""

    ids: list[int]  # of the hypothesis that is traced
    hypotheses: list[HypothesisInfo]  # best first
    shown: int  # its number among them
    axis: str  # on which it grew, behind …
    prompt: int  # … so many positions
    searched: bool = True  # False: it was given
    forced: str = ""  # what it was made to begin with

    @property
    def notes(self) -> list[str]:
        """Remarks for a reader."""
        begins = [f"forced: the output begins with “{self.forced}”"] if self.forced else []
        return [*([ONE_PASS] if self.searched else []), *begins]


def written(
    found: Sequence[Found],
    hypothesis: int,
    naming: Naming,
    *,
    axis: str,
    prompt: int,
    searched: bool,
    forced: int = 0,
) -> Written:
    """Hypotheses of a model, best first, with the one that is traced.

    Args:
        axis, prompt: where it stands: on that axis, behind so many positions.
        forced: how many of its first tokens the caller chose.
    """
    if not 0 <= hypothesis < len(found):
        if not searched:
            raise BadArgumentError(f"a given target is hypothesis 0; got {hypothesis}.")
        raise BadArgumentError(
            f"the search found hypotheses 0 to {len(found) - 1}; got {hypothesis}."
        )
    hypotheses = [
        HypothesisInfo(
            text=naming.text_of(hypothesis.tokens),
            tokens=naming.names(hypothesis.tokens),
            score=hypothesis.score if searched else None,
            finished=hypothesis.finished,
        )
        for hypothesis in found
    ]
    ids = list(found[hypothesis].tokens)
    begins = naming.text_of(ids[:forced]) if forced else ""
    return Written(ids, hypotheses, hypothesis, axis, prompt, searched, begins)


def generation_info(written: Written, logits: Array, name: Callable[[int], str]) -> GenerationInfo:
    """Origin of the hypothesis; logits are (positions, vocab) of the axis."""
    return GenerationInfo(
        axis=written.axis,
        steps=steps(logits[written.prompt - 1 :], written.ids, name),
        hypotheses=written.hypotheses,
        shown=written.shown,
    )


def steps(logits: Array, ids: Sequence[int], name: Callable[[int], str]) -> list[Step]:
    """Tokens that the steps gave, and the likeliest beside each; logits are (steps, vocab)."""
    chosen: list[Step] = []
    arrays = arrays_of(logits)
    for rows in pieces(logits[: len(ids)], ROWS_AT_ONCE):
        for row in arrays.softmax(arrays.floats(rows)):
            id_ = ids[len(chosen)]
            chosen.append(Step(name(id_), float(row[id_]), likeliest(row, name), id_))
    return chosen


def likeliest(probabilities: Array, name: Callable[[int], str]) -> list[Candidate]:
    """Return the largest of (entries,), best first."""
    values, places = arrays_of(probabilities).best(probabilities, CANDIDATES)
    return [
        Candidate(name(index), probability, index)
        for index, probability in zip(places.tolist(), values.tolist(), strict=True)
    ]
