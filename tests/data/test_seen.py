"""A hash is new once, however the calls are cut."""

from __future__ import annotations

import numpy as np
import pytest

from regard.data.seen import SeenHashes, hash_text, hash_texts


@pytest.mark.parametrize("size", [1, 7, 100, 1009])
def test_each_hash_is_new_the_first_time_only(size: int) -> None:
    hashes = np.random.default_rng(0).integers(0, 401, 1009).astype(np.uint64)
    seen, found = SeenHashes(), []
    for start in range(0, len(hashes), size):
        found += seen.add(hashes[start : start + size]).tolist()
    met: set[int] = set()
    wanted = [not (h in met or met.add(h)) for h in hashes.tolist()]  # type: ignore[func-returns-value]
    assert found == wanted


def test_few_arrays_hold_many_hashes() -> None:
    seen = SeenHashes()
    for start in range(500):
        seen.add(np.arange(start * 3, start * 3 + 3, dtype=np.uint64))
    assert len(seen._runs) <= 10
    assert sum(map(len, seen._runs)) == 1500


def test_a_hash_is_the_same_in_every_run_and_differs_by_seed() -> None:
    assert hash_text("Hallo, Welt") == 0xE657F209E3D654A1
    assert (
        len({hash_text("a"), hash_text("b"), hash_text("a", seed=1), hash_text("a", seed=-1)}) == 4
    )
    assert hash_texts(["a", "b"]).tolist() == [hash_text("a"), hash_text("b")]
