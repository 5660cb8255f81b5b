import pytest
from torch import nn

from regard import RegardError, models
from regard.checkpoints.families import TYPES, find_family
from regard.checkpoints.family import Family


def test_every_model_type_has_its_family() -> None:
    for model_type in TYPES:
        assert isinstance(find_family(model_type, where="config.json").family, Family)
        assert issubclass(getattr(models, TYPES[model_type].model), nn.Module)


def test_an_unknown_model_type_lists_the_known_and_the_way_out() -> None:
    with pytest.raises(RegardError) as error:
        find_family("rwkv", where="x/config.json")
    message = str(error.value)
    assert all(model_type in message for model_type in TYPES)
    assert "x/config.json says 'rwkv'" in message
    assert "regard.trace" in message


@pytest.mark.parametrize("model_type", [None, 3, ["marian"], {}])
def test_a_model_type_that_is_no_name_is_refused(model_type: object) -> None:
    with pytest.raises(RegardError, match="model_type must be one of"):
        find_family(model_type, where="config.json")


@pytest.mark.parametrize("model_type", ["albert", "fsmt", "gpt_neox"])
def test_another_family_is_not_taken_for_a_misspelled_one(model_type: str) -> None:
    with pytest.raises(RegardError, match="regard look opens other models") as error:
        find_family(model_type, where="config.json")
    assert "Did you mean" not in str(error.value)
