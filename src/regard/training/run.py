"""A run's folder: what was asked, what happened, checkpoints that survive a crash.

run.json                 the options, versions, threads and processes the run was started with
log.jsonl                one line for each evaluation
checkpoints/step-00000250/
    weights.safetensors      float32 master weights
    optimizer.safetensors    the optimizer's moments (only in the newest checkpoints)
    state.json               step, best evaluation, …
    checksums.json           SHA-256 of the above
model/                   the best model so far, in Hugging Face's layout (the task writes it)
.lock                    locked while a process trains here; the system unlocks it when that ends
"""

import json
import math
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from regard.errors import BadArgumentError, DamagedFileError, RegardError, UnavailableError
from regard.files import locked, sha256, sync, whole_file, whole_folder, write_json
from regard.json_files import read_object
from regard.version import __version__

Tensors = dict[str, Tensor]


@dataclass(frozen=True)
class Checkpoint:
    """Everything a run needs to go on as if it had never stopped."""

    weights: Tensors
    optimizer: Tensors
    state: dict[str, Any]


class RunFolder:
    """Reads and writes one run's folder.

    >>> RunFolder(Path("new-run")).path.name
    'new-run'

    Args:
        path: the folder; made when missing.
        warn: called with one sentence when a damaged checkpoint is skipped, or when the number of
            processes or threads has changed.
    """

    def __init__(self, path: Path, *, warn: Callable[[str], None] = print):
        self.path = path
        self.warn = warn

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from training here, and remove what killed ones left half-written.

        Raises:
            UnavailableError: another process trains here.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        taken = (
            f"another process is training in {self.path}."
            " Wait for it to end, or give another `output`."
        )
        with locked(self.path, taken):
            _remove_partial(self.path)
            yield

    @property
    def threads(self) -> int | None:
        """Number of CPU threads the run began with; None if there is no run or none is recorded."""
        file = self.path / "run.json"
        return _recorded(file)["threads"] if file.exists() else None

    @property
    def processes(self) -> int | None:
        """Number of processes the run began with; None if there is no run."""
        file = self.path / "run.json"
        return _recorded(file)["processes"] if file.exists() else None

    def option(self, name: str) -> Any:
        """Return the value that the run began with; None if there is no run or none is recorded."""
        file = self.path / "run.json"
        return _recorded(file)["options"].get(name) if file.exists() else None

    @property
    def cooling(self) -> bool:
        """True once the rate has begun to fall towards the run's last step."""
        cooldown, last = self.option("cooldown"), self.option("max_steps")
        return bool(cooldown) and self.steps()[-1:] > [last - cooldown]

    def start(
        self,
        options: dict[str, Any],
        *,
        free: set[str],
        threads: int | None = None,
        processes: int = 1,
    ) -> None:
        """Record `options`, or, in a folder that holds a run, requires them to be the same.

        Args:
            free: options that may change from one call to the next: limits, how it is shown.
            threads: CPU threads, if the result depends on them. If the run began with another
                number, of them or of `processes`, `warn` is called.
        """
        file = self.path / "run.json"
        first_processes = processes
        if file.exists():
            recorded = _recorded(file)
            earlier = recorded["options"]
            for name, value in options.items():
                if name not in free and earlier.get(name, value) != value:
                    raise BadArgumentError(
                        f"{self.path} holds a run with {name} = {earlier[name]!r}; got {value!r}."
                        " Give the same value to resume it, or another `output` to start a new run."
                    )
            first_processes, began = recorded["processes"], recorded["threads"]
            if first_processes != processes:
                self._warn_of_bits(_processes(first_processes), _processes(processes))
            elif began is not None and threads is not None and began != threads:
                self._warn_of_bits(_threads(began), _threads(threads))
            threads = began or threads
        began_with = {"threads": threads, "processes": first_processes}
        versions = {"regard": __version__, "torch": torch.__version__}
        write_json(file, {"options": options, "versions": versions, **began_with})

    def _warn_of_bits(self, began: str, continues: str) -> None:
        self.warn(
            f"This run began with {began} and continues with {continues}: its weights will differ"
            f" in their last bits from those of an uninterrupted run. Train with {began} to avoid"
            " this."
        )

    def log(self, entry: dict[str, Any]) -> None:
        """Append one line to log.jsonl."""
        self.path.mkdir(parents=True, exist_ok=True)
        with open(self.path / "log.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def cut_log(self, step: int) -> None:
        """Remove the lines of log.jsonl behind `step`, which a resumed run writes again."""
        path = self.path / "log.jsonl"
        if not path.exists():
            return
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = text.splitlines(keepends=True)
        before = [line for line in lines if _logged_step(line) <= step]
        if len(before) < len(lines):
            with whole_file(path) as file:
                file.write_text("".join(before), encoding="utf-8")

    def save(self, step: int, checkpoint: Checkpoint, *, keep: Sequence[int]) -> None:
        """Write a checkpoint whole, after the log and the best model, which a run that resumes from
        it does not write again; then drop what is no longer needed.

        The two newest stay and can be resumed from; of the steps in `keep`, the weights stay.

        Raises:
            UnavailableError: it cannot be written; what was saved before is untouched.
        """
        try:
            for name in ("log.jsonl", "model"):
                sync(self.path / name)
            with whole_folder(self._folder(step)) as folder:
                _write(folder, checkpoint)
        except (OSError, SafetensorError) as error:
            raise UnavailableError(
                f"the checkpoint of step {step} cannot be written to {self.path / 'checkpoints'}"
                f" ({error}); what was saved before is kept. Make room there or allow writing, and"
                " give the same command to resume."
            ) from error
        self.drop_older(step, keep=keep)

    def drop_older(self, step: int, *, keep: Sequence[int]) -> None:
        """Drop what is not needed once there is a checkpoint of `step`; see `save`."""
        # A later step than this one is a damaged checkpoint that was passed over.
        for other in [other for other in self.steps() if other <= step][:-2]:
            if other in keep:
                (self._folder(other) / "optimizer.safetensors").unlink(missing_ok=True)
            else:
                shutil.rmtree(self._folder(other))

    def newest(self) -> Checkpoint | None:
        """Return the newest checkpoint that is whole; names a damaged one and goes to the one
        before."""
        for age, step in enumerate(reversed(self.steps())):
            folder = self._folder(step)
            if age >= 2 and not (folder / "optimizer.safetensors").exists():
                continue  # kept for its weights only
            damage = _damage(folder)
            if damage is None:
                return Checkpoint(
                    weights=_tensors(folder / "weights.safetensors"),
                    optimizer=_tensors(folder / "optimizer.safetensors"),
                    state=read_object(folder / "state.json"),
                )
            self.warn(f"{folder} is damaged ({damage}); using the checkpoint before it.")
        if self.steps():
            raise DamagedFileError(
                f"no checkpoint in {self.path / 'checkpoints'} can be resumed from."
                " Delete that folder to train from the start."
            )
        return None

    def intact(self, steps: Sequence[int]) -> list[int]:
        """Return the steps whose weights are as they were written; names each other one."""
        damages = {step: _damage(self._folder(step), ["weights.safetensors"]) for step in steps}
        for step, damage in damages.items():
            if damage is not None:
                folder = self._folder(step)
                self.warn(f"{folder} is damaged ({damage}); the average is taken without it.")
        return [step for step in steps if damages[step] is None]

    def mean(self, steps: Sequence[int]) -> Tensors:
        """Return the mean of the weights of the given checkpoints."""
        total: Tensors = {}
        for step in steps:
            for name, weight in _tensors(self._folder(step) / "weights.safetensors").items():
                total[name] = total[name].add_(weight) if name in total else weight.clone()
        return {name: weight.div_(len(steps)) for name, weight in total.items()}

    def steps(self) -> list[int]:
        """Return the steps that have a checkpoint, oldest first."""
        names = [folder.name for folder in (self.path / "checkpoints").glob("step-*")]
        # Any other name, such as that of a copy, is not one that `_folder` gives.
        ours = re.compile(r"step-([0-9]{8}|[1-9][0-9]{8,})")
        return sorted(int(name.removeprefix("step-")) for name in names if ours.fullmatch(name))

    def _folder(self, step: int) -> Path:
        return self.path / "checkpoints" / f"step-{step:08d}"


def _write(folder: Path, checkpoint: Checkpoint) -> None:
    save_file(checkpoint.weights, folder / "weights.safetensors")
    save_file(checkpoint.optimizer, folder / "optimizer.safetensors")
    (folder / "state.json").write_text(json.dumps(checkpoint.state, indent=1))
    sums = {file.name: sha256(file) for file in sorted(folder.iterdir())}
    (folder / "checksums.json").write_text(json.dumps(sums, indent=1))


def _tensors(file: Path) -> Tensors:
    """Return the content of a file; norms have other names in runs of early versions."""
    tensors = {}
    for name, tensor in load_file(file).items():
        for old, new in _OLD_NAMES.items():
            name = name.replace(old, new)
        tensors[name] = tensor
    return tensors


_OLD_NAMES = {
    ".self_residual.norm.": ".self_attention_norm.",
    ".cross_residual.norm.": ".cross_attention_norm.",
    ".feed_forward_residual.norm.": ".feed_forward_norm.",
}


_FILES = ("weights.safetensors", "optimizer.safetensors", "state.json")


def _damage(folder: Path, names: Sequence[str] = _FILES) -> str | None:
    """Return the damage of files of a checkpoint, or None."""
    try:
        sums = read_object(folder / "checksums.json")
        for name in names:
            if sha256(folder / name) != sums[name]:
                return f"{name} does not match its checksum"
    except (OSError, ValueError, SafetensorError) as error:
        return str(error)
    return None


def _recorded(file: Path) -> dict[str, Any]:
    """Return the content of run.json."""
    try:
        content = read_object(file)
        options, threads = content["options"], content.get("threads")
        processes = content.get("processes", 1)
    except RegardError as error:
        raise _not_ours(file, str(error)) from error
    if not isinstance(options, dict):
        raise _not_ours(file, "its options are not an object")
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise _not_ours(file, f"its threads are {threads!r}")
    if not isinstance(processes, int) or processes < 1:
        raise _not_ours(file, f"its processes are {processes!r}")
    return {"options": options, "threads": threads, "processes": processes}


def _not_ours(file: Path, reason: str) -> DamagedFileError:
    return DamagedFileError(
        f"{file} is not what a run writes there ({reason})."
        " Delete that folder, or train in another one."
    )


def _threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"


def _processes(number: int) -> str:
    return "1 process" if number == 1 else f"{number} processes"


def _logged_step(line: str) -> float:
    """Return the step of a line of the log; infinite for what is no line, such as a crash
    leaves."""
    try:
        return float(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return math.inf


def _remove_partial(folder: Path) -> None:
    """Remove what `whole_file`, `whole_folder` and safetensors were writing in processes that were
    killed."""
    for path in list(folder.rglob(".*.part")):
        if re.fullmatch(r"\..+\.[0-9]+\.part", path.name):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)  # it may have gone with its folder
    for path in folder.rglob("model/.tmp*"):
        if re.fullmatch(r"\.tmp[A-Za-z0-9]{6}", path.name) and path.is_file():
            path.unlink(missing_ok=True)
