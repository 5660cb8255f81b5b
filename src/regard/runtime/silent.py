"""ONNX Runtime, which is not to tell anyone what it runs."""

import os
import sys
from typing import Any

SILENT = "ORT_DISABLE_TELEMETRY"


def silent_runtime() -> Any:
    """The module onnxruntime, slow to import, which otherwise tells Microsoft what it runs.

    Since 1.29 its builds send the names and hashes of graphs over the network, with an id of the
    machine that it keeps in ~/.cache, unless a variable of the environment says no before it is
    imported. Set the variable to 0 to allow that. A program that has imported onnxruntime
    itself has decided for itself.
    """
    if "onnxruntime" not in sys.modules:
        os.environ.setdefault(SILENT, "1")
    import onnxruntime

    return onnxruntime
