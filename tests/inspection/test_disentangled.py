"""Parts of a disentangled score add up to it, in torch, in the native engine and from a file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from fixtures.families import ENCODERS
from regard import RegardError, trace
from regard.arrays import as_numpy
from regard.engine.native.loading import open_native
from regard.engine.native.looking import seen
from regard.inspection import Trace
from regard.inspection.models import traced
from regard.inspection.views.formula import formula
from regard.models import Encoder, EncoderConfig

IDS = torch.randint(1, 31, (1, 23), generator=torch.Generator().manual_seed(5))
TAP = "encoder.layers.1.self"
TERMS = ["content to content", "content to position", "position to content"]


@pytest.fixture(scope="module")
def model() -> Encoder:
    torch.manual_seed(3)
    sizes: Any = dict(d_model=15, num_layers=2, num_heads=3, d_ff=22)
    made = Encoder(EncoderConfig(31, **sizes | ENCODERS["deberta"])).eval()
    for weight in made.parameters():
        torch.nn.init.normal_(weight, std=1.0)
    return made


@pytest.fixture(scope="module")
def run(model: Encoder) -> Trace:
    return trace(model, ids=IDS)


def check(tap: Any, wanted: Any) -> None:
    tile: Any = dict(queries=slice(3, 19), keys=slice(2, 9))
    parts, others = tap.parts(head=2, **tile), wanted.parts(head=2, **tile)
    assert list(parts) == TERMS
    for name, part in parts.items():
        assert np.ptp(as_numpy(part)) > 0.1
        np.testing.assert_allclose(as_numpy(part), as_numpy(others[name]), atol=1e-5)
    scores = as_numpy(tap.scores(head=2, **tile))
    np.testing.assert_allclose(as_numpy(sum(parts.values())), scores, atol=1e-5)


def test_the_terms_of_a_tile_add_up_to_its_scores(run: Trace) -> None:
    check(run[TAP], run[TAP])
    assert formula(run[TAP]) == "q·k / √15 + q·r_k / √15 + r_q·k / √15"
    with pytest.raises(RegardError, match="has heads 0 to 2"):
        run[TAP].parts(head=3)


def test_the_native_engine_gives_the_same_terms(model: Encoder, run: Trace) -> None:
    other = traced(seen(open_native(model), model), {"ids": IDS.numpy()})
    check(other[TAP], run[TAP])
    assert other.receipt.difference < 1e-5


def test_a_file_keeps_them(run: Trace, tmp_path: Path) -> None:
    run.save(tmp_path / "run.trace")
    check(Trace.load(tmp_path / "run.trace")[TAP], run[TAP])
