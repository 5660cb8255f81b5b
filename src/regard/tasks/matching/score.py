"""Images with their texts, and scores of models that compare them: recall, reciprocal rank."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.data import Column, Role
from regard.errors import BadArgumentError
from regard.tasks.embedding.score import rank_pairs
from regard.tasks.images.read import IMAGE, upright_size
from regard.tasks.matching.task import Matcher, Vectors
from regard.tasks.matching.train_options import MatchingEvaluationOptions
from regard.training.evaluation import Evaluator, Progress, no_progress
from regard.training.examples import Example
from regard.training.file_tables import read_file_table
from regard.training.resampling import Scored

TINY = 1e-12  # length of a vector that has no direction


def read_captions(path: str, *, image: Column | None = None, **reading: Any) -> Iterator[Example]:
    """Return the image files of a table with their texts, a row at a time."""
    file = Role("image", IMAGE, image, text=True)
    return read_file_table(path, file, upright_size, **reading)


@dataclass(frozen=True, eq=False)
class MatchEvaluation(Scored):
    """The ranks at which images find their texts, and texts their images."""

    images: Vectors  # (pairs, width)
    texts: Vectors
    # (pairs, 2) from 1, by cosine among all of the file: the best rank of a text of the pair's
    # image, and of an image of its text
    ranks: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ranks)

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """Return the figures over these pairs, which may repeat."""
        ranks = self.ranks[rows]
        recalls = {
            f"{noun}_recall_{k}": float((ranks[:, side] <= k).mean())
            for side, noun in enumerate(("text", "image"))
            for k in (1, 5)
        }
        return recalls | {"mrr": float((1 / ranks).mean())}

    def worst(self, count: int) -> list[int]:
        """Return the pairs whose image has its texts lowest, of those that are not first."""
        order = np.argsort(-self.ranks[:, 0], kind="stable")[:count]
        return [int(row) for row in order if self.ranks[row, 0] > 1]


def evaluate_matches(
    matcher: Matcher,
    examples: Sequence[Example],
    *,
    batch_size: int = 32,
    progress: Progress = no_progress,
) -> MatchEvaluation:
    """Ranks all texts for each image, and all images for each text."""
    if not examples:
        raise BadArgumentError("evaluating needs at least one image; got none.")
    files = [example.text for example in examples]
    said = [example.pair or "" for example in examples]
    images = matcher.images(files, batch_size=batch_size, progress=progress)
    texts = matcher.texts(said, batch_size=batch_size)
    one, other = (
        x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), TINY) for x in (images, texts)
    )
    ranks = np.stack([_ranks(files, said, one, other), _ranks(said, files, other, one)], 1)
    return MatchEvaluation(images, texts, ranks)


def _ranks(
    firsts: Sequence[str], seconds: Sequence[str], first: Vectors, second: Vectors
) -> NDArray[np.int64]:
    """Return the rank of each pair's first one, (pairs,)."""
    places = {name: place for place, name in enumerate(dict.fromkeys(firsts))}
    return rank_pairs(firsts, seconds, first, second)[[places[name] for name in firsts]]


class MatchEvaluator(
    Evaluator[MatchingEvaluationOptions, Matcher, Sequence[Example], MatchEvaluation]
):
    """Evaluation of models of images and texts."""

    unit = "pairs"
    doing = "encoding"
    reader = staticmethod(read_captions)
    scorer = staticmethod(evaluate_matches)

    def compared(self, result: MatchEvaluation) -> str:
        return "mrr"

    def outputs(self, result: MatchEvaluation) -> NDArray[Any]:  # type: ignore[override]
        return result.ranks[:, 0]

    def example(self, result: MatchEvaluation, row: int, data: Sequence[Example]) -> dict[str, Any]:
        pair, rank = data[row], int(result.ranks[row, 0])
        return {"line": pair.line, "image": Path(pair.text).name, "text": pair.pair, "rank": rank}
