"""Scores of an embedder on pairs of texts: recall, mean reciprocal rank, rank correlation."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.tasks.embedding.read import read_text_pairs
from regard.tasks.embedding.task import Embedder
from regard.tasks.embedding.train_options import PairEvaluationOptions
from regard.training.evaluation import Evaluator, Progress, no_progress
from regard.training.examples import Example
from regard.training.resampling import Scored


@dataclass(frozen=True)
class PairEvaluation(Scored):
    """The vectors of pairs, and what they are worth."""

    first: NDArray[np.float32]  # (pairs, d_model), of length one
    second: NDArray[np.float32]
    scores: NDArray[np.float32] | None  # (pairs,)
    ranks: NDArray[np.int64] | None  # of pairs without scores: of each first text's own second

    def __len__(self) -> int:
        """Return number of texts that look for their own, or of pairs with a score."""
        return len(self.first) if self.ranks is None else len(self.ranks)

    @cached_property
    def cosines(self) -> NDArray[np.float64]:
        """(pairs,)"""
        return (self.first.astype(np.float64) * self.second).sum(1)

    @property
    def note(self) -> str:
        """A remark where a figure of 0 stands for one that is not defined."""
        if self.scores is None or all(
            float(np.ptp(scores)) > 0 for scores in (self.cosines, self.scores)
        ):
            return ""
        return "Spearman's correlation is not defined where all scores are equal; 0 stands for it"

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """Return the figures over these texts or pairs, which may repeat."""
        if self.ranks is None:
            assert self.scores is not None
            correlation = spearman(self.cosines[rows], self.scores[rows])
            return {"spearman": correlation, "score": correlation}
        ranks = self.ranks[rows]
        recalls = {f"recall_{k}": float((ranks <= k).mean()) for k in (1, 10)}
        reciprocal = float((1 / ranks).mean())
        return recalls | {"mrr": reciprocal, "score": reciprocal}


def evaluate_pairs(
    embedder: Embedder,
    examples: Sequence[Example],
    *,
    batch_size: int = 64,
    progress: Progress = no_progress,
) -> PairEvaluation:
    """Ranks the second texts of all pairs for each first text, or compares cosines with scores."""
    if not examples:
        raise BadArgumentError("evaluating needs at least one pair; got none.")
    scored = bool(examples[0].targets)
    if odd := next((example for example in examples if bool(example.targets) != scored), None):
        has, lacks = (examples[0], odd) if scored else (odd, examples[0])
        raise BadArgumentError(
            f"all pairs must have a score, or none of them; that of line {has.line:,} has one,"
            f" that of line {lacks.line:,} lacks it. Fill the column, or leave those pairs out."
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


class PairEvaluator(Evaluator[PairEvaluationOptions, Embedder, Sequence[Example], PairEvaluation]):
    """Evaluation of encoders of texts."""

    unit = "texts or pairs"
    doing = "encoding"
    reader = staticmethod(read_text_pairs)

    scorer = staticmethod(evaluate_pairs)

    def size(self, data: Sequence[Example]) -> int:
        return 2 * len(data)

    def compared(self, result: PairEvaluation) -> str:
        return "spearman" if result.ranks is None else "mrr"

    def outputs(self, result: PairEvaluation) -> NDArray[Any]:  # type: ignore[override]
        """Return the rank of each text's own pair; of pairs with a score, cosines in hundredths."""
        if result.ranks is None:
            return (100 * result.cosines).round()
        return result.ranks

    def worst(
        self, result: PairEvaluation, data: Sequence[Example], count: int
    ) -> list[dict[str, Any]]:
        """Return the texts whose own pair was ranked lowest; pairs with a score have no rank."""
        if result.ranks is None:
            return []
        first: dict[str, Example] = {}
        for example in data:
            first.setdefault(example.text, example)
        texts, ranks = list(first.values()), result.ranks
        rows = [int(row) for row in (-ranks).argsort(kind="stable")[:count] if ranks[row] > 1]
        return [
            {"line": texts[row].line, "text": texts[row].text, "pair": texts[row].pair}
            | {"rank": int(ranks[row])}
            for row in rows
        ]


_AT_ONCE = 1024  # texts whose similarities to all candidates are held at a time


def rank_pairs(
    firsts: Sequence[str],
    seconds: Sequence[str],
    first: NDArray[np.float32],
    second: NDArray[np.float32],
) -> NDArray[np.int64]:
    """Return the rank from 1, by cosine, of each different first text's own among all second texts.

    Where a text has several second texts, the best placed one counts. Of equal cosines the right
    one comes last. A second text that equals the first is passed over, unless the two are a pair.

    Args:
        first, second: the texts' vectors, of length one, (pairs, d_model) each.
    """
    places, others = _first_places(firsts), _first_places(seconds)
    queries, candidates = list(places), {text: number for number, text in enumerate(others)}
    right: dict[str, list[int]] = {text: [] for text in queries}
    for one, other in zip(firsts, seconds, strict=True):
        right[one].append(candidates[other])
    rows, vectors = first[list(places.values())], second[list(others.values())]
    ranks = np.empty(len(queries), np.int64)
    for start in range(0, len(queries), _AT_ONCE):
        cosines = rows[start : start + _AT_ONCE] @ vectors.T
        for row, text in enumerate(queries[start : start + _AT_ONCE]):
            best = cosines[row, right[text]].max()
            wrong = np.ones(len(candidates), np.bool_)
            wrong[right[text]] = False
            if text in candidates:
                wrong[candidates[text]] = False
            ranks[start + row] = 1 + (cosines[row, wrong] >= best).sum()
    return ranks


def _first_places(texts: Sequence[str]) -> dict[str, int]:
    """Each different text, with the place of its first vector."""
    places: dict[str, int] = {}
    for place, text in enumerate(texts):
        places.setdefault(text, place)
    return places


def spearman(first: Sequence[float] | NDArray, second: Sequence[float] | NDArray) -> float:
    """Spearman's rank correlation; equal values share their mean rank. 0.0 if one side is constant,
    for which it is not defined."""
    ranks = np.stack([_ranks(np.asarray(values)) for values in (first, second)])
    centered = ranks - ranks.mean(1, keepdims=True)
    scale = np.sqrt((centered**2).sum(1).prod())
    return float((centered[0] * centered[1]).sum() / scale) if scale else 0.0


def _ranks(values: NDArray) -> NDArray[np.float64]:
    """Return ranks from 1, (values,)."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = counts.cumsum()
    return (last - (counts - 1) / 2)[place]
