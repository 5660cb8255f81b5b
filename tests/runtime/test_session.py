"""A packed model runs without torch."""

import subprocess
import sys


def test_opening_and_decoding_import_neither_torch_nor_onnx() -> None:
    code = (
        "import sys, regard.runtime.packed, regard.generation;"
        "print(sorted({'torch', 'onnx'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
