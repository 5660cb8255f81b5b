"""Probabilities of words beside the references."""

from dataclasses import replace

import numpy as np
import pytest

from regard.engine.calibration import UNCALIBRATED
from regard.tasks.translation.certainty import Judged, mark_figures, of_language
from regard.tasks.translation.result import Translation, WrittenWord


def written(text: str, *probabilities: float, score: float = -1.0) -> Translation:
    words = [
        WrittenWord(word, probability, unsure=False)
        for word, probability in zip(text.split(), probabilities, strict=True)
    ]
    return Translation(text, score, finished=True, words=words)


def test_a_word_is_right_as_often_as_the_reference_has_it() -> None:
    result = written("Die Katze – die, die schläft!", 0.9, 0.8, 0.5, 0.7, 0.6, 0.2)
    judged = Judged.of([result], ["die Katze schlief, die Dumme."])
    assert judged.probability.tolist() == [0.9, 0.8, 0.7, 0.6, 0.2]  # the dash is no word
    assert judged.wrong.tolist() == [False, False, False, True, True]


def test_vowel_signs_are_part_of_a_word() -> None:
    judged = Judged.of([written("किताबें हैं।", 0.5, 0.5)], ["किताब हैं"])
    assert judged.wrong.tolist() == [True, False]


def test_counts_and_figures_are_those_counted_by_hand() -> None:
    results = [written("a b", 0.1, 0.9), written("c d e", 0.2, 0.3, 0.1)]
    judged = Judged.of(results, ["b", "c"])
    counts = judged.counts(0.25)
    assert counts.tolist() == [[2, 1, 1, 1], [3, 2, 2, 1]]
    assert mark_figures(counts) == {"wrong": 3 / 5, "mark_precision": 2 / 3, "mark_recall": 2 / 3}
    assert np.isnan(mark_figures(judged.counts(0.0))["mark_precision"])


def test_joined_parts_are_judged_as_one() -> None:
    results, references = [written("a b", 0.1, 0.9), written("c d e", 0.2, 0.3, 0.1)], ["b", "c"]
    whole = Judged.of(results, references)
    parts = [Judged.of([each], [its]) for each, its in zip(results, references, strict=True)]
    joined = Judged.joined(parts)
    for name in vars(whole):
        assert getattr(joined, name).tolist() == getattr(whole, name).tolist()


def some(wrong_below: float) -> Judged:
    probabilities = (np.arange(200) + 0.5) / 200
    wrong = probabilities < wrong_below
    return Judged(np.zeros(200, np.int64), probabilities, wrong, np.zeros(1), np.zeros(1))


def test_the_threshold_has_the_precision_and_is_the_largest() -> None:
    judged = some(0.3)
    bound = judged.threshold()
    assert bound == pytest.approx(0.4, abs=0.006)
    assert mark_figures(judged.counts(bound))["mark_precision"] >= 0.75
    assert mark_figures(judged.counts(bound + 0.01))["mark_precision"] < 0.75
    assert some(1.0).threshold() == 0.5  # more than half of a probability is never marked
    assert some(0.0).threshold() == 0.0


def test_the_table_has_ten_rows_and_every_word() -> None:
    rows = some(0.3).table()[2:]
    assert len(rows) == 10
    assert [int(row.split("|")[2]) for row in rows] == [20] * 10
    assert rows[0].split("|")[4].strip() == "0.0%"
    assert rows[-1].split("|")[4].strip() == "100.0%"


def test_the_bound_of_a_language_lets_its_own_texts_pass() -> None:
    random = np.random.default_rng(1)
    ranks = (2 ** random.uniform(0, 12, (4000, 8))).astype(int)
    texts = [" ".join(f"w{'x' * (rank % 7)}{chr(97 + rank % 26)}" for rank in row) for row in ranks]
    language = of_language(texts)
    assert sum(map(language.doubts, texts)) <= 0.01 * len(texts)
    assert replace(language, rarest=5.0).doubts("ein Hund ist so wie er ist")
    assert of_language(texts[:50]) == UNCALIBRATED
