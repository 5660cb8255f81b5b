"""What an embedder makes of pairs of texts: how it ranks them, or how its cosines order them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.recipes.evaluation import Evaluator, Progress, no_progress
from regard.recipes.examples import Example
from regard.recipes.options.evaluation import PairEvaluationOptions
from regard.recipes.vectors.ranking import Ranking, rank_pairs, spearman
from regard.recipes.vectors.text_pairs import read_text_pairs
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


class PairEvaluator(Evaluator[PairEvaluationOptions]):
    """How encoders of texts are scored."""

    unit = "texts or pairs"
    doing = "encoding"

    def read(self, path: str) -> list[Example]:
        return self.examples(read_text_pairs, path, **self.options.values("text", "pair", "score"))

    def score(
        self, task: Embedder, data: Sequence[Example], *, progress: Progress = no_progress
    ) -> PairEvaluation:
        return evaluate_pairs(task, data, batch_size=self.options.batch_size, progress=progress)

    def size(self, data: Sequence[Example]) -> int:
        return 2 * len(data)

    def compared(self, result: PairEvaluation) -> str:
        return "spearman" if result.ranking is None else "mrr"

    def outputs(self, result: PairEvaluation) -> NDArray[Any]:  # type: ignore[override]
        """Return the rank of each text's own pair; of pairs with a score, cosines in hundredths."""
        if result.ranking is None:
            return (100 * result.cosines).round()
        return result.ranking.ranks

    def worst(
        self, result: PairEvaluation, data: Sequence[Example], count: int
    ) -> list[dict[str, Any]]:
        """Return the texts whose own pair was ranked lowest; pairs with a score have no rank."""
        if result.ranking is None:
            return []
        first: dict[str, Example] = {}
        for example in data:
            first.setdefault(example.text, example)
        texts, ranks = list(first.values()), result.ranking.ranks
        rows = [int(row) for row in (-ranks).argsort(kind="stable")[:count] if ranks[row] > 1]
        return [
            {"line": texts[row].line, "text": texts[row].text, "pair": texts[row].pair}
            | {"rank": int(ranks[row])}
            for row in rows
        ]


def evaluate_pairs(
    embedder: Embedder,
    examples: Sequence[Example],
    *,
    batch_size: int = 64,
    progress: Progress = no_progress,
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
