"""Memory and priorities of a server's process, which may run for weeks."""

import ctypes
import gc
import os
import sys
import threading
import time
from contextlib import suppress

# Of mallopt, see malloc.h: how much freed memory at its end a heap keeps, the size from which an
# array has pages of its own, and the number of heaps.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8

TRIM_SECONDS = 5.0  # between two returns of gaps, each of some milliseconds


MANY = 20_000  # new objects, less those that have gone, after which garbage is looked for
NICENESS = 5  # of the threads that compute
SWITCH_SECONDS = 0.0005  # that a thread may keep Python's lock while others wait for it


def return_freed_memory() -> None:
    """Have the C library return what is freed to the system; to be called before threads begin.

    By default glibc has a heap for each thread, and raises the size from which arrays have pages of
    their own up to 32 MB with what is freed, so that arrays of changing sizes leave gaps in heaps.
    It returns the end of a heap only; a thread has it return the pages of the gaps, too.
    """
    with suppress(AttributeError, OSError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(_ARENA_MAX, 2)
        libc.mallopt(_MMAP_THRESHOLD, 2**20)
        libc.mallopt(_TRIM_THRESHOLD, 2**24)
        trim = libc.malloc_trim

        def trimming() -> None:
            while True:
                time.sleep(TRIM_SECONDS)
                trim(0)

        threading.Thread(target=trimming, name="regard-trimming", daemon=True).start()


def keep_what_is_loaded() -> None:
    """Spare the garbage collector what stays until the end: modules, models, routes.

    It would look through all of it again and again, while every request waits; and through what
    requests make, of which next to nothing needs it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(MANY)


def answer_first() -> None:
    """Have threads change often enough for the one that answers, since those that compute always
    have more to do; to be called once by a server."""
    sys.setswitchinterval(SWITCH_SECONDS)


def give_way() -> None:
    """Put the calling thread behind the one that answers, where threads have priorities."""
    if sys.platform == "linux":
        os.nice(NICENESS)
