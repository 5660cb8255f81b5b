"""Checkpoints are whole or not there; what is damaged is named and passed over."""

import errno
import json
import resource
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError

from regard import RegardError
from regard.training import Checkpoint, RunFolder
from regard.training import run as run_module


def checkpoint(step: int) -> Checkpoint:
    return Checkpoint(
        weights={"layer.weight": torch.full((3, 5), float(step)), "bias": torch.arange(7.0)},
        optimizer={"step/bias": torch.tensor(float(step))},
        state={"step": step, "seconds": 0.1 + 0.2, "best": None},
    )


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def run(tmp_path: Path, said: list[str]) -> RunFolder:
    return RunFolder(tmp_path / "run", warn=said.append)


def folder(run: RunFolder, step: int) -> Path:
    return run.path / "checkpoints" / f"step-{step:08d}"


def newest_step(run: RunFolder) -> int:
    found = run.newest()
    assert found is not None
    assert found.weights["layer.weight"][0, 0] == found.state["step"]
    return found.state["step"]


def test_a_checkpoint_comes_back_as_it_was(run: RunFolder, said: list[str]) -> None:
    assert run.newest() is None
    run.save(10, checkpoint(10), keep=[])
    found, saved = run.newest(), checkpoint(10)
    assert found is not None
    assert found.state == saved.state
    for ours, theirs in ((found.weights, saved.weights), (found.optimizer, saved.optimizer)):
        assert ours.keys() == theirs.keys()
        assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    assert not said


def test_the_log_and_the_best_model_are_on_the_disk_before_a_checkpoint_is(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(run_module, "sync", lambda path: synced.append(path.name))
    whole_folder = run_module.whole_folder

    def later(path: Path) -> AbstractContextManager[Path]:
        assert synced == ["log.jsonl", "model"]
        return whole_folder(path)

    monkeypatch.setattr(run_module, "whole_folder", later)
    run.save(10, checkpoint(10), keep=[])
    assert run.steps() == [10]


def test_a_run_with_the_old_names_of_norms_goes_on(run: RunFolder) -> None:
    for step, norm in ((10, "{}_residual.norm"), (20, "{}_attention_norm")):
        names = ["encoder.layers.0.feed_forward_residual.norm.bias"]
        names += [f"decoder.layers.1.{norm.format(kind)}.weight" for kind in ("self", "cross")]
        weights = {name: torch.full((3,), float(step + k)) for k, name in enumerate(names)}
        moments = {f"exp_avg/{name}": weight + 0.5 for name, weight in weights.items()}
        run.save(step, Checkpoint(weights, moments, {"step": step}), keep=[10])
        found = run.newest()
        assert found is not None
        expected = {
            "encoder.layers.0.feed_forward_norm.bias": float(step),
            "decoder.layers.1.self_attention_norm.weight": step + 1.0,
            "decoder.layers.1.cross_attention_norm.weight": step + 2.0,
        }
        assert {name: weight[2].item() for name, weight in found.weights.items()} == expected
        moved = {f"exp_avg/{name}": value + 0.5 for name, value in expected.items()}
        assert {name: moment[0].item() for name, moment in found.optimizer.items()} == moved
    assert set(run.mean([10, 20])) == set(expected)


def test_the_two_newest_stay_whole_and_the_kept_keep_their_weights(run: RunFolder) -> None:
    for step in (10, 20, 30, 40, 50):
        run.save(step, checkpoint(step), keep=[20, 30])
    assert run.steps() == [20, 30, 40, 50]
    whole = [s for s in run.steps() if (folder(run, s) / "optimizer.safetensors").exists()]
    assert whole == [40, 50]
    assert torch.equal(run.mean([20, 30, 40])["layer.weight"], torch.full((3, 5), 30.0))


def spoil_a_bit(path: Path) -> None:
    file = path / "weights.safetensors"
    content = bytearray(file.read_bytes())
    content[-3] ^= 1
    file.write_bytes(content)


def cut_short(path: Path) -> None:
    file = path / "optimizer.safetensors"
    file.write_bytes(file.read_bytes()[:-4])


DAMAGES = {
    "weights.safetensors does not match its checksum": spoil_a_bit,
    "optimizer.safetensors does not match its checksum": cut_short,
    "state.json": lambda path: (path / "state.json").unlink(),
    "optimizer.safetensors'": lambda path: (path / "optimizer.safetensors").unlink(),
    "checksums.json'": lambda path: (path / "checksums.json").unlink(),
    "Expecting value": lambda path: (path / "checksums.json").write_text(""),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_newest_one_is_named_and_the_one_before_used(
    damage: str, run: RunFolder, said: list[str]
) -> None:
    for step in (10, 20, 30):
        run.save(step, checkpoint(step), keep=[10])
    DAMAGES[damage](folder(run, 30))
    assert newest_step(run) == 20
    assert len(said) == 1
    assert str(folder(run, 30)) in said[0]
    assert damage in said[0]
    assert "using the checkpoint before it" in said[0]


def test_where_all_are_damaged_a_sentence_says_what_to_do(run: RunFolder, said: list[str]) -> None:
    for step in (10, 20, 30):
        run.save(step, checkpoint(step), keep=[10])
    for step in (20, 30):
        spoil_a_bit(folder(run, step))
    with pytest.raises(RegardError, match=r"no checkpoint in .* Delete that folder"):
        run.newest()
    assert len(said) == 2  # step 10 is no damaged one: it was kept for its weights


def test_a_damaged_one_that_was_kept_for_the_mean_is_named(run: RunFolder, said: list[str]) -> None:
    for step in (10, 20, 30, 40):
        run.save(step, checkpoint(step), keep=[10, 20])
    assert run.intact([10, 20, 30]) == [10, 20, 30]
    spoil_a_bit(folder(run, 20))
    assert run.intact([10, 20, 30]) == [10, 30]
    [sentence] = said
    assert f"{folder(run, 20)} is damaged (weights.safetensors does not match" in sentence
    assert "the average is taken without it" in sentence


def test_a_damaged_later_one_does_not_push_out_whole_ones(run: RunFolder) -> None:
    run.save(10, checkpoint(10), keep=[])
    run.save(30, checkpoint(30), keep=[])
    spoil_a_bit(folder(run, 30))
    run.save(20, checkpoint(20), keep=[])
    assert run.steps() == [10, 20, 30]
    spoil_a_bit(folder(run, 20))
    assert newest_step(run) == 10


def test_saving_a_step_again_replaces_it(run: RunFolder, said: list[str]) -> None:
    run.save(10, checkpoint(10), keep=[])
    spoil_a_bit(folder(run, 10))
    run.save(10, checkpoint(10), keep=[])
    assert newest_step(run) == 10
    assert not said


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """The system refuses to write more, as it does on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_takes_no_more_leaves_the_one_before(run: RunFolder, said: list[str]) -> None:
    run.save(10, checkpoint(10), keep=[])
    with files_of_at_most(100), pytest.raises(RegardError, match="checkpoint of step 20 cannot be"):
        run.save(20, checkpoint(20), keep=[])
    assert newest_step(run) == 10
    assert [path.name for path in (run.path / "checkpoints").iterdir()] == ["step-00000010"]
    assert not said


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        PermissionError(errno.EACCES, "Permission denied"),
        SafetensorError("I/O error: No space left on device"),
    ],
)
@pytest.mark.parametrize("at", ["weights.safetensors", "optimizer.safetensors"])
def test_whatever_hinders_writing_leaves_the_one_before(
    error: Exception, at: str, run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.save(10, checkpoint(10), keep=[])
    save_file = run_module.save_file

    def full(tensors: dict[str, torch.Tensor], path: Path) -> None:
        if path.name == at:
            path.write_bytes(b"half of it")
            raise error
        save_file(tensors, path)

    monkeypatch.setattr(run_module, "save_file", full)
    with pytest.raises(RegardError, match=r"what was saved before is kept\. Make room") as refusal:
        run.save(20, checkpoint(20), keep=[])
    assert str(error) in str(refusal.value)
    assert newest_step(run) == 10
    assert run.steps() == [10]
    assert len(list((run.path / "checkpoints").iterdir())) == 1


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file")
    with pytest.raises(RegardError, match="checkpoint of step 10 cannot be written"):
        RunFolder(tmp_path / "run").save(10, checkpoint(10), keep=[])


def test_a_run_is_resumed_with_its_own_options_only(run: RunFolder) -> None:
    options = {"seed": 1, "preset": "tiny", "max_steps": 100}
    run.start(options, free={"max_steps"})
    recorded = json.loads((run.path / "run.json").read_text())
    assert recorded["options"] == options
    assert recorded["versions"]["torch"] == torch.__version__

    run.start(options | {"max_steps": 200}, free={"max_steps"})
    assert json.loads((run.path / "run.json").read_text())["options"]["max_steps"] == 200
    message = "holds a run with preset = 'tiny'; got 'base'. Give the same value to resume it"
    with pytest.raises(RegardError, match=message):
        run.start(options | {"preset": "base"}, free={"max_steps"})
    assert json.loads((run.path / "run.json").read_text())["options"]["preset"] == "tiny"


@pytest.mark.parametrize(
    "content",
    [
        *("", "{}", "[]", "{ half", '{"options": []}', "[" * 100_000),
        *('{"options": {}, "threads": "two"}', '{"options": {}, "threads": 0}'),
        *('{"options": {}, "processes": 0}', '{"options": {}, "processes": "two"}'),
    ],
)
def test_a_damaged_record_is_a_sentence(content: str, run: RunFolder) -> None:
    run.path.mkdir()
    (run.path / "run.json").write_text(content)
    with pytest.raises(RegardError, match=r"run\.json is not what a run writes there"):
        run.start({"seed": 1}, free=set())


def test_the_log_has_a_line_for_each_entry(run: RunFolder) -> None:
    run.log({"step": 10})
    run.log({"step": 20, "loss": 1.5})
    lines = (run.path / "log.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [{"step": 10}, {"step": 20, "loss": 1.5}]


def test_a_log_that_is_cut_ends_with_the_step(run: RunFolder) -> None:
    for step in (10, 20, 30):
        run.log({"step": step})
    log = run.path / "log.jsonl"
    whole = log.read_text()
    run.cut_log(30)
    assert log.read_text() == whole
    log.write_text(whole + '{"step": 1')  # as a crash leaves it
    run.cut_log(20)
    assert [json.loads(line)["step"] for line in log.read_text().splitlines()] == [10, 20]


@pytest.mark.parametrize("name", ["step-old", "step-00000020 (copy)", "step-000000020", "step-2"])
def test_a_copy_of_a_checkpoint_is_none(name: str, run: RunFolder) -> None:
    run.save(10, checkpoint(10), keep=[])
    (run.path / "checkpoints" / name).mkdir()
    assert run.steps() == [10]
    run.save(20, checkpoint(20), keep=[])
    run.save(30, checkpoint(30), keep=[])
    assert newest_step(run) == 30
    assert (run.path / "checkpoints" / name).is_dir()


def test_another_number_of_processes_is_said_and_the_first_one_kept(tmp_path: Path) -> None:
    said: list[str] = []
    run = RunFolder(tmp_path, warn=said.append)
    assert run.processes is None
    assert run.option("seed") is None
    run.start({"seed": 3}, free=set(), threads=1, processes=2)
    run.start({"seed": 3}, free=set(), threads=1, processes=2)
    assert said == []
    run.start({"seed": 3}, free=set(), threads=4)
    [sentence] = said
    assert "began with 2 processes and continues with 1 process: its weights" in sentence
    assert run.processes == 2
    assert run.option("seed") == 3


def test_another_number_of_threads_is_said_and_the_first_one_kept(
    run: RunFolder, said: list[str]
) -> None:
    assert run.threads is None
    run.start({}, free=set(), threads=1)
    run.start({}, free=set(), threads=1)
    run.start({}, free=set())  # on a GPU, where they change nothing
    assert not said
    run.start({}, free=set(), threads=4)
    [sentence] = said
    assert "This run began with 1 thread and continues with 4 threads: its weights will" in sentence
    assert "Train with 1 thread to avoid this." in sentence
    assert run.threads == 1


def test_one_process_at_a_time_trains_in_a_folder(run: RunFolder) -> None:
    other = RunFolder(run.path)
    with run.locked():
        with pytest.raises(RegardError, match=r"another process is training in .*/run\. Wait"):
            other.locked().__enter__()
        with RunFolder(run.path / "rung").locked():
            pass
    with other.locked():
        pass


def test_what_a_killed_process_was_writing_goes_and_nothing_else(run: RunFolder) -> None:
    partial = [
        "model/.model.safetensors.4711.part",
        "checkpoints/.step-00000010.4711.part/weights.safetensors",
        "checkpoints/.step-00000010.4711.part/.state.json.4711.part",
        "data/.train.tokens.4711.part",
    ]
    others = ["model/model.safetensors", "model/.own.part", "data/part", "notes.4711.part"]
    for name in (*partial, *others):
        (run.path / name).parent.mkdir(parents=True, exist_ok=True)
        (run.path / name).touch()
    with run.locked():
        pass
    left = {str(path.relative_to(run.path)) for path in run.path.rglob("*") if path.is_file()}
    assert left == {*others, ".lock"}
