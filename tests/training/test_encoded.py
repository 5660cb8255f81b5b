"""Texts of ids become what a model reads: padding, kinds of tokens, targets and cuts."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch

from regard.text.train import train_tokenizer
from regard.training.encoded import EncodedTexts, encode_texts, padded, write_store

BERT = SimpleNamespace(pad_id=9, token_types=2)
DISTILBERT = SimpleNamespace(pad_id=None, token_types=None)


def test_texts_are_padded_on_the_right_and_the_second_of_a_pair_is_of_another_kind() -> None:
    texts = [np.array([3, 4, 5]), np.array([6, 7, 8, 3, 4])]
    batch = padded(texts, BERT, first=[3, 2])
    assert batch.ids.tolist() == [[3, 4, 5, 9, 9], [6, 7, 8, 3, 4]]
    assert batch.attention_mask.tolist() == [[True] * 3 + [False] * 2, [True] * 5]
    assert batch.token_type_ids is not None
    assert batch.token_type_ids.tolist() == [[0] * 5, [0, 0, 1, 1, 1]]


def test_texts_without_a_second_have_one_kind_or_none() -> None:
    texts = [np.array([3]), np.array([6, 7])]
    kinds = padded(texts, BERT).token_type_ids
    assert kinds is not None
    assert kinds.tolist() == [[0, 0], [0, 0]]
    batch = padded(texts, DISTILBERT)
    assert batch.token_type_ids is None
    assert batch.ids.tolist() == [[3, 0], [6, 7]]


def test_a_row_of_the_store_gives_its_inputs_and_targets(tmp_path: Path) -> None:
    rows = [([5, 6, 7], 2, [1]), ([8], 1, []), ([3, 3], 1, [0, 4])]
    store = write_store(tmp_path / "a.tokens", rows, vocab_size=10, targets=5, max_length=3)
    batch = EncodedTexts(store, BERT, max_tokens=9, batch_size=3, seed=1).batch(np.array([2, 0]))
    assert [each.tolist() for each in batch.targets] == [[0, 4], [1]]
    assert batch.num_tokens == 5
    expected = padded([np.array([3, 3]), np.array([5, 6, 7])], BERT, first=[1, 2])
    assert torch.equal(batch.inputs.ids, expected.ids)
    assert batch.inputs.token_type_ids is not None
    assert batch.inputs.token_type_ids.tolist() == [[0, 1, 0], [0, 0, 1]]


def test_long_pairs_are_cut_and_say_so() -> None:
    texts = ["one two three", "four five", "six"] * 8
    tokenizer = train_tokenizer(texts, vocab_size=400, seed=1, encoder=True)
    short, pair, long = encode_texts(
        [("six", None), ("six", "six"), ("one two three", "four five")], tokenizer, 6
    )
    assert (short.truncated, pair.truncated, long.truncated) == (False, False, True)
    assert len(long.ids) == 6
    assert short.first == len(short.ids)
    assert pair.first < len(pair.ids)
    assert pair.ids[: pair.first] == short.ids
