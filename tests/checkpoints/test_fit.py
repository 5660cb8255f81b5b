"""With a family of two tables and one layer, whose file may spell its names in several ways."""

from typing import Any

import pytest
import torch
from torch import Tensor

from regard.checkpoints.family import Family
from regard.checkpoints.fit import fit
from regard.models.configs.config import ModelConfig

OURS = {"table.weight": (5, 3), "inner.weight": (7, 3), "inner.bias": (7,)}
FAMILY = Family(
    config=dict,
    classes={"small": "Small"},
    keys={},
    body=(("table", "embed"), ("inner", "dense")),
    aliases=lambda config: {"lm_head.weight": "small.embed.weight"},
    base="small.",
    renamed=((".gamma", ".weight"), (".beta", ".bias")),
    ignored=("*.position_ids",),
)
WEIGHTS = {
    "small.embed.weight": torch.rand(5, 3),
    "small.dense.weight": torch.rand(7, 3),
    "small.dense.bias": torch.rand(7),
}


def fitted(weights: dict[str, Tensor]) -> Any:
    return fit(
        FAMILY, ModelConfig(), OURS, {name: tuple(tensor.shape) for name, tensor in weights.items()}
    )


def renamed(changes: dict[str, str]) -> dict[str, Tensor]:
    return {changes.get(name, name): tensor for name, tensor in WEIGHTS.items()}


def test_names_as_they_are_written_fit() -> None:
    found = fitted(WEIGHTS)
    assert found.problems() == []
    assert found.found == {name: name for name in WEIGHTS}


@pytest.mark.parametrize(
    "changes",
    [
        {name: name.removeprefix("small.") for name in WEIGHTS},
        {"small.dense.weight": "small.dense.gamma", "small.dense.bias": "dense.beta"},
        {"small.embed.weight": "lm_head.weight"},
    ],
)
def test_other_spellings_are_found(changes: dict[str, str]) -> None:
    found = fitted(renamed(changes))
    assert found.problems() == []
    assert set(found.found.values()) == set(renamed(changes))


def test_what_is_recomputed_is_ignored_with_and_without_the_prefix() -> None:
    assert fitted(WEIGHTS | {"small.embed.position_ids": torch.ones(4)}).problems() == []
    assert fitted(WEIGHTS | {"embed.position_ids": torch.ones(4)}).problems() == []


def test_every_problem_is_a_line_with_both_shapes() -> None:
    weights = renamed({"small.dense.bias": "small.extra"})
    weights["small.dense.weight"] = torch.rand(3, 7)
    assert fitted(weights).problems() == [
        "small.dense.bias is missing",
        "small.extra is unexpected",
        "small.dense.weight must be (7, 3) according to config.json but is (3, 7)",
    ]


def test_a_tied_weight_in_two_places_is_compared() -> None:
    equal = WEIGHTS | {"lm_head.weight": WEIGHTS["small.embed.weight"].clone()}
    assert fitted(equal).problems() == []
    assert list(fitted(equal).untrue(equal.__getitem__)) == []
    differs = WEIGHTS | {"lm_head.weight": WEIGHTS["small.embed.weight"] + 1}
    assert list(fitted(differs).untrue(differs.__getitem__)) == [
        "lm_head.weight must equal small.embed.weight, to which config.json ties it, but differs"
    ]
