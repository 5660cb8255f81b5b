"""A search that is asked and answered, beside the loop that drives it."""

from typing import Any

import numpy as np
import pytest

from regard.generation import GenerationConfig, Hypothesis, generate
from regard.generation.filters import Temperature
from regard.generation.search import Asked, NBest, search

SETTINGS: dict[str, Any] = dict(eos_token_id=(0, 5), max_new_tokens=9, length_penalty=0.7)


class Table:
    """Logits that depend on the last token alone, and end at different lengths."""

    def __init__(self) -> None:
        self.logits = np.random.default_rng(3).normal(size=(23, 23)).astype(np.float32)

    def step(self, tokens: np.ndarray) -> np.ndarray:
        return self.logits[tokens.reshape(len(tokens), -1)[:, -1]]

    def select(self, rows: np.ndarray) -> None:
        """Nothing is kept."""


def answered(asked: Asked, table: Table) -> tuple[np.ndarray, ...]:
    logits = table.step(asked.tokens)
    if asked.best is None:
        return (logits,)
    log_probs = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    best = np.argsort(-log_probs, axis=-1, kind="stable")[:, : asked.best]
    return np.take_along_axis(log_probs, best, 1), best


def found(first: int, **settings: Any) -> Hypothesis:
    """By a search of one text."""
    config = GenerationConfig(**SETTINGS | settings)
    table, results = Table(), [NBest(config)]
    searching = search(np.array([[first]]), config, [(0, 0)], results)
    asked = next(searching)
    while True:
        try:
            asked = searching.send(answered(asked, table))
        except StopIteration:
            return results[0].hypotheses[0]


def test_the_short_way_of_a_plain_search_gives_what_the_long_way_gives(monkeypatch: Any) -> None:
    plain = [found(first) for first in range(23)]
    # A temperature of 1 changes nothing, but is a filter.
    monkeypatch.setattr("regard.generation.search.filters_for", lambda _: [Temperature(1.0)])
    long = [found(first) for first in range(23)]
    assert plain == long
    assert len({len(each.tokens) for each in plain}) > 2


def test_a_search_that_is_driven_by_the_loop_gives_the_same() -> None:
    for first in range(23):
        config = GenerationConfig(**SETTINGS)
        [[expected]] = generate(Table(), np.array([[first]]), config)
        got = found(first)
        assert got.tokens == expected.tokens
        assert got.score == pytest.approx(expected.score, rel=1e-5)
