"""One word's occurrences, found in text, and what their vectors say."""

from pathlib import Path

import numpy as np
import pytest

from regard.course.words.meaning import AROUND, find_occurrences, meanings
from regard.course.words.states import Occurrence, WordReader
from regard.errors import RegardError

pytest.importorskip("sklearn")

SENSES = Path(__file__).with_name("senses.tsv")
TEXTS = ["An apple a day.", "Apple’s phone, an APPLE!", "no fruit", "pineapple 🙂 apple सेब"]


def test_every_place_of_the_word_is_found():
    found = find_occurrences("Apple", TEXTS)
    assert [each.word for each in found] == ["apple", "APPLE", "apple"]
    assert [each.text for each in found] == [TEXTS[0], TEXTS[1], TEXTS[3]]
    assert [each.sense for each in found] == [None] * 3


def test_senses_go_with_their_texts():
    found = find_occurrences("apple", TEXTS, ["fruit", "phone", None, "fruit"])
    assert [each.sense for each in found] == ["fruit", "phone", "fruit"]


def test_sixty_words_on_either_side_are_kept():
    text = "a " * 100 + "bank" + " z" * 100
    near = "a " * 30 + "bank" + " z" * 30 + "."
    first, *_, last = find_occurrences("bank", [text, text, near])
    assert first.text == "a " * AROUND + "bank" + " z" * AROUND
    assert first.word == "bank"
    assert last.text == near


def test_an_emoji_is_a_word():
    assert len(find_occurrences("🙂", ["🙂 🙂", "good🙂"])) == 3


@pytest.mark.parametrize(
    ("word", "texts", "message"),
    [
        ("aple", TEXTS, r"'aple' does not occur in this text\. Did you mean 'apple'\?"),
        ("zzz", TEXTS, r"'zzz' does not occur in this text\.$"),
        ("zzz", ["", "…"], "the text has no words; give one in which the word occurs"),
        ("day", TEXTS, "'day' occurs 1 times in this text; three or more are needed"),
        ("two words", TEXTS, "one word was expected; got 'two words'"),
        ("", TEXTS, "one word was expected; got ''"),
    ],
)
def test_what_cannot_be_compared_is_refused(word, texts, message):
    with pytest.raises(RegardError, match=message):
        find_occurrences(word, texts)


def states():
    """Twelve fruit about one axis, five phones about another."""
    draw = np.random.default_rng(0)
    rows = np.repeat(np.eye(5)[:2], [12, 5], axis=0)
    return (rows + 0.1 * draw.normal(size=rows.shape)).astype(np.float32)


def test_labeled_occurrences_are_scored_layer_by_layer():
    senses = ["fruit"] * 12 + ["phone"] * 5
    occurrences = find_occurrences("apple", ["apple"] * 17, senses)
    same = np.ones((17, 3), np.float32)
    static, context = meanings(occurrences, {"static": same, "layer 1": states()})
    assert (static.count, static.silhouette) == (1, None)
    assert static.scores.most_frequent == static.scores.centroid == static.scores.purity == 12 / 17
    assert context.count == 2
    assert context.scores.centroid == context.scores.purity == 1
    assert context.layer == "layer 1"


def test_the_average_of_unequal_senses_lies_with_the_frequent_one():
    occurrences = find_occurrences("apple", ["apple"] * 17)
    [found] = meanings(occurrences, {"layer": states()})
    assert found.scores is None
    np.testing.assert_allclose(found.average, states().mean(0))
    assert found.average[0] > 2 * found.average[1]  # [0.7, 0.3]: no meaning of the word at all


def test_a_static_vector_is_taken_where_there_is_one():
    occurrences = find_occurrences("apple", ["apple"] * 17)
    own = np.arange(5, dtype=np.float32)
    [found] = meanings(occurrences, {"layer": states()}, own)
    assert found.average is own


def test_examples_are_those_in_the_middle_of_a_cluster():
    rows = states()
    rows[14] = rows[12:].mean(0)
    [found] = meanings(find_occurrences("apple", ["apple"] * 17), {"layer": rows})
    assert found.examples(1)[0] == 14
    assert set(found.examples(0)) <= set(range(12))


def test_the_shipped_encoder_separates_senses_and_the_translator_does_not_show_it():
    """Ten sentences of each word, lower case, five of each sense, written for this test."""
    rows = [line.split("\t") for line in SENSES.read_text("utf-8").splitlines()]
    right, scores = [], {}
    for word in dict.fromkeys(row[0] for row in rows):
        texts, senses = zip(*((row[1], row[2]) for row in rows if row[0] == word), strict=True)
        found = find_occurrences(word, texts, senses)
        for model in ("minilm", "en-de"):
            layers = WordReader.load(model, name=model).states(found)
            scores[model, word] = meanings(found, layers)[-1].scores
        right.append(scores["minilm", word].centroid)
    assert np.mean(right) >= 0.85
    assert all(scores["minilm", word].chance < 0.05 for word in ("apple", "bank", "bat", "spring"))
    assert scores["en-de", "apple"].chance > 0.05


def test_chance_is_that_of_coins():
    """Ten right of ten, and nine of ten, where either sense is as frequent."""
    found = [Occurrence("bank", 0, 4, sense) for sense in ["money"] * 5 + ["river"] * 5]
    states = np.array([[1.0, 0.0]] * 5 + [[0.0, 1.0]] * 5, np.float32)
    [result] = meanings(found, {"layer 1": states})
    assert result.scores.chance == pytest.approx(1 / 1024)
    [result] = meanings(found, {"layer 1": states[[5, *range(1, 10)]]})
    assert result.scores.centroid == 0.9
    assert result.scores.chance == pytest.approx(11 / 1024)
