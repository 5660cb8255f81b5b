"""Padding and packed documents decide where a token stands."""

import pytest
import torch

from regard import RegardError
from regard.models.decoding import (
    check_attention_mask,
    check_documents,
    left_padded,
    positions_of_tokens,
    positions_within,
)


def test_padding_has_no_position_on_either_side() -> None:
    mask = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 0, 0, 0], [1, 1, 1, 1, 1]]).bool()
    expected = [[0, 0, 0, 1, 2], [0, 1, 1, 1, 1], [0, 1, 2, 3, 4]]
    assert positions_of_tokens(mask).tolist() == expected


def test_each_document_of_a_row_begins_at_zero() -> None:
    documents = torch.tensor([[0, 0, 0, 1, 1], [4, 5, 5, 7, 7]])
    assert positions_within(documents).tolist() == [[0, 1, 2, 0, 1], [0, 0, 1, 0, 1]]


def test_padding_moves_to_the_left_and_tokens_keep_their_order() -> None:
    tokens = torch.tensor([[5, 6, 0, 7, 0], [0, 8, 9, 3, 4]])
    moved, mask = left_padded(tokens, tokens != 0)
    assert moved.tolist() == [[0, 0, 5, 6, 7], [0, 8, 9, 3, 4]]
    assert mask is not None
    assert torch.equal(mask, moved != 0)


def test_a_prompt_without_padding_needs_no_mask() -> None:
    tokens = torch.tensor([[5, 6, 7]])
    moved, mask = left_padded(tokens, torch.ones(1, 3, dtype=torch.bool))
    assert moved is tokens
    assert mask is None


def test_masks_and_documents_of_another_shape_are_refused() -> None:
    ids = torch.zeros(2, 3, dtype=torch.int64)
    with pytest.raises(
        RegardError, match=r"boolean, .* shape \(2, 3\) of the ids; got torch.int64"
    ):
        check_attention_mask(ids, (2, 3))
    with pytest.raises(RegardError, match=r"the shape \(2, 3\) of the ids.* got \(2, 2\)"):
        check_documents(ids[:, :2], ids)
    with pytest.raises(RegardError, match="without attention_mask and caches"):
        check_documents(ids, ids, None, ids.bool())
