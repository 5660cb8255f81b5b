"""Whole words are hidden, as often as Devlin et al. 2019 say, by seed and step."""

import numpy as np
import torch

from regard.engine.reading import Batch
from regard.tasks.text_generation.blocks import Masking
from regard.training.encoded import EncodedBatch

VOCAB = 50
# 0 is padding, 1 and 2 stand around a text, 3 is the mask; even ids from 10 begin a word.
SPECIAL = np.arange(VOCAB) < 4
BEGINS = (np.arange(VOCAB) % 2 == 0) & ~SPECIAL


def masking(share: float = 0.15, seed: int = 1) -> Masking:
    return Masking(begins=BEGINS, special=SPECIAL, mask_id=3, share=share, seed=seed)


def batch(rows: int = 64, words: int = 33) -> EncodedBatch:
    row = [1, *[token for k in range(words) for token in (10 + 2 * (k % 10), 11, 13)], 2, 0, 0]
    ids = torch.tensor([row] * rows)
    inputs = Batch(ids, None, ids != 0)
    return EncodedBatch(inputs, [], np.arange(rows), int((ids != 0).sum()))


def test_words_are_hidden_whole_and_specials_never() -> None:
    found = masking().masked(batch(), 0)
    chosen = found.chosen
    assert not chosen[:, 0].any()
    assert not chosen[:, -3:].any()
    words = chosen[:, 1:-3].view(len(chosen), -1, 3)
    assert torch.equal(words.all(-1), words.any(-1))
    assert torch.equal(words.any(-1).sum(1), torch.full((64,), 5))  # round(0.15 · 99) = 15 tokens


def test_eight_of_ten_become_the_mask_and_one_is_changed() -> None:
    plain = batch(rows=2000)
    found = masking().masked(plain, 3)
    hidden, before = found.inputs.inputs.ids, plain.inputs.ids
    share = (hidden[found.chosen] == 3).double().mean()
    same = (hidden[found.chosen] == before[found.chosen]).double().mean()
    assert abs(share - 0.8) < 0.01
    assert abs(same - (0.1 + 0.1 / 46)) < 0.01
    assert torch.equal(hidden[~found.chosen], before[~found.chosen])
    assert torch.equal(found.targets, before[found.chosen])
    assert not torch.isin(hidden[found.chosen], torch.tensor([0, 1, 2])).any()


def test_what_is_hidden_follows_from_seed_and_step() -> None:
    first, again = masking().masked(batch(), 7), masking().masked(batch(), 7)
    assert torch.equal(first.inputs.inputs.ids, again.inputs.inputs.ids)
    for other in (
        masking().masked(batch(), 8),
        masking(seed=2).masked(batch(), 7),
        masking().masked(batch(), 7, part=1),
    ):
        assert not torch.equal(first.chosen, other.chosen)


def test_a_short_text_has_one_word_hidden() -> None:
    assert torch.equal(masking().masked(batch(words=1), 0).chosen.sum(1), torch.full((64,), 3))
