"""How a server that runs for weeks keeps its memory."""

import ctypes
import gc
from contextlib import suppress

# Of mallopt, see malloc.h: how much freed memory at its end a heap keeps, the size from which an
# array has pages of its own, and the number of heaps.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8


def return_freed_memory() -> None:
    """Has the C library return what is freed to the system; to be called before threads begin.

    By default glibc has a heap for each thread, and raises the size from which arrays have pages of
    their own up to 32 MB with what is freed, so that arrays of changing sizes leave gaps in heaps.
    """
    with suppress(AttributeError, OSError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(_ARENA_MAX, 2)
        libc.mallopt(_MMAP_THRESHOLD, 2**20)
        libc.mallopt(_TRIM_THRESHOLD, 2**24)


def keep_what_is_loaded() -> None:
    """Spares the garbage collector what stays until the end: modules, models, routes.

    It would look through all of it again and again, while every request waits.
    """
    gc.collect()
    gc.freeze()
