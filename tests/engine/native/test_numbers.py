"""Matrices of int8 rows with a scale each: the numbers that they stand for."""

from typing import Any

import numpy as np
import pytest
import torch

from fixtures.families import small
from regard.engine.native import library, loading
from regard.errors import BadArgumentError
from regard.models import EncoderDecoder
from regard.studio.packing import round_weights, to_rows


def opened(model: Any, precision: str, monkeypatch: Any, *, scaled: bool = True) -> Any:
    """The model as the engine opens it from int8 rows; without their scales, if so asked."""
    config, arrays = loading.weights_of(model)
    for name, array in list(arrays.items()):
        if array.ndim == 2:
            arrays[name], scales = to_rows(array)
            if scaled:
                arrays[f"{name}.scales"] = scales
    with monkeypatch.context() as patch:
        patch.setattr(loading, "weights_of", lambda model: (config, arrays))
        return loading.open_native(model, precision)


@pytest.fixture
def model() -> EncoderDecoder:
    made = small("paper", positions="learned", d_model=24)
    round_weights(made)
    return made


@pytest.mark.parametrize("precision", library.PRECISIONS)
def test_rows_of_int8_compute_what_their_floats_do(precision, model, monkeypatch):
    draw = np.random.default_rng(5)
    source, target = draw.integers(2, 31, (1, 11)), draw.integers(2, 31, (1, 7))
    read = np.concatenate([[[model.config.start_id]], target[:, :-1]], 1)
    floats = loading.open_native(model, precision).states_beside(source, read)
    integers = opened(model, precision, monkeypatch).states_beside(source, read)
    np.testing.assert_allclose(integers, floats, rtol=0, atol=2e-2 if precision == "bf16" else 1e-5)
    if precision == "fp32":
        with torch.inference_mode():
            theirs = model.hidden(torch.from_numpy(source), torch.from_numpy(target))
        np.testing.assert_allclose(integers, theirs, rtol=0, atol=1e-5)


def test_rows_of_int8_need_their_scales(model, monkeypatch):
    with pytest.raises(BadArgumentError, match=r"there is no tensor .*\.scales"):
        opened(model, "fp32", monkeypatch, scaled=False)
