"""Packed models of a test are in a folder of their own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where models are packed."""
    folder = tmp_path / "packed models"
    monkeypatch.setenv("REGARD_CACHE", str(folder))
    return folder


@pytest.fixture
def same() -> Callable[..., None]:
    """Asserts a relative error of at most 1e-5, by the largest number that is expected."""

    def check(got: Any, expected: Any) -> None:
        got, expected = np.asarray(got), np.asarray(expected.detach())
        assert got.shape == expected.shape
        assert got.dtype == np.float32
        assert np.abs(got - expected).max() <= 1e-5 * np.abs(expected).max()

    return check
