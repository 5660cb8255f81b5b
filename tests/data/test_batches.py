"""Every pair once an epoch, within the bound, in an order that seed and step alone decide."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from regard.data import Batch, Batches, TokenStore, pad
from regard.data.batches import Plan
from regard.errors import RegardError
from regard.text import train_pair

PAD, EOS = 0, 1
DATA = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> TokenStore:
    """Pairs of many lengths; each source begins with ids that name the pair."""
    rng = np.random.default_rng(7)
    lengths = rng.integers(2, 31, (1009, 1)) + rng.integers(0, 5, (1009, 2))
    pairs = [
        (
            [2 + i % 50, 2 + i // 50, *rng.integers(2, 97, source - 2).tolist()],
            rng.integers(2, 97, target).tolist(),
        )
        for i, (source, target) in enumerate(lengths.tolist())
    ]
    return TokenStore.write(tmp_path_factory.mktemp("store") / "train.tokens", pairs, vocab_size=97)


def batches_of(store: TokenStore, max_tokens: int = 509, **options: int) -> Batches:
    return Batches(store, max_tokens=max_tokens, pad_id=PAD, eos_id=EOS, **options)


def rows(tensor: torch.Tensor, lengths: torch.Tensor) -> list[tuple[int, ...]]:
    return [tuple(row[:n].tolist()) for row, n in zip(tensor, lengths.tolist(), strict=True)]


def pairs_in(batch: Batch) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return list(
        zip(
            rows(batch.source, batch.source_lengths),
            rows(batch.target, batch.target_lengths),
            strict=True,
        )
    )


def equal(one: Batch, other: Batch) -> bool:
    return torch.equal(one.source, other.source) and torch.equal(one.target, other.target)


@pytest.mark.parametrize("seed", [0, 3])
def test_an_epoch_holds_every_pair_once_with_its_end(store: TokenStore, seed: int) -> None:
    batches = batches_of(store, seed=seed)
    wanted = Counter(
        ((*source.tolist(), EOS), (*target.tolist(), EOS))
        for source, target in (store[i] for i in range(len(store)))
    )
    for epoch in range(3):
        steps = range(epoch * len(batches), (epoch + 1) * len(batches))
        assert Counter(pair for step in steps for pair in pairs_in(batches.at(step))) == wanted


@pytest.mark.parametrize("max_tokens", [36, 101, 509, 10**6])
def test_no_batch_exceeds_the_bound_on_either_side(store: TokenStore, max_tokens: int) -> None:
    batches = batches_of(store, max_tokens)
    seen = 0
    for step in range(len(batches)):
        batch = batches.at(step)
        assert 0 < max(batch.source.numel(), batch.target.numel()) <= max_tokens
        seen += len(batch)
    assert seen == len(store)


def test_a_batch_is_padded_behind_its_sentences_and_counts_its_tokens(store: TokenStore) -> None:
    batch = batches_of(store).at(0)
    for side, lengths in (
        (batch.source, batch.source_lengths),
        (batch.target, batch.target_lengths),
    ):
        assert side.dtype == lengths.dtype == torch.int64
        assert side.shape == (len(batch), int(lengths.max()))
        assert torch.equal((side != PAD).sum(1), lengths)
        assert (side == EOS).sum(1).tolist() == [1] * len(batch)
        assert (side[torch.arange(len(batch)), lengths - 1] == EOS).all()
    assert batch.num_target_tokens == int((batch.target != PAD).sum())


def test_a_step_gives_its_batch_whatever_was_asked_before(store: TokenStore) -> None:
    straight = batches_of(store, seed=5)
    stream = [straight.at(step) for step in range(2 * len(straight) + 3)]
    resumed = batches_of(store, seed=5)
    for step in (2 * len(straight), 0, len(straight) - 1, 1):
        assert equal(stream[step], resumed.at(step))


def test_another_seed_and_another_epoch_give_another_order(store: TokenStore) -> None:
    batches, other = batches_of(store, seed=1), batches_of(store, seed=2)
    assert len({sum(batches.at(step).source_lengths.tolist()) for step in range(9)}) > 1
    first = [set(pairs_in(batches.at(step))) for step in range(len(batches))]
    for others in (
        [set(pairs_in(other.at(step))) for step in range(len(other))],
        [set(pairs_in(batches.at(len(batches) + step))) for step in range(len(batches))],
    ):
        assert sum(batch in others for batch in first) < len(first) / 10


def test_long_and_short_batches_are_mixed(store: TokenStore) -> None:
    batches = batches_of(store)
    widths = np.array([batches.at(step).target.shape[1] for step in range(len(batches))])
    assert abs(np.corrcoef(widths, np.arange(len(widths)))[0, 1]) < 0.4


def test_every_epoch_has_the_same_number_of_batches(store: TokenStore) -> None:
    # Down to bounds where the noise would often make one more or one fewer.
    for max_tokens in (41, 53, 97, 211):
        batches = batches_of(store, max_tokens, seed=9)
        assert {len(batches.plan.epoch(epoch)) for epoch in range(12)} == {len(batches)}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_handful_of_pairs_is_one_batch(tmp_path: Path, count: int) -> None:
    small = TokenStore.write(tmp_path / "s", [([2] * 3, [3] * 4)] * count, vocab_size=4)
    batches = batches_of(small)
    assert len(batches) == 1
    assert batches.at(6).target.tolist() == [[3, 3, 3, 3, EOS]] * count


def test_a_sentence_beyond_the_bound_is_refused_with_its_length(store: TokenStore) -> None:
    longest = max(int(side.max()) for side in store.lengths()) + 1
    assert len(batches_of(store, longest)) > 0
    with pytest.raises(RegardError, match=f"at least {longest}, .* got {longest - 1}"):
        batches_of(store, longest - 1)


@pytest.mark.skipif(not DATA.is_dir(), reason="needs the sentences in ../shared/data")
def test_little_of_multi30k_is_padding(tmp_path: Path) -> None:
    lines = (DATA / "multi30k" / "train.en-de.tsv").read_text("utf-8").splitlines()
    pairs = [(cells[0], cells[1]) for cells in (line.split("\t") for line in lines)]
    tokenizer = train_pair(pairs[:5000], vocab_size=8000).source
    sides = [tokenizer.encode_batch(side) for side in zip(*pairs, strict=True)]
    path, size = tmp_path / "s", tokenizer.vocab_size
    store = TokenStore.write(path, zip(*sides, strict=True), vocab_size=size)
    for max_tokens, most_in_source in ((2048, 0.06), (4096, 0.10)):
        batches = batches_of(store, max_tokens)
        epoch = [batches.at(step) for step in range(len(batches))]
        target = sum(batch.target.numel() for batch in epoch)
        source = sum(batch.source.numel() for batch in epoch)
        assert 1 - sum(batch.num_target_tokens for batch in epoch) / target < 0.04
        assert 1 - sum(int(batch.source_lengths.sum()) for batch in epoch) / source < most_in_source


def test_plain_lists_are_padded_with_a_padding_of_any_id() -> None:
    rows, lengths = pad([[5], [6, 7, 8], []], pad_id=59_513, eos_id=0)
    assert rows.tolist() == [[5, 0, 59_513, 59_513], [6, 7, 8, 0], [0, 59_513, 59_513, 59_513]]
    assert lengths.tolist() == [2, 4, 1]


def test_a_batch_moves_with_all_its_tensors(store: TokenStore) -> None:
    batch = batches_of(store).at(0)
    moved = batch.to("meta")
    sides = (moved.source, moved.target, moved.source_lengths, moved.target_lengths)
    assert {side.device.type for side in sides} == {"meta"}
    assert moved.num_target_tokens == batch.num_target_tokens


def test_a_source_may_end_in_a_token_of_its_own(store: TokenStore) -> None:
    batch, plain = batches_of(store, source_end=96).at(3), batches_of(store).at(3)
    ends = batch.source_lengths[:, None] - 1
    assert batch.source.gather(1, ends).unique().tolist() == [96]
    assert torch.equal(batch.source.scatter(1, ends, EOS), plain.source)
    assert torch.equal(batch.target, plain.target)


def test_long_sources_share_a_batch_by_their_length(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    pairs = [([3] * int(rng.integers(40, 200)), [4] * int(rng.integers(3, 9))) for _ in range(400)]
    documents = TokenStore.write(tmp_path / "train.tokens", pairs, vocab_size=9)

    def padding(batches: Batches) -> float:
        epoch = [batches.at(step) for step in range(len(batches))]
        read = sum(int(batch.source_lengths.sum()) for batch in epoch)
        return 1 - read / sum(batch.source.numel() for batch in epoch)

    by_source = batches_of(documents, 1024, long_sources=True)
    assert sum(len(by_source.at(step)) for step in range(len(by_source))) == 400
    assert padding(by_source) < 0.05
    assert padding(by_source) < padding(batches_of(documents, 1024)) / 1.5


def test_rates_say_how_often_an_epoch_has_a_row() -> None:
    lengths = np.full(1000, 5)
    rates = np.repeat([2.0, 1.0, 0.25], [100, 300, 600])
    plan = Plan(lengths, lengths, max_tokens=100, rates=rates, seed=0)
    epochs = [np.concatenate(plan.epoch(epoch)) for epoch in range(40)]
    assert {len(rows) for rows in epochs} == {650}
    times = np.stack([np.bincount(rows, minlength=1000) for rows in epochs])
    assert (times[:, :100] == 2).all()
    assert (times[:, 100:400] == 1).all()
    assert times[:, 400:].max() == 1
    assert abs(times[:, 400:].mean(0) - 0.25).max() < 0.3  # each in about 10 of 40
    assert [plan.at(k).tolist() for k in (70, 3)] == [
        Plan(lengths, lengths, max_tokens=100, rates=rates, seed=0).at(k).tolist() for k in (70, 3)
    ]


def test_epochs_of_other_rows_have_the_same_number_of_batches() -> None:
    lengths = np.random.default_rng(0).integers(1, 60, 2000)
    plan = Plan(lengths, lengths, max_tokens=200, rates=np.full(2000, 0.3), seed=0)
    assert {len(plan.epoch(epoch)) for epoch in range(30)} == {len(plan)}
