"""What a server frees goes back to the system."""

import subprocess
import sys

import pytest

# Arrays of 1.6 MB with one of 33 kB after each, which stays and keeps a heap from shrinking.
PROGRAM = """
import gc, sys, time
import numpy as np
from regard.serving import process
from regard.serving.process import keep_what_is_loaded, return_freed_memory
process.TRIM_SECONDS = 0.1
def held():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
if sys.argv[1] == "returned":
    return_freed_memory()
np.ones(2**21)  # 17 MB: from now on glibc takes arrays up to that size from its heap
before, large, small = held(), [], []
for _ in range(100):
    large.append(np.ones(3 * 2**16))
    small.append(np.ones(4096))
del large
print((held() - before) / 1e6)
blocks, before = [bytes(2**16) for _ in range(3000)], held()
del blocks[::2]  # gaps of 98 MB
end = time.monotonic() + (60 if sys.argv[1] == "returned" else 1)
while before - held() < 60e6 and time.monotonic() < end:
    time.sleep(0.01)
print((before - held()) / 1e6)
keep_what_is_loaded()
print(gc.get_freeze_count())
"""


def held(way: str) -> tuple[float, float, int]:
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, way], capture_output=True, text=True, check=True
    )
    megabytes, gaps, frozen = found.stdout.split()
    return float(megabytes), float(gaps), int(frozen)


@pytest.mark.long("starts a process")
@pytest.mark.skipif(sys.platform != "linux", reason="is about glibc")
def test_freed_arrays_go_back_to_the_system() -> None:
    usual, gaps_usual, frozen = held("as usual")
    if usual < 50:
        pytest.skip("this C library returns them anyway")
    kept, gaps, _ = held("returned")
    assert kept < 20  # the small ones have 3 MB
    assert gaps > gaps_usual + 30
    assert frozen > 1000  # modules are no longer looked through for garbage
