"""ROUGE is rouge-score's, also of several references; other scripts have words too."""

import numpy as np
import pytest

from regard import RegardError
from regard.tasks.summarization.score import NAMES, RougeScores, rouge
from regard.training.resampling import intervals

rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")

SUMMARIES = ["the cat sat on a mat", "dogs were running fast", "something else"]
REFERENCES = [
    ["the cat is on the mat", "a mat has a cat"],
    ["the dog runs fast", "fast dogs run", "a running dog"],
    ["nothing of the kind"],
]


def test_the_figures_are_rouge_scores_own() -> None:
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    expected = {
        kind: np.mean(
            [
                max(scorer.score(reference, summary)[kind].fmeasure for reference in own)
                for summary, own in zip(SUMMARIES, REFERENCES, strict=True)
            ]
        )
        for kind in ("rouge1", "rouge2", "rougeL")
    }
    ours = rouge(SUMMARIES, REFERENCES)
    assert ours.figures == pytest.approx({kind: 100 * value for kind, value in expected.items()})
    assert "Porter's stemmer" in ours.signature


def test_by_hand() -> None:
    # Four words of five and of four match, no two of them in a row; two stand in the same order.
    ours = rouge(["a b c d x"], [["b a d c"]]).figures
    assert ours["rouge1"] == pytest.approx(100 * 8 / 9)
    assert ours["rouge2"] == 0
    assert ours["rougeL"] == pytest.approx(100 * 2 * (2 / 5) * (2 / 4) / (2 / 5 + 2 / 4))


def test_words_of_other_scripts_count() -> None:
    ours = rouge(["बिल्ली घर में है।"], [["बिल्ली घर पर है"]])
    assert ours.figures["rouge1"] == pytest.approx(75)
    assert "any script" in ours.signature
    assert rouge(["Über Größe"], [["über größe"]]).figures["rouge2"] == 100


def test_the_interval_is_that_of_rouge_scores_bootstrap() -> None:
    scoring = pytest.importorskip("rouge_score.scoring")
    each = 100 * np.random.default_rng(5).random((80, 3))
    np.random.seed(1)  # noqa: NPY002, rouge-score draws from the global generator
    spans = intervals(RougeScores(each, ""))
    for column, name in enumerate(NAMES):
        theirs = scoring.BootstrapAggregator(n_samples=4000)
        for value in each[:, column]:
            theirs.add_scores({"x": scoring.Score(value, value, value)})
        expected = theirs.aggregate()["x"]
        assert spans[name][0] == pytest.approx(expected.low.fmeasure, abs=0.8)
        assert spans[name][1] == pytest.approx(expected.high.fmeasure, abs=0.8)
        assert 10 < spans[name][1] - spans[name][0] < 16  # four deviations of 29 / √80


def test_the_table_has_a_row_for_each_summary() -> None:
    table = rouge(SUMMARIES, REFERENCES)
    assert table.each.shape == (len(table), 3) == (3, 3)
    alone = rouge(SUMMARIES[1:2], REFERENCES[1:2]).figures
    assert table.figures_of(np.array([1, 1])) == pytest.approx(alone)


def test_the_interval_is_the_same_at_every_call() -> None:
    one, other = rouge(SUMMARIES, REFERENCES), rouge(SUMMARIES, REFERENCES)
    assert one.ends == other.ends
    low, high = one.ends
    assert low["rouge1"] < one.figures["rouge1"] < high["rouge1"]


@pytest.mark.parametrize(("summaries", "references"), [([], []), (["a"], [["a"], ["b"]])])
def test_a_reference_for_each_summary_is_required(
    summaries: list[str], references: list[list[str]]
) -> None:
    with pytest.raises(RegardError, match="as many summaries as lists of references"):
        rouge(summaries, references)
