"""kill -9: each task's command, killed and given again, ends with the same bits."""

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fixtures.tasks import OPTIONS, SUMMARIES, options, write_data

QUICK = ("classification", "language-model")
TASKS = [pytest.param(task, marks=[] if task in QUICK else [pytest.mark.slow]) for task in OPTIONS]


def kill_when(ready: Callable[[], bool], process: Any, said: Path) -> None:
    """Kills a command that was started, as kill -9 does, soon after it is ready."""
    while not ready() and process.poll() is None:
        time.sleep(0.002)
    time.sleep(0.02)
    process.kill()
    assert process.wait() == -signal.SIGKILL, said.read_text()


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

    def again() -> Any:
        return forks.start(*arguments, killed, output=said)

    kill_when(lambda: any(killed.glob("data/*")), again(), said)  # while the data is prepared
    assert not steps(killed)
    kill_when(lambda: bool(steps(killed)), again(), said)  # some steps behind a checkpoint
    reached = steps(killed)[-1]
    assert regard(*arguments, killed).code == 0
    assert regard(*arguments, whole).code == 0

    assert "step-00000008" <= reached < steps(whole)[-1] == "step-00000024"
    weights = [file.relative_to(whole) for file in whole.rglob("*.safetensors")]
    assert {"model.safetensors", "weights.safetensors", "optimizer.safetensors"} == {
        file.name for file in weights
    }
    for file in weights:
        assert (killed / file).read_bytes() == (whole / file).read_bytes(), file
    assert not list(killed.rglob("*.part"))
    print(f"{task}: killed behind {reached}; equal, {len(weights)} files")
