"""What breaks under attack: `make attack`, or `python -m attack [PART …]`.

Each part tries a number of times and counts what went wrong; one table says it all.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

FOUND = Path("build/attack")
PARTS = (
    *("kills", "signals", "disk", "power", "sharing", "clients", "configs", "chats", "readers"),
    *("processes", "weights", "ends"),
)


def rows(options: argparse.Namespace) -> Iterator["Row"]:
    """The rows of the table, as they come."""
    short = options.short
    forks.prepare()
    for task in options.tasks:
        if "kills" in options.parts:
            yield kills.kills(task, options.tries or (6 if short else 200), options.seed)
        if "signals" in options.parts:
            yield kills.signals(task, 1 if short else 10, options.seed)
    if "disk" in options.parts:
        for case in full_disk.CASES:
            if not short or case.what in full_disk.SHORT:
                yield full_disk.full(case, 2 if short else 30, options.seed)
    if "power" in options.parts:
        if not tracing.AVAILABLE:
            print("power: needs ptrace of Linux on x86-64; left out", file=sys.stderr)
        for outage in power.CASES if tracing.AVAILABLE else ():
            if not short or outage.what in power.SHORT:
                yield power.cuts(outage, options.tries or (3 if short else 225), options.seed)
    if "sharing" in options.parts:
        yield sharing.trainings(2 if short else 50, options.seed)
        yield sharing.evaluations(1 if short else 50, options.seed)
    if "processes" in options.parts and Path("/proc").is_dir():
        yield processes.kills(2 if short else 50, options.seed)
        yield processes.kills_by_torchrun(1 if short else 10, options.seed)
    if "clients" in options.parts:  # the last that makes children: it begins threads
        yield from clients.hostile_clients(short, options.seed)
    if "weights" in options.parts:
        for name in weights.MODELS[1:2] if short else weights.MODELS:
            yield weights.bad_numbers(name, options.tries or (4 if short else 500), options.seed)
    if "ends" in options.parts:
        yield ends.ends(options.tries or (1 if short else 40))
    if "configs" in options.parts:
        for name in configs.CASES:
            yield Row(
                f"a changed config.json: {name}", *configs.attack(name, 40 if short else None)
            )
    if "chats" in options.parts:
        texts = options.inputs or (1000 if short else 100_000)
        yield Row("messages that spell control tokens", texts, [*chats.attack(texts)])
    if "readers" in options.parts:
        for name in readers():
            inputs = options.inputs or (1000 if short else 100_000)
            tally = fuzz(name, inputs, options.seconds, 0)
            counts = zip(OUTCOMES[2:], tally.numbers[2:], strict=True)
            failures = [kind for kind, number in counts for _ in range(number)]
            yield Row(f"damaged input: {name}", tally.inputs, failures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--tasks", nargs="*", default=kills.TASKS, help="that are killed")
    parser.add_argument("--tries", type=int, help="kills of each task; 200 by default")
    parser.add_argument("--inputs", type=int, help="of each reader; 100,000 by default")
    parser.add_argument("--seconds", type=float, default=3600, help="for each reader, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="a few tries of each")
    options = parser.parse_args()
    options.parts = options.parts or PARTS
    print(f"{'what':70}{'tries':>9}{'failures':>10}{'seconds':>9}", flush=True)
    failures, started = 0, time.monotonic()
    for row in rows(options):
        now = time.monotonic()
        print(
            f"{row.what:70}{row.tries:9,}{len(row.failures):10,}{now - started:9,.0f}", flush=True
        )
        started = now
        for failure in row.failures[:5]:
            print("   " + " ".join(failure.split()), file=sys.stderr, flush=True)
        failures += len(row.failures)
    sys.exit(1 if failures else 0)


os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["JE_ARROW_MALLOC_CONF"] = "background_thread:false"  # pyarrow's, from its import on
from attack import (  # noqa: E402
    clients,
    ends,
    forks,
    full_disk,
    kills,
    power,
    processes,
    sharing,
    tracing,
    weights,
)
from attack.forks import Row  # noqa: E402
from fuzz import chats, configs  # noqa: E402
from fuzz.attack import OUTCOMES  # noqa: E402
from fuzz.attack import attack as fuzz  # noqa: E402
from fuzz.readers import readers  # noqa: E402

if __name__ == "__main__":
    main()
