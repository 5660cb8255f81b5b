"""Packed graphs, opened: arrays in, arrays out. Neither torch nor onnx is needed.

Opening a graph copies its matrices into a layout of the processor's, in memory that each process
has for itself. A packed model that has been laid out (`packing.lay_out`) has that layout in files;
sessions read them where they are, so that processes share their pages and open sooner.
"""

import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from regard.errors import DamagedFileError, UnavailableError, refusing
from regard.files import sha256
from regard.json_files import read_object

Array = NDArray[Any]
FILES = "files.json"
# Of the first processor in /proc/cpuinfo: by these ONNX Runtime chooses its layout.
_NAMES = (
    *("vendor_id", "cpu family", "model", "model name", "stepping", "flags"),
    *("CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features"),
)


class Session:
    """A graph, ready to run; several threads may run it at the same time.

    Args:
        file: the .onnx file.
        threads: that compute one run. They do not spin while they wait: a spinning thread takes a
            core from whatever else runs on the machine.

    Raises:
        DamagedFileError: it is not a graph that ONNX Runtime can run.
    """

    def __init__(self, file: Path, *, threads: int = 1):
        options = _options(threads)
        if (whole := laid_out(file)) is not None:
            file = whole
            optimized = silent_runtime().GraphOptimizationLevel
            options.graph_optimization_level = optimized.ORT_DISABLE_ALL  # again
        self._session = _opened(file, options)
        try:
            self.shapes: dict[str, list[int | str]] = {
                value.name: value.shape for value in self._session.get_inputs()
            }
            self.outputs: dict[str, list[int | str]] = {
                value.name: value.shape for value in self._session.get_outputs()
            }
        except Exception as error:  # its exceptions have no class in common
            raise _not_a_graph(file, error) from error

    def run(self, inputs: Mapping[str, Array], outputs: Sequence[str] | None = None) -> list[Array]:
        """The outputs of these names, or all in order."""
        with refusing("a packed graph cannot be run; pack the model again"):
            return list(self._session.run(outputs, dict(inputs)))

    def bound(self, inputs: Mapping[str, Array], outputs: Mapping[str, Array]) -> "Bound":
        """Runs that read and write these arrays where they are; see `Bound`."""
        return Bound(self._session, inputs, outputs)


class Bound:
    """Runs of a graph on the same arrays, contiguous ones: what they hold is read at each run, and
    the outputs are written into theirs. An array may be an input and an output. Only what these
    outputs need is computed.
    """

    def __init__(self, session: Any, inputs: Mapping[str, Array], outputs: Mapping[str, Array]):
        onnxruntime = silent_runtime()
        self._session, self._arrays = session, (inputs, outputs)  # arrays that must stay alive
        self._options = onnxruntime.RunOptions()
        self._options.only_execute_path_to_fetches = True
        # The default; where it is missing, Python's side of onnxruntime finds so by an exception.
        self._options.add_run_config_entry("gpu_graph_id", "0")
        self._binding = session.io_binding()
        for name, array in inputs.items():
            self._binding.bind_input(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        for name, array in outputs.items():
            self._binding.bind_output(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)

    def run(self) -> None:
        """Computes the outputs from what the inputs hold now."""
        with refusing("a packed graph cannot be run; pack the model again"):
            self._session.run_with_iobinding(self._binding, self._options)


def write_layout(file: Path, to: Path) -> None:
    """Writes an optimized graph with its weights as this processor has them, as TO and TO.bin.

    Raises:
        UnavailableError: they cannot be written.
    """
    options = _options(1)
    options.optimized_model_filepath = str(to)
    for name, value in (
        ("optimized_model_external_initializers_file_name", f"{to.name}.bin"),
        ("optimized_model_external_initializers_min_size_in_bytes", "1024"),
        ("save_external_prepacked_constant_initializers", "1"),
    ):
        options.add_session_config_entry(f"session.{name}", value)
    try:
        _opened(file, options)
    except DamagedFileError as error:  # the graph has been opened before
        raise UnavailableError(f"{to} could not be written ({error.__cause__}).") from error


def _options(threads: int) -> Any:
    onnxruntime = silent_runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Shapes change from step to step, and a pattern would be kept for each.
    options.enable_mem_pattern = False
    options.log_severity_level = 4  # what it logs, it also raises
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def _opened(file: Path, options: Any) -> Any:
    onnxruntime = silent_runtime()
    try:
        return onnxruntime.InferenceSession(
            str(file),
            options,
            providers=["CPUExecutionProvider"],
            # Adds and normalizes in one step, slower than the two on a CPU.
            disabled_optimizers=["SkipLayerNormFusion"],
        )
    except Exception as error:  # its exceptions have no class in common
        raise _not_a_graph(file, error) from error


def _not_a_graph(file: Path, error: Exception) -> DamagedFileError:
    return DamagedFileError(
        f"{file} is no graph that ONNX Runtime can run ({str(error).splitlines()[0]})."
        " Pack the model again."
    )


def layout_of(folder: Path) -> Path:
    """Folder of a packed model's graphs as they are laid out for this processor."""
    return folder / f"layout-{_processor_key()}"


def laid_out(file: Path) -> Path | None:
    """The graph to be opened in place of `file`; None where it has not been laid out."""
    folder = layout_of(file.parent)
    whole = (folder / file.name).is_file() and (folder / FILES).is_file()
    return folder / file.name if whole else None


def remove_damaged(folder: Path) -> None:
    """Removes a layout that is not what was written; the graphs are then opened without it."""
    layout = layout_of(folder)
    if not layout.is_dir():
        return
    try:
        expected = read_object(layout / FILES)
        whole = all(sha256(layout / name) == value for name, value in expected.items())
    except (ValueError, OSError):
        whole = False
    if not whole:
        shutil.rmtree(layout, ignore_errors=True)


@cache
def _processor_key() -> str:
    onnxruntime = silent_runtime()
    processor = f"{platform.machine()} {platform.processor()}"
    try:
        first = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")[0]
        lines = [line for line in first.splitlines() if line.partition("\t")[0].strip() in _NAMES]
        processor += "\n".join(lines)
    except OSError:
        pass  # only Linux has it
    content = f"{onnxruntime.__version__} {processor}"
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def silent_runtime() -> Any:
    """The module onnxruntime, slow to import, which otherwise tells Microsoft what it runs.

    Since 1.29 its builds send the names and hashes of graphs over the network, with an id of the
    machine that it keeps in ~/.cache, unless a variable of the environment says no before it is
    imported. Set the variable to 0 to allow that. A program that has imported onnxruntime
    itself has decided for itself.
    """
    if "onnxruntime" not in sys.modules:
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime
