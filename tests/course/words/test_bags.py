"""Words as counts: every number by hand."""

import builtins
from math import log, sqrt

import numpy as np
import pytest

from regard.course.words.bags import represent
from regard.errors import RegardError

pytest.importorskip("sklearn")

TEXTS = ["The cat saw the dog.", "…", "The dog slept 🙂"]


def test_one_hot_is_a_row_for_each_word_as_it_is_read():
    bags = represent(["A dog, a cat"], "one-hot")
    assert bags.names == ["a", "dog", "a", "cat"]
    assert bags.words == ["a", "cat", "dog"]
    assert bags.values.toarray().tolist() == [[1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]]


def test_a_bag_is_the_sum_of_its_words_one_hot_vectors():
    bags = represent(TEXTS, "bag")
    assert bags.names == [TEXTS[0], TEXTS[2]]  # the one without words has no row
    assert bags.words == ["cat", "dog", "saw", "slept", "the", "🙂"]
    assert bags.values.toarray().tolist() == [[1, 1, 1, 0, 2, 0], [0, 1, 0, 1, 1, 1]]


def test_tfidf_weighs_rare_words_more():
    bags = represent(TEXTS, "tfidf")
    rare = log(3 / 2) + 1
    first = np.array([rare, 1, rare, 0, 2, 0])
    second = np.array([0, 1, 0, rare, 1, rare])
    expected = [first / sqrt((first**2).sum()), second / sqrt((second**2).sum())]
    np.testing.assert_allclose(bags.values.toarray(), expected)


def test_a_text_that_comes_twice_has_two_rows():
    assert represent(["a b", "a b"], "bag").values.toarray().tolist() == [[1, 1], [1, 1]]


def test_an_unknown_way_lists_the_known_ones():
    with pytest.raises(RegardError, match="represented as one-hot, bag, tfidf; got 'count'"):
        represent(TEXTS, "count")


def test_text_without_words_is_refused():
    with pytest.raises(RegardError, match="needs text; got none with a word in it"):
        represent(["", "?!"], "bag")


def test_without_scikit_learn_it_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def missing(name, *rest):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(RegardError, match=r"package scikit-learn .*pip install scikit-learn"):
        represent(TEXTS, "bag")
