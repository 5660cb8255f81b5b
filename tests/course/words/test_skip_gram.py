"""Word vectors trained on a text: alike where words stand among the same words."""

import builtins
import logging
import random

import numpy as np
import pytest

from regard.course.words.cooccurrence import train_vectors
from regard.errors import RegardError

gensim = pytest.importorskip("gensim")

FRUIT, ANIMALS = ["apple", "pear", "plum"], ["cat", "dog", "hen"]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    draw = random.Random(7)
    eaten = [f"A sweet {draw.choice(FRUIT)} fell from the tree." for _ in range(600)]
    kept = [f"My {draw.choice(ANIMALS)} sleeps near our warm stove." for _ in range(600)]
    return eaten + kept


def train(texts, **options):
    return train_vectors(texts, **{"dim": 11, "epochs": 5, "subsample": 0.01, **options})


def test_words_among_the_same_words_become_alike(texts):
    vectors = train(texts)
    for group in (FRUIT, ANIMALS):
        for word in group:
            others = {each for each in group if each != word}
            assert {near for near, _ in vectors.neighbors(word, 2)} == others


def test_frequent_words_come_first_and_rare_ones_not_at_all(texts):
    vectors = train([*texts, *["the the the"] * 100, "zebra zebra"], min_count=3)
    assert vectors.words[0] == "the"
    assert "zebra" not in vectors
    assert vectors.vectors.shape == (len(vectors.words), 11)
    assert vectors.vectors.dtype == np.float32
    assert "zebra" in train([*texts, "zebra zebra"], min_count=2)


def test_a_seed_gives_the_same_numbers(texts):
    first, again, other = train(texts), train(texts), train(texts, seed=2)
    assert first.words == again.words
    np.testing.assert_array_equal(first.vectors, again.vectors)
    assert not np.array_equal(first.vectors, other.vectors)


@pytest.mark.parametrize(
    "change",
    [{"window": 1}, {"epochs": 6}, {"negatives": 7}, {"subsample": 0.1}, {"learning_rate": 0.1}],
    ids=lambda change: next(iter(change)),
)
def test_every_argument_changes_the_numbers(texts, change):
    first, other = train(texts), train(texts, **change)
    assert not np.array_equal(first["pear"], other["pear"])


def test_progress_is_told_to_the_end(texts):
    result = []
    train(texts, epochs=2, progress=lambda done, total: result.append((done, total)))
    assert result[-1] == (3600, 3600)
    assert result == sorted(result)


def test_emoji_and_other_scripts_are_words():
    vectors = train_vectors(["मुझे 🙂 पानी चाहिए", "water 🙂 вода"] * 5, dim=3, epochs=1)
    assert sorted(vectors.words) == sorted(["मुझे", "🙂", "पानी", "चाहिए", "water", "вода"])


def test_nothing_is_said_about_a_small_text(capfd):
    train_vectors(["a b"] * 5, dim=3, epochs=1)
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("gensim").level == logging.ERROR


def test_text_without_words_is_refused():
    with pytest.raises(RegardError, match="needs text; got none with a word in it"):
        train_vectors(["", "…", "!?"])


def test_text_in_which_every_word_is_rare_is_refused():
    with pytest.raises(RegardError, match=r"no word occurs 5 times .*'b', the most frequent, 2"):
        train_vectors(["a b", "b c"])


@pytest.mark.parametrize("name", ["dim", "window", "epochs"])
def test_sizes_must_be_positive(name):
    with pytest.raises(RegardError, match=f"{name} must be 1 or more; got 0"):
        train_vectors(["a"], **{name: 0})


def test_without_gensim_it_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def missing(name, *rest):
        if name.startswith("gensim"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(RegardError, match=r"package gensim .*pip install gensim"):
        train_vectors(["a a"], min_count=2)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": -1},
        {"seed": 2**63 - 1},
        {"subsample": float("inf")},
        {"subsample": float("nan")},
        {"learning_rate": -1.0},
        {"dim": 2**62},
    ],
)
def test_a_number_out_of_range_is_refused(change):
    with pytest.raises(RegardError, match=f"{next(iter(change))} must be"):
        train_vectors(["a b a b"], min_count=1, **change)
