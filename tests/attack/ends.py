"""Python ends beside calls of the native engine that run: no crash, and the exit code stays."""

import subprocess
import sys

from attack.forks import SECONDS, Row

# Calls that go on and on, each in a thread of its own; `begun` says that the first has begun.
WORK = {
    "search": "m.run(['a dog runs ' * 20] * 8, num_beams=4)",
    "reading": "reader.run(['a dog runs ' * 20] * 64)",
    "listening": "m.trace('a dog runs ' * 20)",
    "keeping": "kept()",
    "jobs": "jobs_of(m)",
}
BEGINNING = """
import asyncio, os, sys, threading, time
import numpy as np
import regard
from regard.checkpoints import open_checkpoint
from regard.checkpoints.hub import find_folder
from regard.engine.native import keeping
from regard.engine.native.jobs import Jobs
from regard.engine.native.looking import opened
from regard.generation import GenerationConfig

m = regard.load("en-de").run_by("native", threads=2)
reader = regard.load("emotions").run_by("native", threads=2)
looked = opened(open_checkpoint(find_folder("emotions")))
begun = threading.Event()

def kept():
    keeping.BLOCK = 4096  # so that the engine asks for another one at every attention
    with looked.keeping("memory"):
        looked(ids=np.arange(5, 205)[None])

def jobs_of(task):
    jobs = Jobs(task.packed, threads=2, rows=16)
    config = GenerationConfig(max_new_tokens=400, min_new_tokens=400, num_beams=4)
    for number in range(8):
        jobs.add(np.arange(5, 60), config, start=task.handle.config.start_id, tag=number)
    while len(jobs):
        jobs.poll(0.01)

def work():
    begun.set()
    for _ in range(10_000):
        {work}

def begin(daemon=True):
    threading.Thread(target=work, daemon=daemon).start()
    begun.wait()
    time.sleep({pause})
"""
ENDS = {  # with 3, but for the first
    "the last line": "begin(); code = 0",
    "sys.exit": "begin(); sys.exit(3)",
    "os._exit": "begin(); os._exit(3)",
    "a fork": """
begin()
pid = os.fork()
if pid == 0:
    sys.exit(3)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
""",
    "a notebook": """
async def cell():
    begin()
    raise SystemExit(3)
asyncio.run(cell())
""",
}
CODES = {"the last line": 0}


def ends(tries: int) -> Row:
    """Ends a process in each way, so often, beside each kind of work in turn."""
    row, kinds = Row("ends of Python beside running calls"), list(WORK)
    for number in range(tries):
        for place, (end, code) in enumerate(ENDS.items()):
            kind = kinds[(number + place) % len(kinds)]
            pause = 0.002 * (number * 7 % 50)
            program = BEGINNING.replace("{work}", WORK[kind]).replace("{pause}", str(pause)) + code
            row.tries += 1
            said = _said(program)
            row.expect(said == f"{CODES.get(end, 3)} ", f"{end}, {kind}: {said}")
    return row


def _said(program: str) -> str:
    """The exit code of a program, and what it said last."""
    try:
        ended = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"not done in {SECONDS:g} s"
    return f"{ended.returncode} {ended.stderr[-300:]}"
