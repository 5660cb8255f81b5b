"""Keeping freed memory for the next step instead of handing it back to the system."""

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # malloc.h of glibc


def keep_freed_memory() -> bool:
    """Tells the C library to reuse freed blocks; True where it listens (glibc).

    glibc maps a large block for each allocation and unmaps it when freed, so a training step
    that allocates the same activations again and again has every page of them faulted in and
    zeroed each time. Memory use stays at its highest point.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:  # another C library, such as musl
        return False
    return bool(mallopt(M_MMAP_MAX, 0) and mallopt(M_TRIM_THRESHOLD, 2**31 - 1))
