"""What an embedder makes of pairs of texts: how it ranks them, or how its cosines order them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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

    @property
    def cosines(self) -> NDArray[np.float64]:
        """(pairs,)"""
        return (self.first.astype(np.float64) * self.second).sum(1)

    @property
    def figures(self) -> dict[str, float]:
        """By name; "score" is the one that a model is chosen by."""
        if self.ranking is None:
            assert self.scores is not None
            found = spearman(self.cosines, self.scores)
            return {"spearman": found, "score": found}
        ranking = self.ranking
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
