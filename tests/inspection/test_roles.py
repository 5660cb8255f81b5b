"""Shares of roles: of heads that are known to have them, of even looks, and of none."""

import numpy as np
import pytest
import torch

from regard import trace
from regard.attention import Causal
from regard.attention.record import Attention
from regard.attention.scores import scaled_dot
from regard.engine.native.loading import open_native
from regard.engine.native.looking import seen
from regard.inspection.models import traced
from regard.inspection.roles import ROLES, name_shares, role_keys, role_shares
from regard.inspection.tap import Tap
from regard.models import Decoder, DecoderConfig

TWICE = np.array([4, 7, 2, 9, 4, 7, 2, 9])
TOKENS = 10  # of a vocabulary


def tap(places: list[int] | None, *, ids: np.ndarray = TWICE, turn: float = 1.0) -> Tap:
    """A layer of one head whose rows look at these places alone, evenly for None, and whose values
    are the tokens, turned by W_O."""
    length = len(ids)
    query = np.zeros((length, length), np.float32)
    if places is not None:
        query[np.arange(length), places] = 1000
    eye, value = np.eye(length, dtype=np.float32), np.eye(TOKENS, dtype=np.float32)[ids]
    arrays = [array[None, None] for array in (query, eye, value)]
    attention = Attention(*arrays, scaled_dot, Causal(), None)
    weight = turn * np.eye(TOKENS, dtype=np.float32)[None]
    return Tap("decoder.layers.0.self", "decoder", "self", 0, attention, "tokens", "tokens", weight)


def shares(layer: Tap, ids: np.ndarray = TWICE) -> tuple[dict[str, float], dict[str, float]]:
    """The shares of the layer's first head, and chance."""
    found, chance = role_shares(layer, ids, np.eye(TOKENS, dtype=np.float32))
    roles = ROLES[:-1]  # names are measured apart
    return dict(zip(roles, found[:, 0], strict=True)), dict(zip(roles, chance, strict=True))


@pytest.mark.parametrize(
    ("role", "places"),
    [
        ("previous", [0, 0, 1, 2, 3, 4, 5, 6]),
        ("duplicate", [0, 0, 0, 0, 0, 1, 2, 3]),
        ("induction", [0, 0, 0, 0, 1, 2, 3, 4]),
        ("first", [0] * 8),
    ],
)
def test_a_head_that_looks_nowhere_else_has_all_of_its_role(role: str, places: list[int]) -> None:
    found, _ = shares(tap(places))
    assert found[role] == pytest.approx(1)
    others = {name: share for name, share in found.items() if name not in (role, "copying")}
    assert max(others.values()) < 0.6


def test_an_even_look_has_what_theory_says() -> None:
    found, chance = shares(tap(None))
    rows = np.arange(1, 9)  # keys that each may see
    expected = {
        "previous": (1 / rows[1:]).mean(),
        "duplicate": (1 / rows[4:]).mean(),
        "induction": (1 / rows[4:]).mean(),
        "first": (1 / rows[1:]).mean(),
    }
    for role, share in expected.items():
        assert found[role] == pytest.approx(share)
        assert chance[role] == pytest.approx(share)
    assert chance["copying"] == 0.5


def test_values_that_are_the_tokens_copy_and_their_opposites_do_not() -> None:
    assert shares(tap(None))[0]["copying"] == pytest.approx(1)
    assert shares(tap(None, turn=-1.0))[0]["copying"] == 0


def test_a_role_that_no_row_shows_and_copying_without_weights_are_no_numbers() -> None:
    apart = np.arange(8)
    found, chance = shares(tap(None, ids=apart), apart)
    assert np.isnan([found["duplicate"], found["induction"], chance["induction"]]).all()
    assert np.isnan(role_shares(tap(None), TWICE)[0][ROLES.index("copying")]).all()


def test_all_earlier_copies_count() -> None:
    duplicate, induction = role_keys(np.array([5, 5, 6, 5]))[1:3]
    assert duplicate[3].tolist() == [True, True, False, False]
    assert induction[3].tolist() == [False, True, True, False]


def test_a_name_has_the_last_rows_weight_on_it_and_must_be_one_of_several_tokens() -> None:
    found, chance = name_shares(tap([0, 0, 1, 2, 3, 4, 5, 3]), slice(2, 4))
    assert (found[0], chance) == (pytest.approx(1), 2 / 8)
    assert np.isnan(name_shares(tap(None), slice(0, 8))[0]).all()
    assert np.isnan(name_shares(tap(None), slice(3, 3))[0]).all()


@pytest.mark.parametrize("native", [False, True])
def test_weights_that_are_made_to_look_at_the_token_before_do(native: bool) -> None:
    length = 12
    config = DecoderConfig(
        TOKENS, d_model=length, num_layers=1, num_heads=1, d_ff=4, max_positions=length
    )
    model, eye = Decoder(config).eval(), torch.eye(length)
    layer = model.decoder.layers[0].self_attention
    with torch.no_grad():
        model.decoder.embed.tokens.weight.zero_()
        model.decoder.embed.positions.weight.copy_(eye)
        layer.query.weight.copy_(20 * eye.roll(-1, 0))  # of place i, the query is place i - 1
        layer.key.weight.copy_(eye)
    ids = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8])
    inputs = {"ids": ids[None]}
    if native:
        run = traced(seen(open_native(model), model), inputs)
    else:
        run = trace(model, ids=torch.from_numpy(ids[None]))
    found, _ = role_shares(run["decoder.layers.0.self"], ids)
    assert found[0, 0] == pytest.approx(1, abs=1e-6)
