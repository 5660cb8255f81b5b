"""What an embedder makes of pairs of texts: how it ranks them, or how its cosines order them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.recipes.examples import Example
from regard.recipes.vectors.ranking import Ranking, rank_pairs, spearman
from regard.tasks.embedding import Embedder


@dataclass(frozen=True)
class PairEvaluation:
    """The vectors of pairs, and what they are worth."""

    first: NDArray[np.float32]  # (pairs, d_model), of length one
    second: NDArray[np.float32]
    scores: NDArray[np.float32] | None  # (pairs,)
    ranking: Ranking | None  # of pairs without scores

    def __len__(self) -> int:
        """What is scored: texts that look for their own, or pairs with a score."""
        return len(self.first) if self.ranking is None else len(self.ranking.ranks)

    @cached_property
    def cosines(self) -> NDArray[np.float64]:
        """(pairs,)"""
        return (self.first.astype(np.float64) * self.second).sum(1)

    @property
    def figures(self) -> dict[str, float]:
        """By name; "score" is the one that a model is chosen by."""
        return self.figures_of(np.arange(len(self)))

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """The figures over these texts or pairs, which may repeat."""
        if self.ranking is None:
            assert self.scores is not None
            found = spearman(self.cosines[rows], self.scores[rows])
            return {"spearman": found, "score": found}
        ranking = Ranking(self.ranking.ranks[rows])
        return {
            "recall_1": ranking.recall(1),
            "recall_10": ranking.recall(10),
            "mrr": ranking.mrr,
            "score": ranking.mrr,
        }


def evaluate_pairs(
    embedder: Embedder,
    examples: Sequence[Example],
    *,
    batch_size: int = 64,
    progress: Callable[[int], None] = lambda done: None,
) -> PairEvaluation:
    """Ranks the second texts of all pairs for each first text, or compares cosines with scores.

    Raises:
        BadArgumentError: no examples.
    """
    if not examples:
        raise BadArgumentError("evaluating needs at least one pair; got none.")
    scored = bool(examples[0].targets)
    if odd := next((each for each in examples if bool(each.targets) != scored), None):
        has, lacks = (examples[0], odd) if scored else (odd, examples[0])
        raise BadArgumentError(
            f"all pairs must have a score, or none of them; that of line {has.line:,} has one,"
            f" that of line {lacks.line:,} lacks it. Fill the column, or take it out."
        )
    firsts = [example.text for example in examples]
    seconds = [example.pair or "" for example in examples]
    vectors = embedder(
        [*firsts, *seconds], normalize=True, batch_size=batch_size, progress=progress
    )
    first, second = vectors[: len(firsts)], vectors[len(firsts) :]
    if examples[0].targets:
        scores = np.array([example.targets[0] for example in examples], np.float32)
        return PairEvaluation(first, second, scores, None)
    return PairEvaluation(first, second, None, rank_pairs(firsts, seconds, first, second))
