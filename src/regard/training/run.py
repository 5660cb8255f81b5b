"""A run's folder: what was asked, what happened, checkpoints that survive a crash.

run.json                 the options and versions the run was started with
log.jsonl                one line for each evaluation
checkpoints/step-00000250/
    weights.safetensors      float32 master weights
    optimizer.safetensors    the optimiser's moments (only in the newest checkpoints)
    state.json               step, best evaluation, …
    checksums.json           SHA-256 of the above
model/                   the best model so far, in Hugging Face's layout (the task writes it)
"""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from regard import __version__
from regard.errors import RegardError
from regard.files import sha256, whole_file, whole_folder

Tensors = dict[str, Tensor]


@dataclass(frozen=True)
class Checkpoint:
    """Everything a run needs to go on as if it had never stopped."""

    weights: Tensors
    optimizer: Tensors
    state: dict[str, Any]


class RunFolder:
    """Reads and writes one run's folder.

    Args:
        path: the folder; made when missing.
        warn: told, in one sentence, of a damaged checkpoint that was passed over.
    """

    def __init__(self, path: Path, *, warn: Callable[[str], None] = print):
        self.path = path
        self.warn = warn

    def start(self, options: dict[str, Any], *, free: set[str]) -> None:
        """Records `options`, or, in a folder that holds a run, requires them to be the same.

        Options in `free` (limits, how it is shown) may change from one call to the next.
        """
        for left_behind in (self.path / "checkpoints").glob(".*.part"):
            shutil.rmtree(left_behind)  # a save that was killed
        file = self.path / "run.json"
        if file.exists():
            recorded = _recorded_options(file)
            for name, value in options.items():
                if name not in free and recorded.get(name, value) != value:
                    raise RegardError(
                        f"{self.path} holds a run with {name} = {recorded[name]!r}; got {value!r}."
                        " Give the same value to resume it, or another --output to start anew."
                    )
        versions = {"regard": __version__, "torch": torch.__version__}
        _write_json(file, {"options": options, "versions": versions})

    def log(self, entry: dict[str, Any]) -> None:
        """Appends one line to log.jsonl."""
        self.path.mkdir(parents=True, exist_ok=True)
        with open(self.path / "log.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def save(self, step: int, checkpoint: Checkpoint, *, keep: Sequence[int]) -> None:
        """Writes a checkpoint whole, then drops what is no longer needed.

        The two newest stay and can be resumed from; of the steps in `keep`, the weights stay.

        Raises:
            RegardError: it cannot be written; what was saved before is untouched.
        """
        try:
            with whole_folder(self._folder(step)) as folder:
                _write(folder, checkpoint)
        except (OSError, SafetensorError) as error:
            raise RegardError(
                f"the checkpoint of step {step} cannot be written to {self.path / 'checkpoints'}"
                f" ({error}); what was saved before is kept. Make room there or allow writing, and"
                " give the same command to resume."
            ) from error
        # A later step than this one is a damaged checkpoint that was passed over.
        for other in [other for other in self.steps() if other <= step][:-2]:
            if other in keep:
                (self._folder(other) / "optimizer.safetensors").unlink(missing_ok=True)
            else:
                shutil.rmtree(self._folder(other))

    def newest(self) -> Checkpoint | None:
        """The newest checkpoint that is whole; names a damaged one and goes to the one before."""
        for age, step in enumerate(reversed(self.steps())):
            folder = self._folder(step)
            if age >= 2 and not (folder / "optimizer.safetensors").exists():
                continue  # kept for its weights only
            damage = _damage(folder)
            if damage is None:
                return Checkpoint(
                    weights=_tensors(folder / "weights.safetensors"),
                    optimizer=_tensors(folder / "optimizer.safetensors"),
                    state=_read_json(folder / "state.json"),
                )
            self.warn(f"{folder} is damaged ({damage}); using the checkpoint before it.")
        if self.steps():
            raise RegardError(
                f"no checkpoint in {self.path / 'checkpoints'} can be resumed from."
                " Delete that folder to train from the start."
            )
        return None

    def mean(self, steps: Sequence[int]) -> Tensors:
        """The mean of the weights of the given checkpoints."""
        total: Tensors = {}
        for step in steps:
            for name, weight in _tensors(self._folder(step) / "weights.safetensors").items():
                total[name] = total[name].add_(weight) if name in total else weight.clone()
        return {name: weight.div_(len(steps)) for name, weight in total.items()}

    def steps(self) -> list[int]:
        """The steps that have a checkpoint, oldest first."""
        folders = (self.path / "checkpoints").glob("step-*")
        return sorted(int(folder.name.removeprefix("step-")) for folder in folders)

    def _folder(self, step: int) -> Path:
        return self.path / "checkpoints" / f"step-{step:08d}"


def _write(folder: Path, checkpoint: Checkpoint) -> None:
    save_file(checkpoint.weights, folder / "weights.safetensors")
    save_file(checkpoint.optimizer, folder / "optimizer.safetensors")
    (folder / "state.json").write_text(json.dumps(checkpoint.state, indent=1))
    sums = {file.name: sha256(file) for file in sorted(folder.iterdir())}
    (folder / "checksums.json").write_text(json.dumps(sums, indent=1))


def _tensors(file: Path) -> Tensors:
    """The content of a file; norms have other names in runs of early versions."""
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


def _damage(folder: Path) -> str | None:
    """What is wrong with a checkpoint, or None."""
    try:
        sums = _read_json(folder / "checksums.json")
        for name in ("weights.safetensors", "optimizer.safetensors", "state.json"):
            if sha256(folder / name) != sums[name]:
                return f"{name} does not match its checksum"
    except (OSError, KeyError, ValueError, SafetensorError) as error:
        return str(error)
    return None


def _recorded_options(file: Path) -> dict[str, Any]:
    try:
        options: dict[str, Any] = _read_json(file)["options"]
    except (ValueError, KeyError, TypeError) as error:
        raise RegardError(
            f"{file} is not what a run writes there ({error})."
            " Give another --output, or delete that folder."
        ) from error
    return options


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _write_json(path: Path, value: Any) -> None:
    with whole_file(path) as file:
        file.write_text(json.dumps(value, indent=2, ensure_ascii=False), encoding="utf-8")
