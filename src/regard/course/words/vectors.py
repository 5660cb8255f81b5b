"""Static word vectors: one vector for each word, whatever the sentence around it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints import shipped
from regard.course.words import vector_files
from regard.errors import BadArgumentError, NotFoundError, UnsupportedError, did_you_mean
from regard.tasks import catalog

_CLOSE = 0.65  # of difflib's ratio: 1 for the same letters in order, 0 for no common letter
# Endings of English forms, and what the known word may have instead.
_ENDINGS = {
    "'s": ("",),
    "ies": ("y",),
    "es": ("e", ""),
    "s": ("",),
    "ied": ("y",),
    "ed": ("e", ""),
    "ing": ("e", ""),
    "ly": ("",),
}
_SEARCHED = 50_000  # words among which a misspelled one is looked for; the frequent come first


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and their vectors, the frequent words first where the source has that order.

    A word is looked up as it is written and, where that is not there, in small letters.

    >>> vectors = numpy.array([[1.0, 0.0], [0.8, 0.6]], dtype="float32")
    >>> words = WordVectors(["king", "queen"], vectors)
    >>> words["king"]
    array([1., 0.], dtype=float32)
    >>> round(words.similarity("king", "queen"), 2)
    0.8
    """

    words: list[str]
    vectors: NDArray[np.float32]  # (words, dim)

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or len(self.words) != len(self.vectors) or not self.words:
            raise BadArgumentError(
                "word vectors must be one row for each of one or more words;"
                f" got {len(self.words)} words and an array of {self.vectors.shape}."
            )

    @property
    def dim(self) -> int:
        """Numbers in a vector."""
        return int(self.vectors.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._find(word) is not None

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        """Return the word's vector, (dim,). Raises NotFoundError, naming the nearest spelled, for
        no word of these."""
        return self.vectors[self.row(word)]

    def row(self, word: str) -> int:
        """Index of the word's row in `vectors`; the same error."""
        row = self._find(word)
        if row is None:
            raise NotFoundError(self._unknown(word))
        return row

    def rows(self, words: Iterable[str]) -> NDArray[np.float32]:
        """Return the vectors of several words, (words, dim)."""
        return self.vectors[[self.row(word) for word in words]]

    def similarity(self, first: str, second: str) -> float:
        """Return the cosine of the angle between two words' vectors, from -1 to 1; 0 for a zero
        vector."""
        a, b = self[first], self[second]
        return float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), _TINY))

    def neighbors(self, word: str | NDArray[np.floating], k: int = 10) -> list[tuple[str, float]]:
        """Return the `k` words that lie closest, with their cosines, the closest first.

        Args:
            word: one of the words, which is not among its own neighbors, or a vector (dim,).

        Raises:
            NotFoundError: an unknown word.
            BadArgumentError: a vector of another length.
        """
        vector = self[word] if isinstance(word, str) else np.asarray(word, np.float32)
        if vector.shape != (self.dim,):
            raise BadArgumentError(f"a vector must be ({self.dim},); got {vector.shape}.")
        cosines = self.vectors @ vector
        cosines /= np.maximum(self._norms * np.linalg.norm(vector), _TINY)
        if isinstance(word, str):
            cosines[self.row(word)] = -np.inf
        count = min(k, len(self) - isinstance(word, str))
        nearest = np.argsort(-cosines, kind="stable")[: max(count, 0)]
        return [(self.words[row], float(cosines[row])) for row in nearest]

    def save(self, path: str | os.PathLike[str], *, half: bool = False) -> None:
        """Write what `load_vectors` reads: word2vec's text (.txt, .vec) or binary (.bin), each
        also with .gz, or else a folder with vectors.safetensors and words.txt.

        Args:
            half: numbers of 16 bits, in a folder.
        """
        vector_files.write(Path(path), self.words, self.vectors, half=half)

    @cached_property
    def _rows(self) -> dict[str, int]:
        # Backwards, so that the first of equal words stays.
        return {self.words[row]: row for row in range(len(self.words) - 1, -1, -1)}

    @cached_property
    def _norms(self) -> NDArray[np.float32]:
        # Row by row over a block, so that no second array of this size is made.
        return np.sqrt(np.einsum("ij,ij->i", self.vectors, self.vectors))

    def _find(self, word: str) -> int | None:
        row = self._rows.get(word)
        return self._rows.get(word.lower()) if row is None else row

    def _unknown(self, word: str) -> str:
        if not word.strip():
            return "a word was expected; got an empty one."
        alike = [near for near in islice(self.words, _SEARCHED) if abs(len(near) - len(word)) < 3]
        advice = did_you_mean(word.lower(), alike) or " No word there is spelled like it."
        return f"{word!r} is not among the {len(self):,} words that have vectors.{advice}"


_TINY = 1e-30  # below the product of any two lengths of use


def load_vectors(path: str | os.PathLike[str], *, limit: int | None = None) -> WordVectors:
    """Return the word vectors in a file or folder, or those that come with regard ("words-en").

    Read are GloVe's text, word2vec's text and binary (fastText's .vec is the former), each also
    gzipped, and the folders that `WordVectors.save` writes. What a file is, its content tells.

    >>> words = load_vectors("words-en")
    >>> words["river"].shape
    (40,)

    Args:
        limit: read only so many words, which in files sorted by frequency are the most frequent.

    Raises:
        NotFoundError: nothing there.
        DamagedFileError: a line that is not a word with numbers, by its number.
        UnsupportedError: a model folder.
    """
    if limit is not None and limit < 1:
        raise BadArgumentError(f"limit must be 1 or more; got {limit}.")
    return WordVectors(*vector_files.read(_find(path), limit))


def _find(path: str | os.PathLike[str]) -> Path:
    model, path = shipped.find(path), Path(path)
    if model is not None:
        if model.name not in shipped.names(vectors=True):
            needed = catalog.KINDS["word-vectors"].needed
            raise UnsupportedError(catalog.wrong_kind(path, model.what, model.kind, needed))
        return model.folder
    names = ", ".join(shipped.names(vectors=True))
    if not path.exists():
        raise NotFoundError(
            f"word vectors are {names}, or a file or folder of them; there is no {str(path)!r}."
        )
    if any((path / name).is_file() for name in ("config.json", "model/config.json")):
        raise UnsupportedError(
            f"{path} is a model folder, and `regard info {path}` says what it is for; give {names},"
            " or a file or folder of word vectors."
        )
    return path


def stem(word: str, words: WordVectors) -> str | None:
    """Return the known word that this English one is a form of, such as its singular; None for
    another word."""
    for ending, others in _ENDINGS.items():
        bare = word.removesuffix(ending)
        if bare != word and len(bare) > 2:
            forms = [bare + other for other in others]
            forms += [bare[:-1]] if bare[-1] == bare[-2] and "e" in others else []
            if (listed := next((form for form in forms if form in words), None)) is not None:
                return listed
    return None


@lru_cache(maxsize=1024)
def nearest_spelled(word: str, words: WordVectors) -> str | None:
    """Return the known word whose spelling is most similar, or None if too many letters differ.

    A number is only replaced by a number, and a name, which is written with a capital, by nothing:
    Bob is no bomb.
    """
    if word[:1].isupper():
        return None
    candidates = [near for near in words.words if near.isdecimal() == word.isdecimal()]
    return next(iter(get_close_matches(word.lower(), candidates, n=1, cutoff=_CLOSE)), None)
