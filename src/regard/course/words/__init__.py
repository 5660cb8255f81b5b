"""Words as vectors: read, learned by counting or prediction, and compared with words in context."""

from typing import TYPE_CHECKING

from regard.course.words.vectors import WordVectors, load_vectors
from regard.lazy import modules

if TYPE_CHECKING:
    from regard.course.words import bags, cooccurrence, meaning, states
else:
    bags, cooccurrence, meaning, states = modules(
        __name__, "bags", "cooccurrence", "meaning", "states"
    )

__all__ = ["WordVectors", "load_vectors"]
