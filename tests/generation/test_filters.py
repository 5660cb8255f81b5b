from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from regard.errors import RegardError
from regard.generation import GenerationConfig
from regard.generation.filters import (
    NO_TOKEN,
    BadWords,
    ForcedBeginning,
    ForcedToken,
    MinNewTokens,
    MinP,
    NoRepeatNgram,
    Renormalize,
    RepetitionPenalty,
    Temperature,
    TopK,
    TopP,
    filters_for,
)

NOTHING = torch.zeros(1, 0, dtype=torch.long)


def allowed(logits: Tensor) -> list[list[int]]:
    """The tokens of each row that a filter has left possible."""
    return [(row > -torch.inf).nonzero()[:, 0].tolist() for row in logits]


def probabilities(*values: float) -> Tensor:
    return torch.tensor([values]).log()


def test_temperature_divides() -> None:
    logits = torch.tensor([[1.0, -2.0, 3.0]])
    assert Temperature(0.5)(logits, NOTHING, 0).tolist() == [[2.0, -4.0, 6.0]]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("temperature", [1e-30, 1e-39, 5e-324])
@pytest.mark.parametrize("array", [torch.tensor, np.float32])
def test_the_smallest_temperature_leaves_the_likeliest(array: Any, temperature: float) -> None:
    logits = Temperature(temperature)(array([[1.0, -2.0, 3.0, 20.0]]), NOTHING, 0)
    assert torch.as_tensor(logits).softmax(-1).tolist() == [[0, 0, 0, 1]]


def test_top_k_keeps_the_k_likeliest_and_their_equals() -> None:
    logits = torch.tensor([[1.0, 4.0, 2.0, 3.0, 2.0], [5.0, 4.0, 3.0, 2.0, 1.0]])
    assert allowed(TopK(3)(logits, NOTHING, 0)) == [[1, 2, 3, 4], [0, 1, 2]]
    assert allowed(TopK(9)(logits, NOTHING, 0)) == [[0, 1, 2, 3, 4]] * 2


@pytest.mark.parametrize(
    ("p", "kept"), [(0.3, [2]), (0.55, [2, 3]), (0.75, [0, 2, 3]), (1.0, [0, 1, 2, 3])]
)
def test_top_p_keeps_the_fewest_that_reach_p(p: float, kept: list[int]) -> None:
    assert allowed(TopP(p)(probabilities(0.19, 0.1, 0.5, 0.21), NOTHING, 0)) == [kept]


def test_top_p_keeps_the_likeliest_however_small_p() -> None:
    assert allowed(TopP(1e-9)(probabilities(0.2, 0.1, 0.7), NOTHING, 0)) == [[2]]


def test_min_p_is_relative_to_the_likeliest() -> None:
    logits = probabilities(0.5, 0.3, 0.149, 0.051)
    assert allowed(MinP(0.31)(logits, NOTHING, 0)) == [[0, 1]]
    assert allowed(MinP(0.29)(logits, NOTHING, 0)) == [[0, 1, 2]]


def test_repetition_penalty_lowers_seen_tokens_of_either_sign_once() -> None:
    logits = torch.tensor([[3.0, -3.0, 3.0, -3.0]])
    history = torch.tensor([[NO_TOKEN, 0, 1, 0]])
    assert RepetitionPenalty(1.5)(logits, history, 0).tolist() == [[2.0, -4.5, 3.0, -3.0]]


def test_no_ngram_comes_twice() -> None:
    logits = torch.zeros(3, 7)
    history = torch.tensor([[1, 2, 3, 1, 2], [1, 2, 3, 2, 4], [5, 6, 1, 6, 1]])
    assert allowed(NoRepeatNgram(3)(logits, history, 0)) == [
        [0, 1, 2, 4, 5, 6],  # 1 2 was followed by 3
        [0, 1, 2, 3, 4, 5, 6],
        [0, 1, 2, 3, 4, 5],  # 6 1 was followed by 6
    ]
    assert allowed(NoRepeatNgram(1)(logits, history, 0)) == [[0, 4, 5, 6], [0, 5, 6], [0, 2, 3, 4]]
    assert NoRepeatNgram(6)(logits, history, 0) is logits


def test_padding_repeats_no_ngram() -> None:
    padded = torch.tensor([[NO_TOKEN, NO_TOKEN, NO_TOKEN, 1]])
    assert allowed(NoRepeatNgram(2)(torch.zeros(1, 3), padded, 0)) == [[0, 1, 2]]
    assert allowed(NoRepeatNgram(1)(torch.zeros(1, 3), padded, 0)) == [[0, 2]]


def test_a_bad_word_is_forbidden_only_where_it_would_be_completed() -> None:
    filter_ = BadWords(((5,), (1, 2), (3, 1, 4)))
    history = torch.tensor([[3, 1], [1, 3], [1, 1]])
    assert allowed(filter_(torch.zeros(3, 6), history, 0)) == [
        [0, 1, 3],
        [0, 1, 2, 3, 4],
        [0, 1, 3, 4],
    ]
    assert allowed(filter_(torch.zeros(1, 6), NOTHING, 0)) == [[0, 1, 2, 3, 4]]


@pytest.mark.parametrize(
    "filter_", [BadWords(((8,),)), MinNewTokens(1, (2, 8)), ForcedToken(8, at=0)]
)
def test_a_token_outside_the_vocabulary_is_refused(filter_: Any) -> None:
    with pytest.raises(RegardError, match="below the vocabulary's 6; got 8"):
        filter_(torch.zeros(1, 6), NOTHING, 0)


def test_the_end_waits_for_min_new_tokens() -> None:
    filter_ = MinNewTokens(2, (0, 3))
    assert [allowed(filter_(torch.zeros(1, 4), NOTHING, n))[0] for n in (0, 1, 2)] == [
        [1, 2],
        [1, 2],
        [0, 1, 2, 3],
    ]


def test_a_forced_token_is_the_only_one_and_free_at_its_step() -> None:
    logits = torch.randn(2, 5)
    assert ForcedToken(3, at=4)(logits, NOTHING, 3) is logits
    forced = ForcedToken(3, at=4)(logits, NOTHING, 4)
    assert allowed(forced) == [[3], [3]]
    assert forced[:, 3].tolist() == [0.0, 0.0]


def test_a_forced_beginning_costs_what_it_costs_the_model() -> None:
    logits = torch.randn(2, 5)
    assert ForcedBeginning((3, 1))(logits, NOTHING, 2) is logits
    forced = ForcedBeginning((3, 1))(logits, NOTHING, 1)
    assert allowed(forced) == [[1], [1]]
    assert forced[:, 1].tolist() == logits[:, 1].tolist()


def test_a_forced_beginning_goes_before_what_the_settings_forbid() -> None:
    forced = ForcedBeginning((2,))(torch.tensor([[0.5, 0.1, -torch.inf]]), NOTHING, 0)
    assert forced.tolist() == [[-torch.inf, -torch.inf, 0.0]]


def test_renormalized_log_probabilities_sum_to_one() -> None:
    left = Renormalize()(torch.tensor([[0.1, 0.0, 0.4]]).log(), NOTHING, 0)
    assert left.exp().tolist() == [pytest.approx([0.2, 0.0, 0.8])]


SETTINGS: dict[str, Any] = {
    "temperature": 0.5,
    "top_k": 3,
    "top_p": 0.6,
    "min_p": 0.2,
    "repetition_penalty": 1.5,
    "no_repeat_ngram_size": 2,
    "bad_words_ids": [[4]],
    "min_new_tokens": 9,
    "forced_bos_token_id": 5,
    "forced_beginning": (5, 5),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_changes_logits_and_not_in_place(name: str) -> None:
    config = GenerationConfig(
        eos_token_id=0, do_sample=True, **({"top_k": 0} | {name: SETTINGS[name]})
    )
    logits = torch.randn(3, 7, generator=torch.Generator().manual_seed(0))
    before, history = logits.clone(), torch.tensor([[1, 2, 1]] * 3)
    [only] = filters_for(config)
    assert not torch.equal(only(logits, history, 0), before)
    assert torch.equal(logits, before)


def test_forced_end_acts_at_the_last_token() -> None:
    [only] = filters_for(GenerationConfig(forced_eos_token_id=2, max_new_tokens=6))
    assert only == ForcedToken(2, at=5)


def test_nothing_asked_for_is_no_filter() -> None:
    assert filters_for(GenerationConfig(eos_token_id=0, num_beams=4)) == []


def test_the_end_of_sentence_is_no_bad_word() -> None:
    assert filters_for(GenerationConfig(eos_token_id=0, bad_words_ids=((0,),))) == []


@pytest.mark.parametrize("array", [torch.Tensor.clone, torch.Tensor.numpy])
def test_suppressed_tokens_and_timestamps_are_those_of_transformers(array: Any) -> None:
    """Random texts of the tokens 0-8, the end 9, no time 10, and the times 11-19."""
    process = pytest.importorskip("transformers.generation.logits_process")
    settings = SimpleNamespace(
        **dict(no_timestamps_token_id=10, eos_token_id=9, bos_token_id=9),
        max_initial_timestamp_index=3,
    )
    rules = filters_for(
        GenerationConfig(
            **dict(eos_token_id=9, suppress_tokens=[2, 5, 14], begin_suppress_tokens=[3, 12]),
            **dict(timestamps_from=11, max_initial_timestamp_index=3),
        )
    )
    theirs = [
        process.SuppressTokensLogitsProcessor([2, 5, 14]),
        process.SuppressTokensAtBeginLogitsProcessor([3, 12], begin_index=2),
        process.WhisperTimeStampLogitsProcessor(settings, begin_index=2),
    ]
    draw, kept = torch.Generator().manual_seed(5), set()
    for generated in (0, 1, 2, 3, 6):
        history = torch.randint(0, 20, (64, 2 + generated), generator=draw)
        history = torch.where(history > 10, history.cummax(1).values, history)  # times rise
        logits = 3 * torch.randn(64, 20, generator=draw)
        found, expected = array(logits), logits
        for rule, their_rule in zip(rules, theirs, strict=True):
            found = rule(found, array(history), generated)
            expected = their_rule(history, expected)
        assert torch.equal(torch.as_tensor(found), expected)
        kept |= {tuple(row) for row in allowed(expected)}
    assert len(kept) > 20
