"""Explanation of attention, one step at a time: from tokens to a layer's output."""

from typing import TYPE_CHECKING

from regard.course.explanation.geometry import geometry
from regard.course.explanation.inputs import LONGEST
from regard.course.explanation.model import attention_taps, explain_tap, running
from regard.course.explanation.vectors import explain_vectors, principal, random_projections
from regard.lazy import modules

if TYPE_CHECKING:
    from regard.course.explanation import pages, sentence, terminal, workbook
else:
    pages, sentence, terminal, workbook = modules(
        __name__, "pages", "sentence", "terminal", "workbook"
    )

__all__ = [
    "LONGEST",
    "attention_taps",
    "explain_tap",
    "explain_vectors",
    "geometry",
    "principal",
    "random_projections",
    "running",
]
