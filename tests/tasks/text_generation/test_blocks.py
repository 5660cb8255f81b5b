"""Blocks cover a stream of tokens, follow from seed and step, and tell documents apart."""

import numpy as np
import pytest
import torch

from regard.models import Decoder, DecoderConfig
from regard.tasks.text_generation.blocks import Blocks, cut_blocks, even_starts

STREAM = np.arange(1000) % 997


def blocks(seed: int = 1, **changes: int) -> Blocks:
    return Blocks(STREAM, **({"block": 7, "batch_size": 5} | changes), separator=None, seed=seed)


def test_an_epoch_has_each_token_once_as_a_target() -> None:
    batches = blocks()
    seen = torch.cat([batches.at(step).targets for step in range(len(batches))]).flatten()
    values, counts = seen.unique(return_counts=True)
    assert len(values) >= 1000 - 7 * 6
    assert int(counts.max()) <= 2
    assert int((counts == 2).sum()) <= 3


def test_a_target_is_the_token_behind() -> None:
    batch = blocks().at(3)
    assert torch.equal(batch.ids[:, 1:], batch.targets[:, :-1])
    assert torch.equal((batch.ids + 1) % 997, batch.targets)


def test_a_batch_follows_from_seed_and_step_alone() -> None:
    one, other = blocks(), blocks()
    expected = [one.at(step).ids for step in range(60)]
    for step in (59, 3, 30):
        assert torch.equal(other.at(step).ids, expected[step])
    assert not torch.equal(blocks(seed=2).at(0).ids, expected[0])
    assert not torch.equal(one.at(len(one)).ids, expected[0])  # the second epoch has its own order


def test_the_shortest_stream_is_one_block() -> None:
    batches = Blocks(np.arange(8), block=7, batch_size=5, separator=None, seed=1)
    assert len(batches) == 1
    assert batches.at(4).ids.tolist() == [[0, 1, 2, 3, 4, 5, 6]]


def test_a_separator_begins_a_document() -> None:
    stream = np.array([0, 5, 6, 0, 7, 8, 9, 0])
    batch = cut_blocks(stream, np.array([0]), 7, 0)
    assert batch.ids.tolist() == [[0, 5, 6, 0, 7, 8, 9]]
    assert batch.targets.tolist() == [[5, 6, 0, 7, 8, 9, 0]]
    assert batch.documents is not None
    assert batch.documents.tolist() == [[1, 1, 1, 2, 2, 2, 2]]
    assert cut_blocks(stream, np.array([0]), 3, 0).documents is None  # one document in the block


@pytest.mark.parametrize("positions", ["learned", "rotary"])
def test_no_token_influences_the_next_document(positions: str) -> None:
    torch.manual_seed(1)
    config = DecoderConfig(
        11, d_model=16, num_layers=2, num_heads=2, d_ff=32, positions=positions, max_positions=16
    )
    model = Decoder(config).eval()
    batch = cut_blocks(np.array([4, 5, 6, 0, 7, 8, 9, 3]), np.array([0]), 7, 0)
    changed = batch.ids.clone()
    changed[0, :3] = torch.tensor([9, 1, 2])
    before = model.hidden(batch.ids, documents=batch.documents)
    after = model.hidden(changed, documents=batch.documents)
    assert torch.equal(before[:, 3:], after[:, 3:])
    assert not torch.equal(before[:, :3], after[:, :3])
    alone = model.hidden(batch.ids[:, 3:])
    torch.testing.assert_close(before[:, 3:], alone)


def test_dev_blocks_lie_side_by_side_or_are_spread_evenly() -> None:
    assert even_starts(np.arange(29), 7, 1000).tolist() == [0, 7, 14, 21]
    assert even_starts(np.arange(28), 7, 1000).tolist() == [0, 7, 14]
    assert even_starts(np.arange(7 * 11 + 1), 7, 21).tolist() == [0, 35, 70]
