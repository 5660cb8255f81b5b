"""A config says which of its values is refused, and what it may be."""

from dataclasses import dataclass

import pytest

from regard import RegardError
from regard.models import RecurrentConfig
from regard.models.configs.config import ModelConfig, from_preset, one_of


@dataclass
class Config(ModelConfig):
    norm: str = one_of("pre", ("post", "pre"))
    dropout: float = 0.0


def test_a_change_goes_before_the_presets_value_and_an_unknown_preset_lists_the_known() -> None:
    presets = {"small": dict(norm="post", dropout=0.5)}
    assert from_preset(Config, presets, "small", dropout=0.25) == Config("post", dropout=0.25)
    with pytest.raises(RegardError, match=r"preset must be one of small; got 'smal'.*'small'"):
        from_preset(Config, presets, "smal")


def test_a_value_outside_its_choices_is_refused() -> None:
    with pytest.raises(RegardError, match="norm must be one of post, pre; got 'none'"):
        Config(norm="none")
    with pytest.raises(RegardError, match="dropout must be from 0 to 255/256; got 1"):
        Config(dropout=1)


@pytest.mark.parametrize("name", ["pad_id", "eos_id", "start_id"])
@pytest.mark.parametrize("value", [-1, 7])
def test_a_token_id_outside_the_vocabulary_is_refused(name: str, value: int) -> None:
    RecurrentConfig(vocab_size=7, **{name: 6})  # type: ignore[arg-type]
    with pytest.raises(RegardError, match=f"{name} must be below the vocabulary's 7; got {value}"):
        RecurrentConfig(vocab_size=7, **{name: value})  # type: ignore[arg-type]
