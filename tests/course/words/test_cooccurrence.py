"""Word vectors from counted neighbors."""

import builtins
import random

import numpy as np
import pytest

from regard.course.words.cooccurrence import factorize_vectors
from regard.errors import RegardError

pytest.importorskip("scipy")


def texts() -> list[str]:
    draw = random.Random(3)
    fruit = [f"A sweet {draw.choice(['apple', 'pear', 'plum'])} fell off." for _ in range(200)]
    return fruit + [f"My {draw.choice(['cat', 'dog', 'hen'])} sleeps well." for _ in range(200)]


def test_words_among_the_same_words_become_alike():
    vectors = factorize_vectors(texts(), dim=5)
    assert {word for word, _ in vectors.neighbors("pear", 2)} == {"apple", "plum"}
    assert {word for word, _ in vectors.neighbors("hen", 2)} == {"cat", "dog"}


def test_dot_products_give_back_the_information_that_was_counted():
    # Every dimension kept but one: U √S (U √S)ᵀ is the matrix of |information|, which the small
    # text below lets us count by hand: a and b are neighbors 6 times, c and d 3 times, no others.
    vectors = factorize_vectors(["a b"] * 6 + ["c d"] * 3, dim=3, min_count=1)
    assert vectors.words == ["a", "b", "c", "d"]
    contexts = np.array([6, 6, 3, 3]) ** 0.75
    share = contexts / contexts.sum()
    ab, cd = np.log(1 / share[1]), np.log(1 / share[3])
    # Singular values come in pairs, one for each order of two words, so the third is cut in half;
    # the lengths of what is left are in proportion to the information's roots.
    lengths = np.linalg.norm(vectors.vectors, axis=1)
    kept = sorted([ab, cd], reverse=True)
    assert kept[0] == pytest.approx(cd)
    assert lengths[2:] == pytest.approx([lengths[2]] * 2, rel=1e-5)
    assert (lengths[:2] ** 2).sum() / (lengths[2:] ** 2).sum() == pytest.approx(
        ab / (2 * cd), rel=1e-5
    )


def test_the_same_text_gives_the_same_numbers_of_mean_length_four():
    first, again = factorize_vectors(texts(), dim=5), factorize_vectors(texts(), dim=5)
    np.testing.assert_array_equal(first.vectors, again.vectors)
    assert first.vectors.dtype == np.float32
    assert np.linalg.norm(first.vectors, axis=1).mean() == pytest.approx(4, rel=1e-5)


def test_a_wider_window_changes_the_numbers():
    narrow, wide = (factorize_vectors(texts(), dim=5, window=n) for n in (1, 3))
    assert not np.allclose(np.abs(narrow.vectors), np.abs(wide.vectors), atol=0.1)


def test_no_word_is_a_neighbor_of_one_in_another_text():
    apart = factorize_vectors(["a b", "c d", "a b"] * 3, dim=3, min_count=1)
    assert abs(apart.similarity("b", "c")) < 1e-5


def test_rare_words_have_no_vector_and_are_no_neighbors():
    vectors = factorize_vectors([*texts(), "zebra sweet"], dim=5)
    assert "zebra" not in vectors


def test_too_few_words_are_refused():
    with pytest.raises(RegardError, match=r"2 words occur 5 times or more, too few .* of 100"):
        factorize_vectors(["a b"] * 5)
    with pytest.raises(RegardError, match="1 words occur 5 times or more, too few"):
        factorize_vectors(["a"] * 5, dim=1)
    with pytest.raises(RegardError, match="window must be 1 or more; got 0"):
        factorize_vectors(["a b"] * 5, window=0)
    with pytest.raises(RegardError, match="no word occurs 5 times"):
        factorize_vectors(["a b"])


def test_without_scipy_it_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def missing(name, *rest):
        if name.startswith("scipy"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(RegardError, match=r"package scipy .*pip install scipy"):
        factorize_vectors(["a b"] * 5, dim=1)
