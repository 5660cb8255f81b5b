"""BLEU and chrF of translations, by sacreBLEU, with the signatures that make them comparable."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.lazy import sacrebleu


@dataclass(frozen=True)
class CorpusScores:
    """Corpus-level scores from 0 to 100 and how they were computed, from `corpus_scores`.

    >>> corpus_scores(["the cat sat on the mat"], ["the cat sat on the mat"]).bleu
    100.0...
    """

    bleu: float
    chrf: float
    bleu_signature: str
    chrf_signature: str


def corpus_scores(hypotheses: Sequence[str], references: Sequence[str]) -> CorpusScores:
    """Cased BLEU with the 13a tokenization (Papineni 2002, Post 2018) and chrF2 (Popović 2015).

    >>> scores = corpus_scores(["the cat sat on the mat"], ["the cat sat on a mat"])
    >>> round(scores.bleu, 1), round(scores.chrf, 1)
    (53.7, 72.1)

    Raises:
        BadArgumentError: the two have different lengths or are empty.
    """
    if len(hypotheses) != len(references) or not references:
        raise BadArgumentError(
            f"scoring needs as many hypotheses as references, at least one;"
            f" got {len(hypotheses)} and {len(references)}."
        )
    bleu, chrf = sacrebleu.metrics.BLEU(), sacrebleu.metrics.CHRF()
    return CorpusScores(
        bleu=bleu.corpus_score(list(hypotheses), [list(references)]).score,
        chrf=chrf.corpus_score(list(hypotheses), [list(references)]).score,
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
    )


class ScoredTexts:
    """BLEU and chrF over any choice of texts, from the counts that sacreBLEU takes of each.

    Args:
        hypotheses, references: as many texts each, at least one.
    """

    def __init__(self, hypotheses: Sequence[str], references: Sequence[str]):
        self._metrics = {"bleu": sacrebleu.metrics.BLEU(), "chrf": sacrebleu.metrics.CHRF()}
        self._counts = {
            name: np.array(metric._extract_corpus_statistics(list(hypotheses), [list(references)]))
            for name, metric in self._metrics.items()
        }

    def __len__(self) -> int:
        return len(self._counts["bleu"])

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """Return the scores of these texts, which may repeat."""
        return {
            name: metric._compute_score_from_stats(self._counts[name][rows].sum(0).tolist()).score
            for name, metric in self._metrics.items()
        }


def chance(lower: Sequence[str], higher: Sequence[str], references: Sequence[str]) -> float:
    """Chance that two systems' BLEU differs as much as it does though neither is better.

    The p-value of the paired bootstrap test over 1,000 samples of the sentences (Koehn 2004,
    Statistical Significance Tests for Machine Translation Evaluation), the same at every call.

    >>> chance(["a b c d"], ["a b c d"], ["a b c e"])
    1.0

    Args:
        lower, higher, references: as many texts each; which system is which does not matter.
    """
    if list(lower) == list(higher):
        return 1.0  # where sacreBLEU has 1/1001
    bleu = sacrebleu.metrics.BLEU()
    systems: list[tuple[str, Sequence[str]]] = [("lower", list(lower)), ("higher", list(higher))]
    test = sacrebleu.significance.PairedTest(
        systems, {"BLEU": bleu}, [list(references)], test_type="bs", n_samples=1000, n_jobs=1
    )
    p_value = test()[1]["BLEU"][1].p_value  # type: ignore[union-attr]
    assert p_value is not None
    return p_value
