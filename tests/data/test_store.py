"""What is written comes back, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from regard.data import TokenStore
from regard.errors import RegardError

PAIRS = [([5, 6, 7], [8, 9]), ([], [3]), ([4], [10, 2, 2, 2]), ([1], [1])]


def written(store: TokenStore) -> list[tuple[list[int], list[int]]]:
    return [
        (source.tolist(), target.tolist())
        for source, target in map(store.__getitem__, range(len(store)))
    ]


def test_pairs_come_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "new" / "train.tokens"
    store = TokenStore.write(path, iter(PAIRS), vocab_size=11)
    assert written(store) == PAIRS
    assert written(TokenStore.open(path)) == PAIRS
    source, target = store.lengths()
    assert (source.tolist(), target.tolist()) == ([3, 0, 1, 1], [2, 1, 4, 1])
    with pytest.raises(IndexError):
        store[4]


def test_many_pairs_come_back_over_several_flushes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pairs = [
        tuple(rng.integers(0, 99, size).tolist() for size in rng.integers(0, 7, 2))
        for _ in range(2 * 8192 + 13)
    ]
    store = TokenStore.write(tmp_path / "s", pairs, vocab_size=99)
    assert written(store) == pairs


@pytest.mark.parametrize(("size", "bytes_a_token"), [(1 << 16, 2), ((1 << 16) + 1, 4)])
def test_tokens_take_two_bytes_where_they_fit(
    tmp_path: Path, size: int, bytes_a_token: int
) -> None:
    store = TokenStore.write(tmp_path / "s", [([size - 1], [0])], vocab_size=size)
    assert store.tokens.dtype.itemsize == bytes_a_token
    assert store[0][0].tolist() == [size - 1]


def test_tokens_stay_on_disk(tmp_path: Path) -> None:
    store = TokenStore.write(tmp_path / "s", PAIRS, vocab_size=11)
    assert isinstance(store.tokens, np.memmap)
    assert isinstance(store.starts, np.memmap)


@pytest.mark.parametrize("pair", [([1, 11], [1]), ([1], [-1])])
def test_an_id_outside_the_vocabulary_is_refused(
    tmp_path: Path, pair: tuple[list[int], list[int]]
) -> None:
    wrong = next(i for side in pair for i in side if i in (11, -1))
    with pytest.raises(RegardError, match=f"from 0 to 10; got {wrong}"):
        TokenStore.write(tmp_path / "s", [*PAIRS, pair], vocab_size=11)
    assert os.listdir(tmp_path) == []


def test_each_side_is_checked_against_its_own_vocabulary(tmp_path: Path) -> None:
    TokenStore.write(tmp_path / "s", [([6], [12])], vocab_size=(7, 13))
    for pair, highest in ((([7], [0]), 6), (([0], [13]), 12)):
        with pytest.raises(RegardError, match=f"from 0 to {highest}; got {highest + 1}"):
            TokenStore.write(tmp_path / "s", [pair], vocab_size=(7, 13))


def test_sentences_too_long_are_left_out_whole_and_counted(tmp_path: Path) -> None:
    store = TokenStore.write(tmp_path / "s", PAIRS, vocab_size=11, max_length=2)
    assert written(store) == [PAIRS[1], PAIRS[3]]
    assert (store.too_long, TokenStore.open(tmp_path / "s").too_long) == (2, 2)


def test_nothing_to_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="there are no sentences"):
        TokenStore.write(tmp_path / "s", [], vocab_size=11)
    with pytest.raises(RegardError, match="all 1 are longer than 2 tokens"):
        TokenStore.write(tmp_path / "s", PAIRS[:1], vocab_size=11, max_length=2)


def test_a_failure_while_writing_leaves_the_old_store(tmp_path: Path) -> None:
    TokenStore.write(tmp_path / "s", PAIRS, vocab_size=11)

    def broken():
        yield PAIRS[0]
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        TokenStore.write(tmp_path / "s", broken(), vocab_size=11)
    assert os.listdir(tmp_path) == ["s"]
    assert written(TokenStore.open(tmp_path / "s")) == PAIRS


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RegardError, match=r"file/s cannot be written"):
        TokenStore.write(tmp_path / "file" / "s", PAIRS, vocab_size=11)


def test_a_missing_store_is_named(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="does not exist"):
        TokenStore.open(tmp_path / "s")


@pytest.mark.parametrize("keep", [0, 5, 20, -1])
def test_a_store_cut_short_is_refused(tmp_path: Path, keep: int) -> None:
    TokenStore.write(tmp_path / "s", PAIRS, vocab_size=11)
    content = (tmp_path / "s").read_bytes()
    (tmp_path / "s").write_bytes(content[:keep])
    with pytest.raises(RegardError, match="not a complete token store"):
        TokenStore.open(tmp_path / "s")
