"""kill -9: each task's command, killed and given again, ends with the same bits."""

import signal
from pathlib import Path
from typing import Any

import pytest

from fixtures.tasks import OPTIONS, SUMMARIES, options, write_data

QUICK = ("classification",)
TASKS = [pytest.param(task, marks=[] if task in QUICK else [pytest.mark.slow]) for task in OPTIONS]


def steps(run: Path) -> list[str]:
    return sorted(folder.name for folder in (run / "checkpoints").glob("step-*"))


@pytest.mark.parametrize("task", TASKS)
def test_a_killed_run_ends_with_the_bits_of_an_uninterrupted_one(
    task: str, regard: Any, forks: Any, tmp_path: Path
) -> None:
    if task in SUMMARIES:
        pytest.importorskip("rouge_score")
    arguments = ["train", task, str(write_data(task, tmp_path)), *options(task), "--output"]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    said = tmp_path / "said"

    def kill_at(place: str) -> None:
        command = dict(module="fixtures.killed", environment={"KILLED_AT": place})
        code, text = forks.run(*arguments, killed, output=said, **command)
        assert code == -signal.SIGKILL, text

    kill_at("data")  # while it is prepared
    assert any(killed.glob("data/*"))
    assert not steps(killed)
    kill_at("10")  # some steps behind a checkpoint
    assert steps(killed)[-1] == "step-00000008"
    assert regard(*arguments, killed).code == 0
    assert regard(*arguments, whole).code == 0

    assert steps(whole)[-1] == "step-00000024"
    weights = [file.relative_to(whole) for file in whole.rglob("*.safetensors")]
    assert {"model.safetensors", "weights.safetensors", "optimizer.safetensors"} == {
        file.name for file in weights
    }
    for file in weights:
        assert (killed / file).read_bytes() == (whole / file).read_bytes(), file
    assert not list(killed.rglob("*.part"))
    print(f"{task}: equal, {len(weights)} files")
