"""A packed graph, opened: arrays in, arrays out. Neither torch nor onnx is needed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError, DamagedFileError

Array = NDArray[Any]


class Session:
    """One graph, ready to run; several threads may run it at the same time.

    Args:
        file: the .onnx file.
        threads: that compute one run. They do not spin while they wait: a spinning thread takes a
            core from whatever else runs on the machine.

    Raises:
        BadArgumentError: less than one thread.
        DamagedFileError: it is not a graph that ONNX Runtime can run.
    """

    def __init__(self, file: Path, *, threads: int = 1):
        if threads < 1:
            raise BadArgumentError(f"threads must be at least 1; got {threads}.")
        import onnxruntime  # slow to import

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4  # what it logs, it also raises
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = onnxruntime.InferenceSession(
                str(file),
                options,
                providers=["CPUExecutionProvider"],
                # Adds and normalizes in one step, slower than the two on a CPU.
                disabled_optimizers=["SkipLayerNormFusion"],
            )
        except Exception as error:  # its exceptions have no class in common
            reason = str(error).splitlines()[0]
            raise DamagedFileError(
                f"{file} is no graph that ONNX Runtime can run ({reason}). Pack the model again."
            ) from error
        self.shapes: dict[str, list[int | str]] = {
            each.name: each.shape for each in self._session.get_inputs()
        }
        self.outputs: list[str] = [each.name for each in self._session.get_outputs()]

    def run(self, inputs: Mapping[str, Array], outputs: Sequence[str] | None = None) -> list[Array]:
        """The outputs of these names, or all in order."""
        return list(self._session.run(outputs, dict(inputs)))


def empty_cache(session: Session, rows: int, room: int = 0) -> dict[str, NDArray[np.float32]]:
    """Storage for the past keys and values of a step, (rows, heads, room, head_dim) each."""
    return {
        name: np.zeros((rows, int(shape[1]), room, int(shape[3])), np.float32)
        for name, shape in session.shapes.items()
        if name.startswith("past_")
    }
