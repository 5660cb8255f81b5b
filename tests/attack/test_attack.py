"""The short version of `make attack`: a few tries of everything, in a process that can fork."""

import os
import subprocess
import sys

import pytest

from attack import tracing

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

PARTS = ("kills", "signals", "disk", "power", "sharing", "clients", "weights", "ends")


@pytest.mark.slow
def test_nothing_breaks_in_a_few_tries_of_each_attack() -> None:
    command = [sys.executable, "-m", "attack", *PARTS, "--tasks", "language-model", "--short"]
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        command, env=os.environ | paths, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    rows = [line for line in ended.stdout.splitlines()[1:] if line.strip()]
    assert len(rows) >= (18 if tracing.AVAILABLE else 14), ended.stdout
