"""Tiles at every level agree with block reductions of the whole map."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from regard import RegardError
from regard.attention import Causal, Dense, Mask
from regard.attention.record import Attention
from regard.attention.scores import dot
from regard.inspection.tap import Tap
from regard.inspection.views import tiles
from regard.inspection.views.tiles import Tile, TileRequest, thumbnails

Make = Callable[..., Tap]
Whole = Callable[[Tap], tuple[Tensor, Tensor]]
WORDS = [(0, 1), (1, 4), (5, 8), (8, 9)]
# Also what the page makes without a server: web/src/source/cells.test.ts.
BY_HAND = json.loads((Path(__file__).parents[2] / "fixtures/tiles.json").read_text("utf-8"))


def tile(tap: Tap, head: int | str, *, row_spans=None, column_spans=None, **where) -> Tile:
    request = TileRequest(tap.name, head, **where)
    return tiles.tile(tap, request, row_spans=row_spans, column_spans=column_spans)


def visible(tap: Tap, whole: Whole, head: int) -> np.ndarray:
    weights, allowed = whole(tap)
    return np.where(allowed[0, head], weights[0, head], np.nan)


def reduced(values: np.ndarray, block: int, how: str) -> np.ndarray:
    """Block by block, as one would by hand."""
    rows, columns = values.shape
    found = np.full((-(-rows // block), -(-columns // block)), np.nan)
    for row, column in np.ndindex(found.shape):
        part = values[row * block : (row + 1) * block, column * block : (column + 1) * block]
        seen = part[~np.isnan(part)]
        if seen.size:
            found[row, column] = seen.max() if how == "max" else seen.mean()
    return found


@pytest.mark.parametrize("how", ["max", "mean"])
@pytest.mark.parametrize("level", [0, 1, 2, 5])
def test_a_cell_is_the_reduction_of_its_block(
    make_tap: Make, mask: Mask, whole_map: Whole, level: int, how: str, monkeypatch
):
    monkeypatch.setattr("regard.inspection.views.tiles.TILE_ROWS", 3)
    monkeypatch.setattr("regard.inspection.views.tiles.TILE_COLUMNS", 5)
    tap = make_tap(mask=mask)
    found = tile(tap, 4, level=level, reduce=how)
    expected = reduced(visible(tap, whole_map, 4), 2**level, how)
    np.testing.assert_allclose(found.values, expected, atol=1e-6)


def test_tiles_laid_side_by_side_are_the_map(make_tap: Make, whole_map: Whole):
    tap = make_tap(13, 13, mask=Causal())
    expected = reduced(visible(tap, whole_map, 2), 2, "max")
    for row in range(0, 7, 3):
        for column in range(0, 7, 3):
            part = tile(tap, 2, level=1, row=row, column=column, height=3, width=3).values
            crop = expected[row : row + 3, column : column + 3]
            assert part.shape == crop.shape
            np.testing.assert_allclose(part, crop, atol=1e-6)


def test_a_lone_strong_cell_never_vanishes(make_tap: Make):
    tap = make_tap(64, 64)
    tap.query[0, 0, 37], tap.key[0, 0, 51] = 20.0, 20.0
    coarse = tile(tap, 0, level=4).values
    assert coarse[37 // 16, 51 // 16] == pytest.approx(1)
    assert tile(tap, 0, level=4, reduce="mean").values[37 // 16, 51 // 16] < 0.2


def test_the_mean_over_heads_is_taken_before_the_maximum(make_tap: Make, whole_map: Whole):
    tap = make_tap()
    mean = whole_map(tap)[0][0].mean(0).numpy()
    found = tile(tap, "mean", level=1).values
    np.testing.assert_allclose(found, reduced(mean, 2, "max"), atol=1e-6)


def test_norms_and_scores_have_tiles_too(make_tap: Make, mask: Mask):
    tap = make_tap(mask=mask)
    for quantity, whole in (("norm", tap.norms(1)), ("score", tap.scores(1))):
        plain = tile(tap, 1, quantity=quantity).values
        weights = tile(tap, 1).values
        seen = ~np.isnan(weights)
        np.testing.assert_allclose(plain[seen], whole.numpy()[seen], rtol=1e-5, atol=1e-6)
        assert np.isnan(plain[~seen]).all()
        for how in ("max", "mean"):
            coarse = tile(tap, 1, quantity=quantity, level=2, reduce=how).values
            np.testing.assert_allclose(coarse, reduced(plain, 4, how), rtol=1e-5, atol=1e-6)


def test_a_words_pieces_are_summed_as_keys_and_averaged_as_queries(
    make_tap: Make, whole_map: Whole
):
    tap = make_tap()
    weights = whole_map(tap)[0][0, 3].numpy()
    by_hand = np.array(
        [[weights[a:b, c:d].sum(1).mean() for c, d in WORDS] for a, b in WORDS], dtype=np.float32
    )
    found = tile(tap, 3, row_spans=WORDS, column_spans=WORDS)
    np.testing.assert_allclose(found.values, by_hand, atol=1e-6)
    part = tile(tap, 3, row=1, column=2, height=2, width=1, row_spans=WORDS, column_spans=WORDS)
    np.testing.assert_allclose(part.values, by_hand[1:3, 2:3], atol=1e-6)
    coarse = tile(tap, 3, level=1, row_spans=WORDS, column_spans=WORDS).values
    np.testing.assert_allclose(coarse, reduced(by_hand, 2, "max"), atol=1e-6)


def test_words_that_the_mask_hides_are_hidden(make_tap: Make):
    tap = make_tap(11, 11, mask=Causal())
    found = tile(tap, 0, row_spans=WORDS, column_spans=WORDS).values
    assert np.array_equal(np.isnan(found), ~np.tri(4, dtype=bool))


def test_a_preview_looks_at_every_so_manieth_row(make_tap: Make, whole_map: Whole):
    tap = make_tap(32, 16)
    found = tile(tap, 0, level=3, every=4)
    expected = visible(tap, whole_map, 0)[::4].reshape(4, 2, 2, 8).max((1, 3))
    np.testing.assert_allclose(found.values, expected, atol=1e-6)
    assert found.every == 4
    assert tile(tap, 0, level=1, every=8).every == 2  # a row of every cell at least


def test_thumbnails_show_every_head(make_tap: Make, whole_map: Whole):
    tap = make_tap(13, 13, mask=Causal())
    pictures, rows = thumbnails(tap, 5)
    assert (pictures.shape, rows) == ((6, 5, 5), 13)
    for head in range(6):
        expected = reduced(visible(tap, whole_map, head), 3, "max")
        np.testing.assert_allclose(pictures[head], expected, atol=1e-6)


def test_thumbnails_of_a_long_text_look_at_some_rows(make_tap: Make):
    tap = make_tap(101, 67, heads=2, key_heads=1)
    pictures, rows = thumbnails(tap, 11, rows=25)
    assert pictures.shape == (2, 11, 7)
    assert not np.isnan(pictures).any()
    assert 25 <= rows < 40


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (dict(row=6, level=1), "row must be from 0 to 5 at level 1"),
        (dict(column=-1), "column must be from 0 to 12 at level 0"),
        (dict(height=0), "at least one cell wide"),
        (dict(level=-1), "level must be from 0"),
        (dict(quantity="wieght"), "Did you mean 'weight'"),
        (dict(reduce="sum"), "reduce must be one of max, mean"),
        (dict(every=3), "every must be a power of two; got 3"),
    ],
)
def test_a_tile_that_cannot_be_is_refused(make_tap: Make, options: dict, sentence: str):
    with pytest.raises(RegardError, match=sentence):
        tile(make_tap(), 0, **options)


def test_a_tile_that_is_too_large_is_refused(make_tap: Make):
    tap = make_tap(3000, 3000, heads=1, key_heads=1)
    with pytest.raises(RegardError, match=r"a tile may have 4,194,304 cells; got 3000 x 3000"):
        tile(tap, 0, height=3000, width=3000)


def test_the_tiles_of_a_head_that_is_not_there_are_refused(make_tap: Make):
    with pytest.raises(RegardError, match="has heads 0 to 5; got 7"):
        tile(make_tap(), 7)


@pytest.mark.parametrize("case", BY_HAND["tiles"], ids=lambda case: case["name"])
def test_a_tile_is_the_one_worked_out_by_hand(case):
    weights = torch.tensor(np.array(BY_HAND["weights"], dtype=np.float32))  # null: NaN
    allowed = ~weights.isnan()
    # Scores that are the logarithms of weights whose rows add up to 1 have them as their softmax.
    query = weights.nan_to_num(1.0).log()[None, None]
    key = torch.eye(weights.shape[1])[None, None]
    attention = Attention(query, key, key, dot, Dense(allowed), None)
    tap = Tap("map", "encoder", "self", 0, attention, queries="tokens", keys="tokens")
    words = case["request"].get("group") == "word"
    found = tile(
        tap,
        0,
        row_spans=BY_HAND["query_words"] if words else None,
        column_spans=BY_HAND["key_words"] if words else None,
        **case["request"],
    )
    np.testing.assert_allclose(found.values, np.array(case["values"], dtype=float), atol=1e-6)
