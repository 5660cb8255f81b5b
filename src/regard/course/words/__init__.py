"""Words as vectors: read, learned by counting or prediction, and compared with words in context."""

from regard.course.words.vectors import WordVectors, load_vectors

__all__ = ["WordVectors", "load_vectors"]
