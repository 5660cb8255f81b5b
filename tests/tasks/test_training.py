"""Training by the name of a task; what a run does is tested in tests/tasks/translation."""

from pathlib import Path

import pytest

import regard
from regard import RegardError


def test_a_wrong_task_option_or_file_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"task must be one of .*; got 'chess'"):
        regard.train("chess", "a.tsv", tmp_path)
    with pytest.raises(
        RegardError, match=r"a training option must be one of output, .*; got 'epochs'"
    ):
        regard.train("translation", "a.tsv", tmp_path, epochs=3)
    with pytest.raises(RegardError, match=r"expected a file at a\.tsv"):
        regard.train("translation", "a.tsv", tmp_path / "run")
    with pytest.raises(RegardError, match=r"expected a file at b\.de"):
        regard.train("translation", (Path(__file__), Path("b.de")), tmp_path / "run")
    for data, output in (("", tmp_path / "run"), (__file__, "")):
        with pytest.raises(RegardError, match="`output` must be paths; got"):
            regard.train("language-model", data, output)
    assert list(tmp_path.iterdir()) == []
