import math
import subprocess
import sys

import torch

from regard.attention import Causal, Window, attention_weights

QUERY = torch.randn(2, 6, 11, 5, dtype=torch.float64)
KEY = torch.randn(2, 3, 13, 5, dtype=torch.float64)


def test_weights_are_those_computed_by_hand():
    query, key = torch.tensor([[2.0]]), torch.tensor([[0.0], [0.5], [9.0]])
    weights = attention_weights(query, key, mask=torch.tensor([[True, True, False]]))
    expected = [1 / (1 + math.e), math.e / (1 + math.e), 0]
    torch.testing.assert_close(weights, torch.tensor([expected]))


def test_a_row_is_normalized_over_keys_outside_the_tile():
    tile = attention_weights(QUERY, KEY, keys=slice(0, 3))
    rest = attention_weights(QUERY, KEY, keys=slice(3, None))
    assert tile.sum(-1).max() < 1
    torch.testing.assert_close(tile.sum(-1) + rest.sum(-1), torch.ones(2, 6, 11).double())


def test_blocks_of_keys_and_rows_do_not_change_the_weights(monkeypatch):
    whole = attention_weights(QUERY, KEY, mask=Causal())
    monkeypatch.setattr("regard.attention.record.TILE_ENTRIES", 4)
    monkeypatch.setattr("regard.attention.record.KEY_BLOCK", 4)
    monkeypatch.setattr("regard.attention.record.rows_per_tile", lambda query: 3)
    torch.testing.assert_close(attention_weights(QUERY, KEY, mask=Causal()), whole)


def test_weights_have_gradients_that_are_right_and_finite():
    query = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    key = torch.randn(4, 2, dtype=torch.float64, requires_grad=True)
    mask = Window(1, 0) & torch.tensor([[True], [False], [True]]).expand(3, 4)
    assert torch.autograd.gradcheck(lambda q, k: attention_weights(q, k, mask=mask), (query, key))


def test_axes_left_out_and_dtype_are_kept():
    for dtype in (torch.bfloat16, torch.float32, torch.float64):
        weights = attention_weights(torch.randn(5, 3).to(dtype), torch.randn(7, 3).to(dtype))
        assert (weights.shape, weights.dtype) == ((5, 7), dtype)


MEMORY_OF_A_TILE = """
import resource, torch
from regard.attention import Causal, Padding, attention_weights
torch.set_num_threads(1)
def tile(length, queries, keys):
    query, key = torch.randn(2, 1, 1, length, 16)
    mask = Causal() & Padding.from_lengths(torch.tensor([length - 3]), length)
    return attention_weights(query, key, mask=mask, queries=queries, keys=keys)
tile(1024, slice(0, 64), slice(0, 64))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
weights = tile(65_536, slice(65_400, 65_464), slice(32_768, 33_280))
assert weights.shape == (1, 1, 64, 512) and 0 < float(weights.sum()) < 64
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def test_the_memory_of_a_tile_is_not_that_of_the_map():
    run = [sys.executable, "-c", MEMORY_OF_A_TILE]
    mebibytes = float(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
    # Query and key take 8 MiB; the whole map of 65,536 squared would take 16,384.
    assert mebibytes < 64
