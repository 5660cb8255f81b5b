"""What cannot be trained is refused before any work; what is given arrives."""

from dataclasses import asdict, fields
from typing import Any

import pytest

from regard import RegardError
from regard.tasks.translation.train_options import LadderOptions, TrainingOptions
from regard.training import TrainingConfig


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "huge"}, "preset must be one of tiny, small, base, big; got 'huge'"),
        ({"norm": "none"}, "norm must be one of post, pre"),
        ({"dropout": 1.5}, "dropout must be from 0 to 255/256; got 1.5"),
        ({"precision": "fp8"}, "precision must be one of auto, fp32, bf16"),
        ({"learning_rate": 0.0}, "learning_rate must be above 0"),
        ({"seed": -1}, "seed must be from 0"),
        ({"max_length": 512}, "max_length must be at most 511 with this preset; got 512"),
        ({"max_length": 0}, "max_length must be at least 1; got 0"),
        ({"max_epochs": 0.0}, "max_epochs must be above 0"),
        ({"max_minutes": 0.0}, "max_minutes must be above 0"),
        ({"label_smoothing": 1.0}, "label_smoothing must be at least 0 and below 1"),
        ({"dev_sentences": 0}, "dev_sentences must be at least 1; got 0"),
    ],
)
def test_what_cannot_be_is_refused_before_any_work(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        TrainingOptions(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"architecture": "lstm"},
            "architecture must be one of transformer, recurrent; got 'lstm'",
        ),
        ({"cell": "lstm"}, "cell is an option of architecture 'recurrent'; got cell = 'lstm'"),
        ({"attention": "luong"}, "attention is an option of architecture 'recurrent'"),
        ({"architecture": "recurrent", "norm": "post"}, "norm is an option of .*'transformer'"),
        (
            {"architecture": "recurrent", "preset": "big"},
            "preset must be one of tiny, small, base; got 'big'",
        ),
        ({"architecture": "recurrent", "cell": "rnn"}, "cell must be one of gru, lstm"),
    ],
)
def test_options_of_another_architecture_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        TrainingOptions(**options)  # type: ignore[arg-type]


def test_options_arrive_in_the_config() -> None:
    options = TrainingOptions(
        architecture="recurrent", cell="lstm", attention="none", dropout=0.25, preset="small"
    )
    config = options.model_config(77, eos_id=5)
    assert (config.cell, config.attention, config.dropout) == ("lstm", "none", 0.25)
    assert (config.vocab_size, config.eos_id, config.d_model) == (77, 5, 256)
    assert options.model_name() == "recurrent small, cell lstm, attention none"
    assert TrainingOptions(norm="post").model_config(77).norm == "post"
    assert TrainingOptions().model_name() == "transformer tiny, norm pre"


def test_the_training_loop_gets_the_options() -> None:
    options = TrainingOptions(
        warmup=7, max_steps=90, cooldown=5, weight_decay=0.25, accumulate=3, evaluate_every=11,
        average=2, patience=13, max_minutes=17.5, precision="bf16", seed=19, learning_rate=0.5,
    )  # fmt: skip
    config = asdict(options.training_config(epoch=1000))
    shared = {field.name for field in fields(TrainingOptions)} & config.keys()
    assert {name: config[name] for name in shared} == {n: getattr(options, n) for n in shared}
    assert len(shared) == len(fields(TrainingConfig)) - 3  # betas, eps and clip_norm are the loop's


def test_the_preset_gives_the_learning_rate() -> None:
    assert TrainingOptions().training_config(epoch=1000).learning_rate == 5e-3
    recurrent = TrainingOptions(architecture="recurrent", preset="base")
    assert recurrent.training_config(epoch=1000).learning_rate == 1e-3


def test_the_ladder_differs_in_its_folder_alone() -> None:
    assert LadderOptions(output="x") == LadderOptions(**asdict(TrainingOptions(output="x")))
    assert LadderOptions().output == "runs/ladder"


def test_options_are_printed_where_they_differ_from_the_defaults() -> None:
    assert repr(TrainingOptions(norm="post", seed=3)) == "TrainingOptions(seed=3, norm='post')"
    assert repr(LadderOptions()) == "LadderOptions()"
