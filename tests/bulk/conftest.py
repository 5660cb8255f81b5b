"""What the tests of bulk work start from."""

from pathlib import Path
from typing import Any

import pytest

from fixtures.bulk import UpperCase
from regard.bulk import Settings


@pytest.fixture
def upper_case(monkeypatch: pytest.MonkeyPatch) -> UpperCase:
    task = UpperCase()

    def opened(settings: Settings, *_: Any) -> UpperCase:
        task.task = settings.task
        return task

    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    for module in ("answering", "worker"):
        monkeypatch.setattr(f"regard.bulk.{module}.opened", opened)
    return task


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
