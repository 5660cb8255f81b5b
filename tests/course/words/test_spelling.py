"""Words in place of unknown ones: by spelling, numbers for numbers, none where nothing is alike."""

import numpy as np
import pytest

from regard.course.words import WordVectors
from regard.course.words.vectors import nearest_spelled

WORDS = WordVectors(["the", "meat", "bank", "24", "river"], np.eye(5, dtype=np.float32))


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("mat", "meat"),
        ("bnak", "bank"),
        ("Bnak", None),  # a name has the spelling of no other word
        ("2024", "24"),
        ("rivers", "river"),
        ("日本", None),
        ("x", None),
    ],
)
def test_the_nearest_by_spelling(word, known):
    assert nearest_spelled(word, WORDS) == known


def test_a_word_never_stands_in_for_a_number():
    only = WordVectors(["b24", "river"], np.eye(2, dtype=np.float32))
    assert nearest_spelled("24", only) is None
