"""A config says which of its values is refused, and what it may be."""

from dataclasses import dataclass

import pytest

from regard import RegardError
from regard.models.configs import check_choices, check_token_ids, from_preset


@dataclass
class Config:
    norm: str = "pre"
    pad_id: int = 0
    eos_id: int = 6
    start_id: int = 2
    decoder_vocab_size: int = 7


def test_a_change_goes_before_the_presets_value_and_an_unknown_preset_lists_the_known() -> None:
    presets = {"small": dict(norm="post", eos_id=3)}
    assert from_preset(Config, presets, "small", eos_id=4) == Config("post", eos_id=4)
    with pytest.raises(RegardError, match=r"preset must be one of small; got 'smal'.*'small'"):
        from_preset(Config, presets, "smal")


def test_a_value_outside_its_choices_is_refused() -> None:
    check_choices(Config(), {"norm": ("post", "pre")})
    with pytest.raises(RegardError, match="norm must be one of post, pre; got 'none'"):
        check_choices(Config(norm="none"), {"norm": ("post", "pre")})


@pytest.mark.parametrize("name", ["pad_id", "eos_id", "start_id"])
@pytest.mark.parametrize("value", [-1, 7])
def test_a_token_id_outside_the_vocabulary_is_refused(name: str, value: int) -> None:
    check_token_ids(Config())
    with pytest.raises(RegardError, match=f"{name} must be below the vocabulary's 7; got {value}"):
        check_token_ids(Config(**{name: value}))  # type: ignore[arg-type]
