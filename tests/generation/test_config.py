import json
from typing import Any

import pytest
import torch

from regard.errors import RegardError
from regard.generation import GenerationConfig


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_new_tokens": 0}, "max_new_tokens must be at least 1; got 0"),
        ({"max_new_tokens": 2.5}, "max_new_tokens must be a whole number, at least 1; got 2.5"),
        ({"max_new_tokens": None}, "max_new_tokens must be .*; got None"),
        ({"num_beams": "4"}, "num_beams must be a whole number, from 1 to 1024; got '4'"),
        ({"num_beams": True}, "num_beams must be a whole number, from 1 to 1024; got True"),
        ({"length_penalty": float("nan")}, "length_penalty must be from -100 to 100; got nan"),
        ({"temperature": 0.0, "do_sample": True}, "temperature must be above 0; got 0.0"),
        (
            {"top_k": -1, "do_sample": True},
            "top_k must be at least 0; got -1",
        ),
        ({"top_p": 1.2, "do_sample": True}, "top_p must be above 0 and at most 1; got 1.2"),
        ({"min_p": -0.1, "do_sample": True}, "min_p must be from 0 to 1; got -0.1"),
        ({"repetition_penalty": 0}, "repetition_penalty must be above 0; got 0"),
        ({"no_repeat_ngram_size": -2}, "no_repeat_ngram_size must be .*; got -2"),
        ({"temperature": float("inf"), "do_sample": True}, "temperature must be above 0; got inf"),
        ({"seed": -1, "do_sample": True}, "seed must be at least 0; got -1"),
        ({"eos_token_id": -3}, "eos_token_id must be a token id of at least 0; got -3"),
        ({"eos_token_id": [2, "x"]}, "eos_token_id must be a token id of at least 0; got 'x'"),
        ({"bad_words_ids": [[3], []]}, "bad_words_ids must be non-empty lists .*; got \\[\\]"),
        ({"early_stopping": "soon"}, "early_stopping must be True, False or 'never'; got 'soon'"),
        ({"min_new_tokens": 9, "max_new_tokens": 8}, "min_new_tokens must be at most .* 8; got 9"),
        ({"do_sample": True, "num_beams": 4}, "do_sample=True needs num_beams=1; got num_beams=4"),
        ({"alternatives": 3, "num_beams": 2}, "at most num_beams = 2 .*; got 3"),
        ({"temperature": 0.7}, "temperature affects only sampling; got temperature=0.7"),
        ({"seed": 1, "num_beams": 2}, "seed affects only sampling; got seed=1"),
    ],
)
def test_nonsense_is_refused_by_name_and_range(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        GenerationConfig(**settings)


def test_one_or_several_ends() -> None:
    assert GenerationConfig().eos_ids == ()
    assert GenerationConfig(eos_token_id=5).eos_ids == (5,)
    assert GenerationConfig(eos_token_id=[5, 7]).eos_ids == (5, 7)


def test_start_is_a_column_of_the_start_token() -> None:
    start = GenerationConfig(decoder_start_token_id=3).start(2)
    assert start.tolist() == [[3], [3]]
    assert start.dtype == torch.long
    with pytest.raises(RegardError, match="decoder_start_token_id must be set"):
        GenerationConfig().start(2)


def test_asking_for_one_strategy_leaves_the_other() -> None:
    beam = GenerationConfig(num_beams=5, length_penalty=0.6)
    sampling = beam.updated(do_sample=True, temperature=0.7, seed=3)
    assert (sampling.num_beams, sampling.do_sample, sampling.temperature) == (1, True, 0.7)
    assert sampling.length_penalty == 0.6
    assert sampling.updated(num_beams=5) == beam
    assert sampling.updated(do_sample=False) == beam.updated(num_beams=1)
    assert sampling.updated(max_new_tokens=9).temperature == 0.7


def test_a_sampling_option_without_sampling_is_refused_when_updating() -> None:
    with pytest.raises(RegardError, match="top_p affects only sampling"):
        GenerationConfig(num_beams=5).updated(top_p=0.9)


def test_a_limit_goes_before_a_minimum_that_was_there_already() -> None:
    config = GenerationConfig(min_new_tokens=7)
    assert config.updated(max_new_tokens=5).min_new_tokens == 5
    assert config.updated(max_new_tokens=11).min_new_tokens == 7
    with pytest.raises(RegardError, match="min_new_tokens must be at most max_new_tokens = 5"):
        config.updated(max_new_tokens=5, min_new_tokens=6)
    with pytest.raises(RegardError, match="max_new_tokens must be at least 1"):
        config.updated(max_new_tokens=0)


def test_an_unknown_option_lists_the_known_and_the_nearest() -> None:
    with pytest.raises(
        RegardError, match=r"max_new_tokens, .* got 'num_beam'\. Did you mean 'num_beams'"
    ):
        GenerationConfig().updated(num_beam=3)


def test_dict_and_back() -> None:
    config = GenerationConfig(
        max_new_tokens=60,
        do_sample=True,
        temperature=0.6,
        top_p=0.9,
        alternatives=2,
        seed=3,
        eos_token_id=(0, 4),
        pad_token_id=2,
        bad_words_ids=((2,), (3, 4)),
    )
    values = json.loads(json.dumps(config.to_dict()))
    assert values["eos_token_id"] == [0, 4]
    assert values["num_return_sequences"] == 2
    assert GenerationConfig.from_dict(values) == (config, [])
    assert GenerationConfig().to_dict() == {"max_new_tokens": 256, "num_beams": 1}


def test_a_marian_file_is_read_whole() -> None:
    values = {
        "_from_model_config": True,
        "bad_words_ids": [[58100]],
        "bos_token_id": 0,
        "decoder_start_token_id": 58100,
        "eos_token_id": 0,
        "forced_eos_token_id": 0,
        "max_length": 512,
        "num_beams": 6,
        "pad_token_id": 58100,
        "renormalize_logits": True,
        "transformers_version": "4.32.0",
    }
    config, not_followed = GenerationConfig.from_dict(values)
    assert not_followed == []
    assert config == GenerationConfig(
        max_new_tokens=511,
        num_beams=6,
        bad_words_ids=((58100,),),
        renormalize_logits=True,
        forced_eos_token_id=0,
        eos_token_id=0,
        pad_token_id=58100,
        decoder_start_token_id=58100,
    )


def test_settings_that_are_not_followed_are_named() -> None:
    config, not_followed = GenerationConfig.from_dict(
        {
            "typical_p": 0.9,
            "num_beam_groups": 1,
            "token_healing": True,
            "temperature": 0.6,
            "min_length": 4,
        }
    )
    assert not_followed == ["typical_p", "token_healing", "temperature"]
    assert config == GenerationConfig(min_new_tokens=3)
    config, not_followed = GenerationConfig.from_dict({"do_sample": True, "num_beams": 4})
    assert not_followed == ["num_beams"]
    assert config.do_sample
