"""Groups of weights: what is decayed, what Muon updates, whose rate is scaled."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from regard.training.config import TrainingConfig
from regard.training.muon import Muon
from regard.training.optimizer import make_optimizers
from regard.training.precision import MasterWeights

CONFIG = TrainingConfig(
    learning_rate=0.1, warmup=3, cooldown=0, weight_decay=0.25, accumulate=1, evaluate_every=4,
    average=1, patience=0, max_steps=5, max_minutes=None, precision="fp32", seed=1,
)  # fmt: skip


@pytest.fixture
def groups() -> Any:
    """The groups of a model with a table, two matrices, biases and a norm: name → group, kind."""
    model = nn.ModuleDict(
        {
            "embed": nn.Embedding(7, 3),
            "layers": nn.ModuleList([nn.Linear(3, 5), nn.LayerNorm(5)]),
            "output": nn.Linear(5, 2),
        }
    )
    weights = MasterWeights(model, torch.float32)
    names = {id(parameter): name for name, parameter in weights.parameters.items()}

    def of(**changes: Any) -> dict[str, tuple[type, dict[str, Any]]]:
        optimizers = make_optimizers(
            weights, replace(CONFIG, **changes), lambda name: 0.5 if "embed" in name else 1.0
        )
        return {
            names[id(parameter)]: (type(optimizer), group)
            for optimizer in optimizers
            for group in optimizer.param_groups
            for parameter in group["params"]
        }

    return of


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_matrices_are_decayed_and_biases_and_norms_are_not(groups, optimizer):
    every = groups(optimizer=optimizer).items()
    decays = {name: group["weight_decay"] for name, (_, group) in every}
    assert decays == {
        "embed.weight": 0.25,
        "layers.0.weight": 0.25,
        "layers.0.bias": 0.0,
        "layers.1.weight": 0.0,
        "layers.1.bias": 0.0,
        "output.weight": 0.25,
        "output.bias": 0.0,
    }


def test_muon_updates_the_matrices_of_layers_and_adamw_the_others(groups):
    kinds = {name: kind for name, (kind, _) in groups(optimizer="muon").items()}
    assert [name for name, kind in kinds.items() if kind is Muon] == ["layers.0.weight"]
    assert set(kinds.values()) == {Muon, torch.optim.AdamW}
    assert {kind for kind, _ in groups(optimizer="adamw").values()} == {torch.optim.AdamW}


def test_a_weight_keeps_the_factor_of_its_rate(groups):
    factors = {name: group["scale"] for name, (_, group) in groups().items()}
    assert factors.pop("embed.weight") == 0.5
    assert set(factors.values()) == {1.0}
