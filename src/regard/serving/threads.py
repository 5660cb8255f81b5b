"""The thread that answers goes before those that compute, which always have more to do."""

import os
import sys

NICENESS = 5  # of what computes
SWITCH_SECONDS = 0.0005  # that a thread may keep Python's lock while others wait for it


def answer_first() -> None:
    """Has threads change often enough for the one that answers; to be called once by a server."""
    sys.setswitchinterval(SWITCH_SECONDS)


def give_way() -> None:
    """Puts the calling thread behind those that answer, where threads have priorities."""
    if sys.platform == "linux":
        os.nice(NICENESS)
