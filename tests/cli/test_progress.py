"""Progress is shown in a terminal, and nowhere else."""

import io
import sys

import pytest

from regard.cli.progress import progress_bar, waiting


class Watched(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_somebody_who_watches_is_told_what_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = Watched()
    monkeypatch.setattr(sys, "stderr", stderr)
    with waiting("running [a] model"):
        pass
    assert "running [a] model" in stderr.getvalue()


def test_a_pipe_gets_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with waiting("running"), progress_bar(3, "sentences") as advance:
        advance(3)
    assert capsys.readouterr() == ("", "")
