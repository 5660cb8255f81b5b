"""fixtures/covering.py: what the tests leave out of a product leaves out no pair."""

from itertools import combinations, product

import pytest

from fixtures.covering import covering, parametrize

AXES = ("abcde", range(4), (True, False), "xyz")


@pytest.mark.parametrize(("strength", "most"), [(1, 5), (2, 24), (3, 72)])
def test_every_combination_of_so_many_values_is_in_a_row(strength, most):
    rows = covering(*AXES, strength=strength)
    for places in combinations(range(len(AXES)), strength):
        met = {tuple(row[place] for place in places) for row in rows}
        assert met == set(product(*(AXES[place] for place in places)))
    assert len(rows) == len(set(rows)) <= most


def test_impossible_rows_are_left_out_and_the_pairs_of_the_others_meet():
    rows = covering(*AXES, possible=lambda letter, number, *_: (letter, number) != ("a", 0))
    assert ("a", 0) not in {row[:2] for row in rows}
    assert len({row[:2] for row in rows}) == 19


def test_a_test_has_a_case_for_each_row():
    assert parametrize("a, b, c, d", *AXES, strength=3).args[1] == covering(*AXES, strength=3)
