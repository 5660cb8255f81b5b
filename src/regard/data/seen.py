"""A memory of which hashes came before, eight bytes each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]


def hash_text(text: str, seed: int = 0) -> int:
    """64 bits of a text, the same on every machine and in every run."""
    salt = seed.to_bytes(16, "little", signed=True)
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, salt=salt)
    return int.from_bytes(digest.digest(), "little")


def hash_texts(texts: Iterable[str], seed: int = 0) -> Hashes:
    return np.fromiter((hash_text(text, seed) for text in texts), np.uint64)


class SeenHashes:
    """A growing set kept as a few sorted arrays: a new one merges with those not larger."""

    def __init__(self) -> None:
        self._runs: list[Hashes] = []

    def add(self, hashes: Hashes) -> npt.NDArray[np.bool_]:
        """Remember the hashes; True where one was met for the first time, here or ever."""
        new = np.zeros(len(hashes), np.bool_)
        new[np.unique(hashes, return_index=True)[1]] = True
        for run in self._runs:
            places = np.minimum(np.searchsorted(run, hashes), len(run) - 1)
            new &= run[places] != hashes
        if new.any():
            self._runs.append(np.sort(hashes[new]))
        while len(self._runs) > 1 and len(self._runs[-2]) <= len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = np.sort(np.concatenate([self._runs[-1], last]))
        return new
