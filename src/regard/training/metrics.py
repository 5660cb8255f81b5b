"""BLEU and chrF of translations, by sacreBLEU, with the signatures that make them comparable."""

from collections.abc import Sequence
from dataclasses import dataclass

from regard.errors import RegardError


@dataclass(frozen=True)
class CorpusScores:
    """Corpus-level scores from 0 to 100 and how they were computed."""

    bleu: float
    chrf: float
    bleu_signature: str
    chrf_signature: str


def corpus_scores(hypotheses: Sequence[str], references: Sequence[str]) -> CorpusScores:
    """Cased BLEU with the 13a tokenisation (Papineni 2002, Post 2018) and chrF2 (Popović 2015).

    Raises:
        RegardError: the two have different lengths or are empty.
    """
    if len(hypotheses) != len(references) or not references:
        raise RegardError(
            f"scoring needs as many hypotheses as references, at least one;"
            f" got {len(hypotheses)} and {len(references)}."
        )
    from sacrebleu.metrics import BLEU, CHRF

    bleu, chrf = BLEU(), CHRF()
    return CorpusScores(
        bleu=bleu.corpus_score(list(hypotheses), [list(references)]).score,
        chrf=chrf.corpus_score(list(hypotheses), [list(references)]).score,
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
    )
