import numpy as np
import pytest

from regard import RegardError
from regard.training import chance, corpus_scores
from regard.training.metrics import ScoredTexts


def test_a_value_computed_by_hand() -> None:
    # 4 of 5 words, 3 of 4 pairs, 2 of 3 triples and 1 of 2 quadruples are right.
    scores = corpus_scores(["ein Hund läuft am Strand"], ["ein Hund läuft am See"])
    assert scores.bleu == pytest.approx(100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)
    assert "case:mixed" in scores.bleu_signature
    assert "tok:13a" in scores.bleu_signature
    assert 0 < scores.chrf < 100


def test_case_counts() -> None:
    assert corpus_scores(["ein hund am see"], ["Ein Hund am See"]).bleu < 50


@pytest.mark.parametrize(("hypotheses", "references"), [([], []), (["a"], ["a", "b"])])
def test_what_cannot_be_compared_is_refused(hypotheses: list[str], references: list[str]) -> None:
    expected = f"got {len(hypotheses)} and {len(references)}"
    with pytest.raises(RegardError, match=expected):
        corpus_scores(hypotheses, references)


def test_a_difference_on_every_sentence_is_hardly_chance_and_one_on_a_few_may_be() -> None:
    references = [f"the dog number {k} runs along the beach" for k in range(60)]
    worse = [text.replace("runs along", "walks by") for text in references]
    other = [worse[0].replace("by", "in"), references[1], *worse[2:]]
    assert chance(worse, references, references) == pytest.approx(1 / 1001)  # in none of 1,000
    assert chance(references, worse, references) == pytest.approx(1 / 1001)
    assert chance(worse, other, references) > 0.05
    assert chance(worse, other, references) == chance(worse, other, references)
    assert chance(worse, worse, references) == 1.0


def test_scores_of_chosen_texts_are_sacrebleus() -> None:
    hypotheses = ["the cat sat on the mat", "a dog barks", "there is a house on the hill"]
    references = ["the cat is on the mat", "a dog barks loudly", "there was a house on the hill"]
    scored = ScoredTexts(hypotheses, references)
    for rows in ([0, 1, 2], [2, 2, 0]):
        expected = corpus_scores([hypotheses[k] for k in rows], [references[k] for k in rows])
        found = scored.figures_of(np.array(rows))
        assert found["bleu"] == pytest.approx(expected.bleu)
        assert found["chrf"] == pytest.approx(expected.chrf)
