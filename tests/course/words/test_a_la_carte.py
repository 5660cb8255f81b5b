"""Vectors of new words from their neighbors in a text."""

import random
from pathlib import Path

import numpy as np
import pytest

from regard.course.words import WordVectors, load_vectors
from regard.course.words.cooccurrence import extend_vectors, factorize_vectors
from regard.course.words.segmentation import split_words
from regard.errors import RegardError

pytest.importorskip("scipy")

DATA = Path(__file__).parents[3].parent / "shared" / "data"


def texts() -> list[str]:
    """Sentences of five words of one of seven subjects, each with eleven words."""
    draw = random.Random(3)
    return [
        " ".join(f"{subject}{draw.randrange(11)}" for _ in range(5))
        for subject in draw.choices("abcdefg", k=2000)
    ]


def without(vectors: WordVectors, held: list[str]) -> WordVectors:
    kept = [word for word in vectors.words if word not in held]
    return WordVectors(kept, vectors.rows(kept))


def cosine(first: np.ndarray, second: np.ndarray) -> float:
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def medians(found: WordVectors, true: WordVectors, held: list[str]) -> tuple[float, float]:
    """Of the cosines of words' new vectors with their true ones, and with those of other words."""
    others = held[1:] + held[:1]
    own = [cosine(found[word], true[word]) for word in held]
    other = [cosine(found[a], true[b]) for a, b in zip(held, others, strict=True)]
    return float(np.median(own)), float(np.median(other))


def test_words_that_are_held_out_get_back_a_vector_near_their_own():
    vectors = factorize_vectors(texts(), dim=7)
    held = [f"{subject}{k}" for k in (2, 5) for subject in "abcdefg"]
    found = extend_vectors(without(vectors, held), texts())
    assert sorted(found.words[-len(held) :]) == sorted(held)
    own, other = medians(found, vectors, held)
    assert own > 0.95
    assert abs(other) < 0.2


@pytest.mark.skipif(not DATA.is_dir(), reason="needs the sentences in ../shared/data")
def test_everyday_words_get_back_a_vector_near_their_own():
    lines = (DATA / "tatoeba_en_de" / "train.tsv").read_text("utf-8").splitlines()[::5]
    sentences = [line.split("\t")[0] for line in lines]
    shipped = load_vectors("words-en")
    present = {word for sentence in sentences for word in split_words(sentence)}
    held = [word for word in shipped.words if word in present][100:4000:40]
    own, other = medians(
        extend_vectors(without(shipped, held), sentences, words=held, min_count=1), shipped, held
    )
    assert own > 0.6
    assert other < 0.25


def test_trained_vectors_stay_bit_for_bit_and_in_their_order():
    trained = load_vectors("words-en")
    text = [f"a zyzzyva {' '.join(trained.words[k : k + 9])}" for k in range(0, 900, 3)]
    found = extend_vectors(trained, text)
    assert found.words == [*trained.words, "zyzzyva"]
    assert found.vectors[:-1].tobytes() == trained.vectors.tobytes()


def test_the_matrix_and_the_vectors_are_those_of_the_equations():
    # In one dimension, A = Σ log(c) u v / Σ log(c) u². Beside a stands b three times, beside b
    # stands a three times and d twice, beside d stands b twice; e is there once, so log(c) is 0.
    trained = WordVectors(["a", "b", "d", "e"], np.array([[1], [2], [5], [9]], np.float32))
    found = extend_vectors(
        trained, ["a b"] * 3 + ["d b"] * 2 + ["e b", "new b a", "new a"], window=1, min_count=2
    )
    u = {"a": (4 * 2) / 4, "b": (4 * 1 + 2 * 5 + 9) / 7, "d": 2}
    counts, v = {"a": 5, "b": 7, "d": 2}, {"a": 1, "b": 2, "d": 5}
    matrix = sum(np.log(counts[w]) * u[w] * v[w] for w in u) / sum(
        np.log(counts[w]) * u[w] ** 2 for w in u
    )
    assert found["new"] == pytest.approx([matrix * (2 + 1) / 2], rel=1e-6)


def test_a_wider_window_takes_in_the_word_after_the_next():
    trained = WordVectors(["a", "b"], np.array([[1], [2]], np.float32))
    text = [*["a b"] * 3, *["new b a"] * 2]
    narrow, wide = (extend_vectors(trained, text, window=n, min_count=2) for n in (1, 2))
    # Whatever the window, a has only b as a neighbor and b only a, so A stays: the mean of "new"
    # goes from b's 2 to that of b and a, 1.5.
    assert wide["new"] == pytest.approx(narrow["new"] * 0.75)


def test_only_the_words_that_are_asked_for_are_added_in_small_letters():
    trained = without(factorize_vectors(texts(), dim=7), ["a1", "b1", "c1"])
    found = extend_vectors(trained, texts(), words=["C1", "a1"])
    assert set(found.words) - set(trained.words) == {"a1", "c1"}
    every = extend_vectors(trained, texts())
    np.testing.assert_allclose(found["a1"], every["a1"], rtol=1e-4)


def test_a_word_beside_no_known_word_is_not_added():
    trained = without(factorize_vectors(texts(), dim=7), ["a1"])
    alone = [*texts(), *["alone"] * 9]
    assert "alone" not in extend_vectors(trained, alone)
    with pytest.raises(
        RegardError, match=r"^'alone' stands beside no word that has a vector: give"
    ):
        extend_vectors(trained, alone, words=["alone"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": ["b1"]}, "'b1' has a vector already: leave it out"),
        ({"words": ["zyzzyva"]}, r"must occur 5 times or more in the text; 'zyzzyva' occurs 0"),
        ({"min_count": 10**5}, "no word occurs 100000 times in this text"),
        ({"window": 0}, "window must be 1 or more; got 0"),
    ],
)
def test_what_cannot_be_added_is_one_sentence(options, message):
    trained = without(factorize_vectors(texts(), dim=7), ["a1"])
    with pytest.raises(RegardError, match=message):
        extend_vectors(trained, texts(), **options)


def test_no_new_word_and_too_few_known_ones_are_one_sentence():
    trained = factorize_vectors(texts(), dim=7)
    with pytest.raises(
        RegardError, match="every word that occurs 5 times or more in this text has"
    ):
        extend_vectors(trained, texts())
    with pytest.raises(
        RegardError, match=r"need a text in which 7 words or more .* got 2 such words"
    ):
        extend_vectors(trained, ["a1 b1 new"] * 5)
    with pytest.raises(RegardError, match="got none with a word in it"):
        extend_vectors(trained, [])
