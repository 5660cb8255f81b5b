import math

import pytest
import torch

from regard import RegardError
from regard.layers import Embedding, empty_table

VOCAB, D_MODEL, POSITIONS = 13, 6, 11


def embedding(**how: object) -> Embedding:
    table = empty_table(VOCAB, D_MODEL)
    torch.nn.init.normal_(table.weight)
    made = Embedding(table, max_positions=POSITIONS, **how)  # type: ignore[arg-type]
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
