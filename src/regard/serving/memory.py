"""How a server that runs for weeks keeps its memory."""

import ctypes
import gc
import threading
import time
from contextlib import suppress

# Of mallopt, see malloc.h: how much freed memory at its end a heap keeps, the size from which an
# array has pages of its own, and the number of heaps.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8

TRIM_SECONDS = 5.0  # between two returns of gaps, each of some milliseconds


def return_freed_memory() -> None:
    """Has the C library return what is freed to the system; to be called before threads begin.

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
    """Spares the garbage collector what stays until the end: modules, models, routes.

    It would look through all of it again and again, while every request waits.
    """
    gc.collect()
    gc.freeze()
