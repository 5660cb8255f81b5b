import math

import pytest
import torch

from regard.generation import GenerationConfig, Hypothesis
from regard.generation.rankers import NBest, length_penalised, reachable_length


def hypothesis(score: float, *tokens: int) -> Hypothesis:
    return Hypothesis(tokens, score, (score,) * len(tokens), finished=True)


def test_score_is_the_total_over_a_power_of_the_length() -> None:
    totals = torch.tensor([-6.0, -3.0])
    assert length_penalised(totals, 4, 1.0).tolist() == [-1.5, -0.75]
    assert length_penalised(totals, 4, 0.5).tolist() == [-3.0, -1.5]
    assert length_penalised(totals, 4, 0.0).tolist() == [-6.0, -3.0]


def test_the_n_best_stay_and_the_earlier_of_equals_first() -> None:
    best = NBest(GenerationConfig(num_beams=3))
    for each in (hypothesis(-2, 1), hypothesis(-1, 2), hypothesis(-2, 3), hypothesis(-1, 4)):
        best.add(each)
    assert [each.tokens for each in best.hypotheses] == [(2,), (4,), (1,)]


@pytest.mark.parametrize(
    ("early_stopping", "best_running", "settled"),
    [
        (False, -1.9, False),
        (False, -2.0, True),
        ("never", -1.9, False),
        ("never", -2.1, True),
        (True, -0.1, True),
        (False, -math.inf, True),
    ],
)
def test_a_full_search_settles_when_no_running_hypothesis_can_enter(
    early_stopping: bool | str, best_running: float, settled: bool
) -> None:
    best = NBest(GenerationConfig(num_beams=2, early_stopping=early_stopping))
    best.add(hypothesis(-1, 1))
    assert not best.is_settled(-0.1)
    assert not best.is_settled(-99.0)
    assert best.is_settled(-math.inf)
    best.add(hypothesis(-2, 2))
    assert best.is_settled(best_running) is settled


def test_only_never_looks_ahead_and_only_when_length_helps() -> None:
    for early_stopping, penalty, length in [
        (False, 1.0, 3),
        (True, 1.0, 3),
        ("never", 1.0, 20),
        ("never", 0.0, 3),
        ("never", -1.0, 3),
    ]:
        config = GenerationConfig(
            max_new_tokens=20, num_beams=2, early_stopping=early_stopping, length_penalty=penalty
        )
        assert reachable_length(config, 3) == length
