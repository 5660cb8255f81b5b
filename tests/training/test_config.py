import math
from dataclasses import replace

import pytest

from regard import RegardError
from regard.training import Progress, TrainingConfig

CONFIG = TrainingConfig(
    learning_rate=0.1, warmup=9, cooldown=0, weight_decay=0.0, accumulate=1, evaluate_every=5,
    average=2, patience=3, max_steps=None, max_minutes=None, precision="fp32", seed=7,
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("learning_rate", 0.0, "learning_rate must be above 0; got 0.0"),
        ("accumulate", 0, "accumulate must be above 0; got 0"),
        ("evaluate_every", -1, "evaluate_every must be above 0; got -1"),
        ("average", 0, "average must be above 0"),
        ("max_steps", 0, "max_steps must be above 0"),
        ("max_minutes", 0.0, "max_minutes must be above 0"),
        ("warmup", -1, "warmup must not be negative; got -1"),
        ("cooldown", -1, "cooldown must not be negative"),
        ("cooldown", 5, "must not be longer; got cooldown=5 and max_steps=None"),
        ("clip_norm", -0.5, "clip_norm must not be negative"),
        ("patience", -2, "patience must not be negative"),
        ("weight_decay", -0.1, "weight_decay must not be negative"),
        ("seed", -1, "seed must be from 0 to 4294967295; got -1"),
        ("precision", "fp16", "precision must be one of auto, fp32, bf16; got 'fp16'"),
    ],
)
def test_what_cannot_be_is_refused(name: str, value: object, message: str) -> None:
    with pytest.raises(RegardError, match=message):
        replace(CONFIG, **{name: value})  # type: ignore[arg-type]


def test_the_loss_is_a_mean_over_tokens() -> None:
    assert Progress(loss_sum=6.0, loss_terms=4).loss == 1.5
    assert math.isnan(Progress().loss)


def test_speed_leaves_out_the_time_of_evaluations() -> None:
    progress = Progress(tokens=600, seconds=50.0, evaluation_seconds=20.0)
    assert progress.tokens_per_second == 20
    assert math.isnan(Progress().tokens_per_second)
