"""What the tests of bulk work start from."""

from pathlib import Path

import pytest

from fixtures.bulk import UpperCase


@pytest.fixture
def upper_case(monkeypatch: pytest.MonkeyPatch) -> UpperCase:
    task = UpperCase()
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    for module in ("answering", "worker"):
        monkeypatch.setattr(f"regard.bulk.{module}.opened", lambda *settings: task)
    return task


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
