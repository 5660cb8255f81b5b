"""Patterns of heads beside dense weights, by hand."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

import regard
from regard import RegardError
from regard.attention import Causal, Mask
from regard.inspection import Trace
from regard.inspection.answers import AxisInfo, PatternScore
from regard.inspection.tap import Tap
from regard.inspection.views.patterns import above_chance, is_punctuation, named, targets
from regard.inspection.views.statistics import head_statistics, summary_of

Make = Callable[..., Tap]
Whole = Callable[[Tap], tuple[Tensor, Tensor]]
# Two pairs of equal tokens before the last; rows are the last 11 of 13 positions.
TOKENS = ["<s>", "▁a", "▁cat", ",", "▁a", "▁dog", ".", "▁a", "▁cat", "▁and", "▁so", "!", "</s>"]


def trace_of(tap: Tap, tokens: list[str]) -> Trace:
    axis = AxisInfo(tokens, None, None, None, prompt=len(tokens))
    return Trace({tap.name: tap}, {"target": axis}, "random", "generation")


def by_hand(weights: Tensor, allowed: Tensor, kept: Callable[[int, int], bool]) -> tuple:
    """Share, chance and rows of a pattern in one head's dense map, cell by cell."""
    shares, chances = [], []
    for row in range(len(weights)):
        keys = [key for key in range(weights.shape[1]) if allowed[row, key]]
        own = [key for key in keys if kept(row + 2, key)]
        if 0 < len(own) < len(keys):
            shares.append(sum(float(weights[row, key]) for key in own))
            chances.append(len(own) / len(keys))
    return sum(shares) / len(shares), sum(chances) / len(chances), len(shares)


PATTERNS: dict[str, Callable[[int, int], bool]] = {
    "previous": lambda at, key: key == at - 1,
    "next": lambda at, key: key == at + 1,
    "same": lambda at, key: key == at,
    "first": lambda at, key: key == 0,
    "separator": lambda at, key: key == 12,
    "punctuation": lambda at, key: key in (3, 6, 11),
    "induction": lambda at, key: 0 < key <= at and TOKENS[key - 1] == TOKENS[at] and key - 1 < at,
}


def test_shares_and_chances_are_those_of_the_dense_map(
    make_tap: Make, mask: Mask, whole_map: Whole, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("regard.inspection.views.statistics.TILE_ROWS", 4)
    monkeypatch.setattr("regard.inspection.views.statistics.TILE_COLUMNS", 5)
    tap = make_tap(mask=mask)
    trace = trace_of(tap, TOKENS)
    weights, allowed = (each[0] for each in whole_map(tap))
    checked = 0
    for info in trace.patterns(tap.name):
        for score in info.patterns:
            expected = by_hand(weights[info.head], allowed[info.head], PATTERNS[score.name])
            assert (score.share, score.chance) == pytest.approx(expected[:2], abs=1e-5)
            assert score.rows == expected[2]
            checked += 1
    assert checked >= 20


def test_an_even_head_has_what_chance_gives_and_no_name(make_tap: Make):
    tap = make_tap(mask=Causal())
    tap.query.zero_()
    for info in trace_of(tap, TOKENS).patterns(tap.name):
        assert len(info.patterns) == 6  # the future is unseen: there is no next token
        assert all(score.share == pytest.approx(score.chance) for score in info.patterns)
        assert info.pattern is None


def looking(make_tap: Make, key_of: Callable[[int], int]) -> Trace:
    """A trace whose head 0 looks at one key of each row, and the others evenly."""
    tap = make_tap(13, 13, heads=2, key_heads=2)
    tap.query.zero_()
    tap.key.zero_()
    query, key = torch.zeros(2, 1, 2, 13, 13)
    for at in range(13):
        key[0, 0, at, at] = 1
        query[0, 0, at, key_of(at)] = 30
    tap.attention = tap.attention._replace(query=query, key=key, value=tap.value[:1])
    return trace_of(tap, TOKENS)


@pytest.mark.parametrize(
    ("name", "key_of"),
    [
        ("previous", lambda at: max(at - 1, 0)),
        ("next", lambda at: min(at + 1, 12)),
        ("same", lambda at: at),
        ("first", lambda at: 0),
        ("separator", lambda at: 12),
        ("punctuation", lambda at: 3 if at % 2 else 6),
    ],
)
def test_a_head_that_does_one_thing_has_its_name(make_tap: Make, name: str, key_of):
    trace = looking(make_tap, key_of)
    one, even = trace.patterns("decoder.layers.1.self")
    assert (one.pattern, even.pattern) == (name, None)
    assert max(one.patterns, key=above_chance).share > 0.95


def test_induction_is_looked_for_only_where_a_token_comes_again(make_tap: Make):
    tokens = ["▁a", "▁b", "▁c", "▁d", "▁e", "▁f", "▁a", "▁b", "▁c", "▁d", "▁e", "▁f", "▁a"]
    trace = looking(make_tap, lambda at: at - 5 if 6 <= at < 12 else at)
    name = next(iter(trace))
    trace.axes["target"] = AxisInfo(tokens, None, None, None, prompt=13)
    found = {score.name: score for score in trace.patterns(name)[0].patterns}["induction"]
    assert found.rows == 7  # positions 6 to 12 have been there before
    assert found.share == pytest.approx(6 / 7, abs=5e-3)
    assert found.chance == pytest.approx((6 * 1 + 2) / 7 / 13)  # the last ▁a follows two others
    trace.axes["target"] = AxisInfo([str(i) for i in range(13)], None, None, None, prompt=13)
    assert "induction" not in {score.name for score in trace.patterns(name)[0].patterns}


def test_alignment_is_where_all_cross_attention_looks_most_among_words():
    trace = regard.load("en-de").trace("The dog sees the cat.")
    names = [name for name, tap in trace.items() if tap.kind == "cross"]
    dense = sum(trace[name].weights().sum(0) for name in names)
    words = [key for key, token in enumerate(trace.axes["source"].tokens) if token != "</s>"]
    rows = [i for i, token in enumerate(trace.axes["target"].predicts) if token != "</s>"]
    keys = [max(words, key=lambda key: float(dense[row, key])) for row in rows]
    for name in names:
        weights = trace[name].weights()
        for info in trace.patterns(name):
            [score] = [each for each in info.patterns if each.name == "alignment"]
            expected = sum(float(weights[info.head, i, j]) for i, j in zip(rows, keys, strict=True))
            assert score.share == pytest.approx(expected / len(rows), abs=1e-5)
            assert score.rows == len(rows)
            assert score.chance == pytest.approx(1 / len(trace.axes["source"].tokens))


def test_a_name_needs_a_share_well_above_chance_in_more_than_four_rows():
    def score(name, share, chance=0.1, rows=9):
        return PatternScore(name, share, chance, rows)

    assert named([score("first", 0.38), score("same", 0.36)]) == "first"  # 0.28 / 0.9 > 0.3
    assert named([score("first", 0.36)]) is None
    assert named([score("first", 0.8, chance=0.75), score("same", 0.5)]) == "same"
    assert named([score("induction", 0.9, rows=4), score("same", 0.5)]) == "same"
    assert named([]) is None


def test_punctuation_is_of_unicode_category_p_whatever_marks_a_word():
    assert all(map(is_punctuation, [",", "▁(", "Ġ.", "##!", "…", "।", "—", "?</w>"]))
    assert not any(map(is_punctuation, ["a,", "<s>", "[SEP]", "▁", "", "+", "3"]))


def test_a_sample_of_the_rows_gives_the_scores_of_these_rows(make_tap: Make):
    tap = make_tap(101, 103)
    trace = trace_of(tap, [str(i % 40) for i in range(103)])
    summary = summary_of(trace, tap.name, rows=20)
    assert summary.rows < 40
    every = head_statistics(tap, every=5, patterns=targets(trace, tap.name)).patterns
    assert [head.patterns for head in summary.heads] == every


def test_a_tap_that_is_not_there_is_refused(make_tap: Make):
    with pytest.raises(RegardError, match=r"tap must be one of decoder\.layers\.1\.self; got 'x'"):
        trace_of(make_tap(), TOKENS).patterns("x")
