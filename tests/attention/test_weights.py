import math
import subprocess
import sys

import torch

from fixtures.attention_masks import MASKS
from fixtures.covering import parametrize
from regard.attention import Causal, Window, attend, attention_weights, gaussian, general

QUERY = torch.randn(2, 6, 11, 5, dtype=torch.float64)
KEY = torch.randn(2, 3, 13, 5, dtype=torch.float64)
VALUE = torch.randn(2, 3, 13, 4, dtype=torch.float64)


def test_weights_are_those_computed_by_hand():
    query, key = torch.tensor([[2.0]]), torch.tensor([[0.0], [0.5], [9.0]])
    weights = attention_weights(query, key, mask=torch.tensor([[True, True, False]]))
    expected = [1 / (1 + math.e), math.e / (1 + math.e), 0]
    torch.testing.assert_close(weights, torch.tensor([expected]))


def test_rows_sum_to_one_or_saw_nothing_and_give_the_output(make_mask, lengths):
    queries, keys = lengths
    query, key = torch.randn(2, 6, queries, 5), torch.randn(2, 3, keys, 5)
    value = torch.randn(2, 3, keys, 4)
    mask = make_mask(queries, keys)
    weights = attention_weights(query, key, mask=mask)
    output, lse = attend(query, key, value, mask=mask, kernel="plain", return_lse=True)
    torch.testing.assert_close(weights.sum(-1), (~lse.isneginf()).float())
    torch.testing.assert_close(weights @ value.repeat_interleave(2, 1), output)


@parametrize(
    "given, score, make_mask",
    ["lse of plain", "lse of blocked", "lse of fused", "nothing"],
    ["scaled_dot", "cosine", gaussian(0.7), general(torch.randn(5, 5).double())],
    MASKS,
    indirect=["make_mask"],
)
def test_a_tile_is_the_crop_of_the_whole_map(given, score, make_mask):
    if given == "lse of fused" and not isinstance(score, str):
        return
    mask, bias = make_mask(11, 13), torch.randn(6, 1, 13, dtype=torch.float64)
    arguments = {"score": score, "mask": mask, "bias": bias}
    lse = None
    if given != "nothing":
        kernel = given.removeprefix("lse of ")
        _, lse = attend(QUERY, KEY, VALUE, kernel=kernel, return_lse=True, **arguments)
    whole = attention_weights(QUERY, KEY, **arguments)
    for queries, keys in [
        (slice(2, 5), slice(3, 11)),
        (slice(-1, None), slice(None)),
        (slice(0, 11, 4), slice(1, None, 3)),
        (slice(4, 4), slice(0, 2)),
        (slice(5, 500), slice(12, 500)),
    ]:
        tile = attention_weights(QUERY, KEY, queries=queries, keys=keys, lse=lse, **arguments)
        torch.testing.assert_close(tile, whole[:, :, queries, keys], atol=1e-14, rtol=0)


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
