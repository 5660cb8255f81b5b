import math

import pytest
import torch

from regard import RegardError
from regard.models.layers import Embedding, check_ids, empty_table

VOCAB, D_MODEL, POSITIONS = 13, 6, 11


def embedding(**how: object) -> Embedding:
    table = empty_table(VOCAB, D_MODEL)
    torch.nn.init.normal_(table.weight)
    made = Embedding(table, **(dict(max_positions=POSITIONS) | how))  # type: ignore[arg-type]
    made.reset_positions()
    return made


def test_a_value_computed_by_hand() -> None:
    embed = embedding()
    ids = torch.tensor([[7, 3, 3]])
    token = embed.tokens.weight[3] * math.sqrt(6)
    # Position 2, in halves: three sines, then three cosines, of 2 / 10000^(2i/6).
    angles = [2 / 10_000 ** (2 * i / 6) for i in range(3)]
    position = torch.tensor([*map(math.sin, angles), *map(math.cos, angles)])
    torch.testing.assert_close(embed(ids)[0, 2], token + position)


def test_later_positions_can_be_embedded_alone() -> None:
    embed = embedding()
    ids = torch.randint(0, VOCAB, (2, 7))
    torch.testing.assert_close(embed(ids[:, 4:], start=4), embed(ids)[:, 4:])


def test_learned_positions_learn_and_sinusoids_do_not() -> None:
    for positions, learns in (("learned", True), ("sinusoidal", False)):
        embed = embedding(positions=positions)
        embed(torch.tensor([[1, 2]])).sum().backward()
        assert embed.positions is not None
        assert (embed.positions.weight.grad is not None) == learns


def test_dropout_acts_on_the_sum() -> None:
    embed = embedding(dropout=0.5)
    ids = torch.randint(0, VOCAB, (5, 11))
    kept = embed.eval()(ids)
    dropped = embed.train()(ids)
    zeros = dropped == 0
    assert 0.3 < zeros.float().mean() < 0.7
    torch.testing.assert_close(dropped[~zeros], 2 * kept[~zeros])


def test_a_sequence_beyond_the_positions_is_refused() -> None:
    embed = embedding()
    assert embed(torch.zeros(1, 11, dtype=torch.long)).shape == (1, 11, D_MODEL)
    for start, length in ((0, 12), (9, 3)):
        with pytest.raises(RegardError, match="11 positions; got a sequence of 12 tokens"):
            embed(torch.zeros(1, length, dtype=torch.long), start=start)


def test_each_row_may_have_positions_of_its_own() -> None:
    embed = embedding(positions="learned", offset=2)
    ids = torch.randint(0, VOCAB, (2, 3))
    assert embed.positions is not None
    assert embed.positions.weight.shape == (POSITIONS + 2, D_MODEL)
    output = embed(ids, positions=torch.tensor([[0, 0, 1], [4, 5, 10]]))
    expected = (
        embed.tokens.weight[ids] * 6**0.5
        + embed.positions.weight[torch.tensor([[2, 2, 3], [6, 7, 12]])]
    )
    torch.testing.assert_close(output, expected)
    following = embed(ids, start=4)
    torch.testing.assert_close(following, embed(ids, positions=torch.tensor([[4, 5, 6]])))
    with pytest.raises(RegardError, match="11 positions; got a sequence of 12 tokens"):
        embed(ids, positions=torch.tensor([[0, 1, 11]]))


def test_token_types_are_added_and_the_first_is_the_default() -> None:
    embed = embedding(positions="none", scale=False, token_types=3)
    ids = torch.randint(0, VOCAB, (2, 4))
    assert embed.token_types is not None
    assert embed.positions is None
    kinds = torch.tensor([[0, 1, 2, 2], [1, 0, 0, 0]])
    torch.testing.assert_close(
        embed(ids, token_type_ids=kinds), embed.tokens.weight[ids] + embed.token_types.weight[kinds]
    )
    assert torch.equal(embed(ids), embed(ids, token_type_ids=torch.zeros(2, 4, dtype=torch.long)))


def test_the_sum_is_normalized_before_dropout() -> None:
    embed = embedding(norm=torch.nn.LayerNorm(D_MODEL), dropout=0.5)
    ids = torch.randint(0, VOCAB, (5, 11))
    normed = embed.eval()(ids)
    torch.testing.assert_close(normed.mean(-1), torch.zeros(5, 11), atol=1e-6, rtol=0)
    dropped = embed.train()(ids)
    torch.testing.assert_close(dropped[dropped != 0], 2 * normed[dropped != 0])


def test_unscaled_tokens_alone_are_looked_up_and_nothing_else() -> None:
    embed = embedding(positions="none", scale=False, max_positions=None)
    ids = torch.randint(0, VOCAB, (2, 23))
    assert torch.equal(embed(ids, start=999), embed.tokens.weight[ids])


def test_unknown_positions_list_the_known() -> None:
    with pytest.raises(RegardError, match="one of sinusoidal, spread, learned, none; got 'rotary'"):
        embedding(positions="rotary")


def test_ids_outside_the_table_are_named() -> None:
    check_ids(torch.tensor([[0, 12]]), 13)
    check_ids(torch.empty(1, 0, dtype=torch.long), 13)
    for id_ in (13, -1):
        with pytest.raises(RegardError, match=f"from 0 to 12; got {id_}"):
            check_ids(torch.tensor([[3, id_]]), 13)
