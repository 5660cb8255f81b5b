"""Rollout beside the product of whole matrices, Abnar & Zuidema's equation 1 as it is written."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from regard import RegardError
from regard.attention import Causal, Dense, Mask
from regard.inspection.rollout import rollout
from regard.inspection.tap import Tap

Make = Callable[..., Tap]
Whole = Callable[[Tap], tuple[Tensor, Tensor]]


def layer(make_tap: Make, rows: int, columns: int, seed: int, mask: Mask | None = None) -> Tap:
    tap = make_tap(rows, columns, mask=mask)
    tap.query.normal_(generator=torch.Generator().manual_seed(seed))
    return tap


def mean_map(tap: Tap, whole_map: Whole) -> np.ndarray:
    return whole_map(tap)[0][1].mean(0).numpy()


@pytest.mark.parametrize("mask", [None, Causal()], ids=["all", "causal"])
def test_it_is_the_product_of_all_layers(make_tap: Make, whole_map: Whole, mask: Mask | None):
    taps = [layer(make_tap, 7, 7, seed, mask) for seed in range(3)]
    product = np.eye(7)
    for tap in taps:
        product = (0.5 * mean_map(tap, whole_map) + 0.5 * np.eye(7)) @ product
    found = rollout(taps, [6, 0, 3], item=1)
    assert set(found) == {"target"}
    of_trace = rollout({str(number): tap for number, tap in enumerate(taps)}, [6, 0, 3], item=1)
    assert torch.equal(of_trace["target"], found["target"])
    assert np.allclose(found["target"], product[[6, 0, 3]], atol=1e-6)


def test_one_layer_by_hand(make_tap: Make):
    tap = make_tap(2, 2, mask=Causal())
    tap.query.zero_()
    # Row 1 looks evenly at both: ½·(½, ½) + ½·(0, 1).
    assert torch.allclose(rollout([tap], [0, 1])["target"], torch.tensor([[1, 0], [0.25, 0.75]]))
    # Two such layers: ¼·(1, 0) + ¾·(¼, ¾).
    twice = rollout([tap, tap], [1])["target"]
    assert torch.allclose(twice, torch.tensor([[7 / 16, 9 / 16]]))


def test_the_source_is_reached_through_cross_attention_and_the_encoder(
    make_tap: Make, whole_map: Whole
):
    encoder = [layer(make_tap, 5, 5, seed) for seed in (1, 2)]
    for tap in encoder:
        tap.queries = tap.keys = "source"
    decoder = []
    for seed in (3, 4):
        own, cross = layer(make_tap, 7, 7, seed, Causal()), layer(make_tap, 7, 5, seed + 10)
        cross.kind, cross.keys = "cross", "source"
        decoder += [own, cross]

    source, target = np.eye(5), np.eye(7)
    for tap in encoder:
        source = 0.5 * mean_map(tap, whole_map) @ source + 0.5 * source
    from_source = np.zeros((7, 5))  # of each target position, what came from the source
    for own, cross in zip(decoder[::2], decoder[1::2], strict=True):
        weights = 0.5 * mean_map(own, whole_map) + 0.5 * np.eye(7)
        target, from_source = weights @ target, weights @ from_source
        target = 0.5 * target
        from_source = 0.5 * from_source + 0.5 * mean_map(cross, whole_map) @ source

    found = rollout([*encoder, *decoder], range(7), item=1)
    assert np.allclose(found["source"], from_source, atol=1e-6)
    assert np.allclose(found["target"], target, atol=1e-6)
    total = found["source"].sum(1) + found["target"].sum(1)
    assert torch.allclose(total, torch.ones(7))


def test_tiles_make_no_difference(make_tap: Make, monkeypatch: pytest.MonkeyPatch):
    taps = [layer(make_tap, 11, 11, seed, Causal()) for seed in range(2)]
    whole = rollout(taps, [10, 4])["target"]
    monkeypatch.setattr("regard.inspection.rollout.TILE_ROWS", 3)
    monkeypatch.setattr("regard.inspection.rollout.TILE_COLUMNS", 4)
    assert torch.allclose(rollout(taps, [10, 4])["target"], whole, atol=1e-6)


def test_what_a_row_gives_to_no_key_stays_with_it(make_tap: Make):
    allowed = torch.ones(7, 7, dtype=torch.bool)
    allowed[4] = False
    found = rollout([layer(make_tap, 7, 7, 0, Dense(allowed))], [4, 5])["target"]
    assert torch.equal(found[0], torch.eye(7)[4])
    assert torch.allclose(found.sum(1), torch.ones(2))


def test_layers_that_nothing_above_looks_at_do_not_count(make_tap: Make):
    beside = layer(make_tap, 5, 5, 0)
    beside.queries = beside.keys = "elsewhere"
    top = layer(make_tap, 7, 7, 1)
    assert set(rollout([beside, top], [0])) == {"target"}


def test_bad_input_is_refused_in_a_sentence(make_tap: Make):
    tap = layer(make_tap, 7, 7, 0)
    with pytest.raises(RegardError, match="at least one attention layer"):
        rollout([], [0])
    with pytest.raises(RegardError, match="positions must be from 0 to 6; got 7"):
        rollout([tap], [0, 7])
    other = layer(make_tap, 5, 5, 0)
    with pytest.raises(RegardError, match="5 rows\\) do not fit a self-attention"):
        rollout([other, tap], [0])
    tap.kind = "cross"
    with pytest.raises(RegardError, match="target to target, 7 rows\\) do not fit a cross-attent"):
        rollout([tap], [0])
