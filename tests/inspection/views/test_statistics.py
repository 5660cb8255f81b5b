"""Head statistics beside the sums over a whole map in NumPy."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from regard import RegardError
from regard.attention import Causal, Dense, Mask
from regard.inspection.tap import Tap
from regard.inspection.views.statistics import head_statistics, head_summary, sink_of

Make = Callable[..., Tap]
Whole = Callable[[Tap], tuple[Tensor, Tensor]]


def test_they_are_the_means_over_the_rows_of_the_whole_map(
    make_tap: Make, mask: Mask, whole_map: Whole
):
    tap = make_tap(mask=mask)
    weights = whole_map(tap)[0].numpy()[1]
    found = head_statistics(tap, item=1)
    away = np.abs(np.arange(2, 13)[:, None] - np.arange(13))  # rows stand at the last positions
    for head in range(6):
        rows = weights[head][weights[head].sum(1) > 0]
        seen = rows[rows > 0]
        entropy = -(seen * np.log2(seen)).sum() / len(rows)
        assert float(found.entropy[head]) == pytest.approx(entropy, abs=1e-5)
        distance = (weights[head] * away).sum() / len(rows)
        assert float(found.distance[head]) == pytest.approx(distance, abs=1e-5)
        assert np.allclose(found.column_weight[head], rows.mean(0), atol=1e-6)
    assert found.rows == 11


def test_a_row_that_looks_evenly_at_eight_keys_has_three_bits(make_tap: Make):
    tap = make_tap(8, 8)
    tap.query.zero_()
    found = head_statistics(tap)
    assert torch.allclose(found.entropy, torch.tensor(3.0, dtype=torch.float64))
    # Σ |i - j| / 8 over both, by hand: (n² - 1) / 3n for n = 8.
    assert torch.allclose(found.distance, torch.tensor(63 / 24, dtype=torch.float64))


def test_strips_and_blocks_add_up(make_tap: Make, monkeypatch: pytest.MonkeyPatch):
    tap = make_tap(mask=Causal())
    whole = head_statistics(tap)
    monkeypatch.setattr("regard.inspection.views.statistics.TILE_ROWS", 3)
    monkeypatch.setattr("regard.inspection.views.statistics.TILE_COLUMNS", 5)
    parts = head_statistics(tap)
    assert torch.allclose(parts.entropy, whole.entropy)
    assert torch.allclose(parts.distance, whole.distance)
    assert torch.allclose(parts.column_weight, whole.column_weight)


def test_every_third_row_counts_from_the_last(make_tap: Make, whole_map: Whole):
    tap = make_tap(mask=Causal())
    found = head_statistics(tap, every=3)
    rows = whole_map(tap)[0][0, :, [1, 4, 7, 10]]
    assert found.rows == 4
    assert torch.allclose(found.column_weight, rows.mean(1), atol=1e-6)


def test_a_sink_is_the_key_that_all_heads_look_at_most(make_tap: Make):
    tap = make_tap()
    tap.key[:, :2, 4] = 0
    tap.query[..., 0] = 10
    tap.key[..., 0] = 0
    tap.key[:, :2, 4, 0] = 10  # heads 0 to 3 use the first two key heads
    summary = head_summary(tap)
    assert summary.sink_key == 4
    assert [head.mostly_sink for head in summary.heads] == [True] * 4 + [False] * 2
    assert [head.head for head in summary.heads] == list(range(6))
    assert summary.heads[0].sink > 0.99
    assert (summary.tap, summary.rows, summary.of) == (tap.name, 11, 11)


def test_a_sink_is_a_heads_own_and_takes_more_than_three_tenths(make_tap: Make):
    tap = make_tap()
    tap.query.zero_()
    tap.query[..., 0] = 10
    tap.key.zero_()
    tap.key[:, 0, 4, 0] = 10  # heads 0 and 1
    tap.key[:, 1, 7, 0] = 10  # heads 2 and 3; the others look everywhere alike
    summary = head_summary(tap)
    assert [sink_of(summary, head) for head in range(6)] == [4, 4, 7, 7, None, None]
    assert summary.heads[4].sink == pytest.approx(1 / 13)
    assert sink_of(summary, "mean") in (4, 7)
    assert summary.sink == pytest.approx((2 + 2 / 13) / 6, abs=0.01)


def test_half_of_the_weight_is_not_most_of_it(make_tap: Make):
    tap = make_tap(1, 2)
    tap.query.zero_()
    assert not any(head.mostly_sink for head in head_summary(tap).heads)


def test_between_two_sequences_there_is_no_distance(make_tap: Make):
    tap = make_tap()
    tap.kind = "cross"
    assert head_statistics(tap).distance.isnan().all()
    assert {head.distance for head in head_summary(tap).heads} == {None}


def test_a_long_map_is_summed_up_from_some_of_its_rows(make_tap: Make):
    summary = head_summary(make_tap(101, 103), rows=20)
    assert 20 <= summary.rows < 40
    assert summary.of == 101


def test_a_layer_that_sees_nothing_gives_numbers_that_json_has(make_tap: Make):
    tap = make_tap(mask=Dense(torch.zeros(11, 13, dtype=torch.bool)))
    for head in head_summary(tap).heads:
        assert (head.entropy, head.distance, head.sink) == (0.0, 0.0, 0.0)
        assert not head.mostly_sink


def test_entropy_of_a_run_in_bfloat16_is_finite_where_weights_vanish(make_tap: Make):
    tap = make_tap(dtype=torch.bfloat16)
    tap.query.mul_(100)
    found = head_statistics(tap)
    assert found.entropy.isfinite().all()
    assert (found.entropy >= 0).all()
    assert (found.entropy < math.log2(13)).all()


def test_bad_input_is_refused_in_a_sentence(make_tap: Make):
    with pytest.raises(RegardError, match="every must be at least 1; got 0"):
        head_statistics(make_tap(), every=0)
    with pytest.raises(RegardError, match="has no weights: its map is 0 x 13"):
        head_statistics(make_tap(0, 13))
