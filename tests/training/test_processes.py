"""Two processes learn what one does, in shards or not; they stop, die and resume as one."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from fixtures import several_processes
from fixtures.pictures import bars
from fixtures.several_processes import run, teach
from regard import RegardError
from regard.training import RunFolder
from regard.training.processes import Processes, batches_in_step, joined, launched, own_device

PROGRAM = Path(several_processes.__file__)
CPU = torch.device("cpu")


def torchrun(*command: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs `command` of Python in two processes, which compute with one thread each."""
    start = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    return subprocess.run(
        [*start, "--standalone", *map(str, command)],
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=900,
        **options,
    )


@pytest.fixture(scope="module")
def one_thread() -> Any:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two processes that were killed after its checkpoint of step 4. Beside it,
    two-one-two ended at step 3."""
    folder = tmp_path_factory.mktemp("killed")
    specs = folder / "specs.json"
    begun = {"folder": str(folder / "two-one-two"), "shard": True, "max_steps": 3}
    specs.write_text(
        json.dumps([begun, {"folder": str(folder / "run"), "shard": True, "die_at": 6}])
    )
    ended = torchrun(PROGRAM, specs)
    assert ended.returncode == -9, ended.stderr
    assert RunFolder(folder / "run").steps() == [4]
    return folder / "run"


@pytest.fixture(scope="module")
def runs(
    killed: Path, one_thread: None, forks: Any, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Folders of runs by one process and by two; see the names."""
    folder = tmp_path_factory.mktemp("runs")

    def spec(name: str, **changes: Any) -> dict[str, Any]:
        return {"folder": str(folder / name), **changes}

    run(**spec("one"))
    run(**spec("bf16-one", precision="bf16"))
    run(**spec("muon-one", optimizer="muon"))
    run(**spec("one-then-two", max_steps=3))
    between = str(killed.parent / "two-one-two")
    run(folder=between, max_steps=5)
    specs = [
        spec("replicated"),
        spec("replicated-again"),
        spec("sharded", shard=True),
        spec("sharded-again", shard=True),
        spec("bf16-sharded", shard=True, precision="bf16"),
        spec("muon-sharded", shard=True, optimizer="muon"),
        spec("one-then-two", shard=True, max_steps=5),
        {"folder": str(killed), "shard": True},
        {"folder": between, "shard": True},
    ]
    (folder / "specs.json").write_text(json.dumps(specs))
    module = {"module": several_processes.__name__, "folder": folder}
    for code, said in forks.torchrun(folder / "specs.json", **module):
        assert code == 0, said
    run(**spec("one-then-two"))
    return folder


WORDS = ("dog", "cat", "horse", "bird", "fish", "mouse", "house", "river", "street", "tree")
PAIRS = [(one, other) for one in WORDS for other in WORDS if one != other]
# What each task reads, as a table's columns or the lines of a text, and its own options.
TASKS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "translation": (
        [{"source": f"the {a} and the {b}", "target": f"{b} und {a}"} for a, b in PAIRS],
        {"vocab_size": 400, "dev_sentences": 4},
    ),
    "image-classification": ([], {"patch_size": 4, "batch_size": 8}),
    "masked-language-model": (
        [{"text": f"the {a} and the {b}"} for a, b in PAIRS],
        {"vocab_size": 400, "batch_size": 8, "max_length": 16},
    ),
    "question-answering": (
        [
            {"question": f"who saw {b}?", "context": f"a {a} saw a {b}", "answer": a}
            for a, b in PAIRS
        ],
        {"vocab_size": 400, "batch_size": 8, "max_length": 40, "doc_stride": 8},
    ),
    "embedding": (
        [{"text": f"{a} {b}", "pair": f"{b}! {a}!"} for a, b in PAIRS],
        {"vocab_size": 400, "batch_size": 8},
    ),
    "summarization": (
        [{"document": f"there was a {a}. it saw a {b}.", "summary": a} for a, b in PAIRS],
        {"vocab_size": 400, "max_length": 8, "max_source_length": 24},
    ),
}


def taught(task: str, folder: Path) -> dict[str, Any]:
    """Writes the task's data; returns arguments of `teach`."""
    rows, options = TASKS[task]
    file = folder / f"{task}.{'jsonl' if rows else 'npz'}"
    if rows:
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    else:
        images, labels = bars(60, 1)
        np.savez(file, images=images, labels=labels)
    short = {"max_steps": 3, "warmup": 1, "evaluate_every": 3, "average": 1, "accumulate": 2}
    shared = short | {"preset": "tiny", "precision": "fp32", "max_tokens": 256, "shard": True}
    output = {"output": str(folder / task)}
    return {"task": task, "data": [str(file)], "options": shared | output | options}


@pytest.fixture(scope="module")
def lessons(one_thread: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders of a run of each task by two processes, and by one."""
    folder = tmp_path_factory.mktemp("lessons")
    tasks = [taught(task, folder) for task in TASKS]
    (folder / "specs.json").write_text(json.dumps(tasks))
    ended = torchrun(PROGRAM, folder / "specs.json")
    assert ended.returncode == 0, ended.stderr
    for task in tasks:
        options = task["options"]
        output = f"{options['output']}-one"
        teach(task["task"], task["data"], options | {"output": output, "shard": False})
    return folder


def curve(folder: Path) -> Tensor:
    """(steps, 3): step, loss, tokens so far."""
    lines = (folder / "curve.txt").read_text().splitlines()
    by_step = {line.split()[0]: [float(value) for value in line.split()] for line in lines}
    return torch.tensor(list(by_step.values()), dtype=torch.float64)


def ending(folder: Path) -> dict[str, Tensor]:
    """The tensors of the newest checkpoint and of the best model."""
    newest = RunFolder(folder).newest()
    assert newest is not None
    return newest.weights | newest.optimizer | torch.load(folder / "best.pt", weights_only=True)


def assert_close(one: Path, other: Path, tolerance: float) -> None:
    torch.testing.assert_close(curve(one), curve(other), rtol=tolerance, atol=0)
    ours, theirs = ending(one), ending(other)
    assert ours.keys() == theirs.keys()
    for name, tensor in ours.items():
        torch.testing.assert_close(tensor, theirs[name], rtol=tolerance, atol=tolerance, msg=name)
    logs = [(folder / "log.jsonl").read_text().splitlines() for folder in (one, other)]
    assert len(logs[0]) == len(logs[1]) == 2
    for own, its in zip(*logs, strict=True):
        assert json.loads(own)["best"] == pytest.approx(json.loads(its)["best"], rel=tolerance)
        assert json.loads(own)["loss"] == pytest.approx(json.loads(its)["loss"], rel=tolerance)


def assert_same(one: Path, other: Path) -> None:
    assert torch.equal(curve(one), curve(other))
    ours, theirs = ending(one), ending(other)
    assert all(torch.equal(tensor, theirs[name]) for name, tensor in ours.items())


@pytest.mark.parametrize("name", ["replicated", "sharded"])
def test_two_processes_have_the_losses_and_weights_of_one(name: str, runs: Path) -> None:
    assert len(curve(runs / name)) == 8
    assert_close(runs / name, runs / "one", 2e-5)


def test_muon_updates_whole_matrices(runs: Path) -> None:
    assert not torch.equal(curve(runs / "muon-one"), curve(runs / "one"))
    assert_close(runs / "muon-sharded", runs / "muon-one", 2e-5)


def test_in_bfloat16_they_differ_by_its_rounding(runs: Path) -> None:
    whole, shared = curve(runs / "bf16-one"), curve(runs / "bf16-sharded")
    assert not torch.equal(whole, curve(runs / "one"))
    torch.testing.assert_close(shared, whole, rtol=1e-3, atol=0)
    dtypes = {tensor.dtype for tensor in ending(runs / "bf16-sharded").values()}
    assert dtypes == {torch.float32}


@pytest.mark.parametrize("name", ["replicated", "sharded"])
def test_the_same_run_has_the_same_bits_again(name: str, runs: Path) -> None:
    assert_same(runs / name, runs / f"{name}-again")


def test_killed_and_resumed_it_has_the_bits_of_the_uninterrupted(killed: Path, runs: Path) -> None:
    assert_same(killed, runs / "sharded")


def test_a_run_goes_from_one_process_to_two_and_back(runs: Path) -> None:
    assert RunFolder(runs / "one-then-two").steps()[-1] == 8
    torch.testing.assert_close(curve(runs / "one-then-two"), curve(runs / "one"), rtol=2e-5, atol=0)


def test_a_run_goes_from_two_processes_to_one_and_back(killed: Path, runs: Path) -> None:
    folder = killed.parent / "two-one-two"
    assert RunFolder(folder).steps()[-1] == 8
    torch.testing.assert_close(curve(folder), curve(runs / "one"), rtol=2e-5, atol=0)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_every_task_is_learned_by_two_as_by_one(task: str, lessons: Path) -> None:
    shared, alone = (
        [json.loads(line) for line in (lessons / name / "log.jsonl").read_text().splitlines()]
        for name in (task, f"{task}-one")
    )
    assert [entry["step"] for entry in shared] == [3]
    assert shared[0]["tokens"] == alone[0]["tokens"]
    assert shared[0]["loss"] == pytest.approx(alone[0]["loss"], rel=1e-4)
    assert shared[0]["figures"] == pytest.approx(alone[0]["figures"], rel=1e-3, abs=1e-3)
    assert (lessons / task / "model" / "README.md").exists()


def test_batches_are_dealt_out_in_turn() -> None:
    parts = [Processes(rank, 3).own(range(12, 18)) for rank in range(3)]
    assert [list(part) for part in parts] == [[12, 15], [13, 16], [14, 17]]


@pytest.mark.parametrize(
    ("asked", "recorded", "expected"),
    [(None, None, 3), (6, None, 6), (None, 9, 9), (3, 6, 3)],
)
def test_a_step_has_a_batch_for_each_process_unless_it_is_given(
    asked: int | None, recorded: int | None, expected: int
) -> None:
    assert batches_in_step(asked, recorded, Processes(0, 3)) == expected


def test_batches_that_cannot_be_shared_equally_are_refused() -> None:
    message = r"3 processes cannot share the 4 batches of a step equally\. Give accumulate=6"
    with pytest.raises(RegardError, match=message):
        batches_in_step(4, None, Processes(0, 3))
    with pytest.raises(RegardError, match=r"step equally\. Start another number of"):
        batches_in_step(None, 4, Processes(0, 3))


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def launch(**variables: str) -> None:
        address = {"MASTER_ADDR": "localhost", "MASTER_PORT": "1"}
        for name, value in (address | variables).items():
            monkeypatch.setenv(name, value)

    return launch


def test_alone_there_is_nothing_to_share(pretend: Callable[..., None]) -> None:
    with pytest.raises(RegardError, match="`shard` shares a model out among processes"):  # noqa: SIM117
        with joined(CPU, shard=True):
            pass
    with joined(CPU) as alone:
        assert alone == Processes(0, 1)
    assert alone.total(3, 4) == [3, 4]
    assert launched() == 1
    pretend(WORLD_SIZE="5")  # as a cluster may set it; without a rank it means nothing
    assert launched() == 1


def test_more_processes_than_gpus_are_refused(pretend: Callable[..., None]) -> None:
    pretend(RANK="7", LOCAL_RANK="7", WORLD_SIZE="8", LOCAL_WORLD_SIZE="8")
    assert own_device(CPU) == CPU
    with pytest.raises(RegardError, match=r"needs a GPU of its own; there are \d for 8 processes"):
        own_device(torch.device("cuda"))
