"""Courses: the ladder from recurrence to attention, word vectors, and numbers on paper."""

from typing import TYPE_CHECKING

from regard.lazy import modules

if TYPE_CHECKING:
    from regard.course import explanation, ladder, words
else:
    explanation, ladder, words = modules(__name__, "explanation", "ladder", "words")
