"""Arrays of numpy beside torch."""

import subprocess
import sys

# One thread computes while another imports torch, which is in sys.modules long before it is whole.
PROGRAM = """
import sys, threading, time
from regard.arrays import without_gradients
importing = threading.Thread(target=lambda: __import__("torch"))
importing.start()
while "torch" not in sys.modules:
    time.sleep(0.001)
print(without_gradients(lambda: 42)())
importing.join()
"""


def test_torch_may_be_half_imported_by_another_thread() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("42\n", "")
