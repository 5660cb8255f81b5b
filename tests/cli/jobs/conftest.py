"""What the tests of files that are answered start from."""

from pathlib import Path

import pytest

import regard.tasks.loading
from fixtures.jobs import UpperCase, here
from regard.cli.jobs import local


@pytest.fixture
def upper_case(monkeypatch: pytest.MonkeyPatch) -> UpperCase:
    task = UpperCase()

    def load(name: str, kind: str) -> UpperCase:
        task.task = kind
        return task

    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(regard.tasks.loading, "load", load, raising=False)
    monkeypatch.setattr(local, "parts", here)
    return task


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
