"""A search that repeats itself ends there."""

import random

import pytest
import torch

from regard.generation import GenerationConfig, generate
from regard.generation.repetition import repeats


class Endless:
    """A decoder that writes 1 2 3 1 2 3 … for ever; 0 ends and is always second."""

    def __init__(self, rows: int):
        self.rows, self.read = rows, 0

    def step(self, tokens: torch.Tensor) -> torch.Tensor:
        logits = torch.full((self.rows, 8), -9.0)
        logits[:, 1 + self.read % 3], logits[:, 0] = 2.0, 0.0
        self.read += 1
        return logits.log_softmax(-1)

    def select(self, rows: torch.Tensor) -> None:
        self.rows = len(rows)


def config(**changes: object) -> GenerationConfig:
    ids = dict(eos_token_id=0, pad_token_id=0, decoder_start_token_id=0)
    return GenerationConfig(max_new_tokens=200, **ids).updated(**changes)  # type: ignore[arg-type]


def test_what_runs_away_is_told_from_what_may_repeat() -> None:
    assert repeats([9, 9, 1, 2, 3] + [1, 2, 3] * 5) == 15
    assert repeats([5] * 16) == 15
    assert repeats([1, 2, 3, 1, 2]) == repeats([5] * 15) == repeats([]) == 0
    assert repeats([*range(5)] * 3) == 0  # three times may be meant
    assert repeats([1, 2, 3] * 8 + [4]) == 0  # it has ended
    random.seed(1)
    assert repeats([random.randrange(100) for _ in range(200)]) == 0


def test_greedy_search_is_cut_to_one_time() -> None:
    [[found]] = generate(Endless(1), config().start(1), config(cut_repetition=True))
    assert (found.tokens, found.finished, len(found.token_logprobs)) == ((1, 2, 3), False, 3)


def test_without_the_setting_or_before_the_minimum_nothing_is_cut() -> None:
    [[found]] = generate(Endless(1), config().start(1), config())
    assert len(found.tokens) == 200
    settings = config(cut_repetition=True, min_new_tokens=100, max_new_tokens=120)
    decoder = Endless(1)
    generate(decoder, settings.start(1), settings)
    assert decoder.read >= 100


@pytest.mark.parametrize("rows", [1, 3])
def test_rows_of_a_batch_and_beams_are_cut(rows: int) -> None:
    settings = config(cut_repetition=True, num_beams=2)
    decoder = Endless(rows)
    found = generate(decoder, settings.start(rows), settings)
    assert decoder.read <= 32
    assert all(len(each.tokens) < 30 for its in found for each in its)
