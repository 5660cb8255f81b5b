"""What each part of a request costs `regard serve`: the figures that capacity.py simulates with.

    python benchmarks/steps.py
    python benchmarks/steps.py --published
    python benchmarks/steps.py "en-de, greedy" "emotions"

A model's own loop decodes, or reads, a sample of texts, so many at a time, without HTTP; each run
of a graph is timed, and the Python between two of them, in seconds that the thread computed. Then
`regard serve` answers clients, and the seconds of its thread for HTTP are read from /proc. All is
in int8, one thread a loop. The result is written into results/steps.json, where what is not
measured this time stays as it was; --published measures models of published sizes with random
weights, which need a few gigabytes and minutes to be made (--folder keeps them).
"""

import argparse
import asyncio
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from queueing import load, machine_figures
from queueing.cases import PAIRS, PUBLISHED, SHIPPED, Case
from queueing.clients import Seen
from queueing.measured import RESULTS, Costs, Measured, read, save
from queueing.recorded import Run, in_batches, jobs_of, kept_running, recording
from queueing.sizes import sizes

from regard.serving.limits import Limits
from regard.serving.metrics import Metrics
from regard.serving.served import BATCH, Model, Served

SECONDS = 1.5  # for each number of texts at a time
RARE = (0.5, 0.2, 0.05)  # of the rate that clients reach that wait for each answer


@dataclass(frozen=True)
class Http:
    """What a request costs besides the model: seconds of processors; requests a second."""

    server: float
    client: float
    rate: float


def place_of(case: Case, folder: Path) -> str:
    """What `regard serve` is given."""
    if case.read is None:
        return case.place
    sys.path.insert(0, str(Path(__file__).parent / "peers"))
    from random_models import saved

    return str(saved(case.place, folder / case.place))


def line_through(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Constant and slope, neither below 0."""
    x, y = np.array(points).T
    if x.min() == x.max():
        return 0.0, float(y.mean() / x[0])
    slope, constant = np.polyfit(x, y, 1)
    if slope < 0:
        return float(y.mean()), 0.0
    if constant < 0:
        return 0.0, float((x * y).sum() / (x * x).sum())
    return float(constant), float(slope)


def iterations(runs: list[Run], texts: float) -> list[tuple[float, float, float, float]]:
    """Of each step: 1, the texts in it, those that ended before it, and Python's seconds."""
    found, ended, python = [], 0, 0.0
    for run in runs:
        ended, python = ended + run.ended, python + run.python
        if run.is_step:
            found.append((1.0, texts, float(ended), python))
            ended, python = 0, 0.0
    return found


def sum_of_parts(rows: list[tuple[float, ...]]) -> list[float]:
    """The seconds of one of each, none below 0, where the last of a row is what they sum up to."""
    table = np.array(rows)
    parts, sums, kept = table[:, :-1], table[:, -1], list(range(table.shape[1] - 1))
    while True:
        found = np.linalg.lstsq(parts[:, kept], sums)[0]
        if (found >= 0).all():
            break
        del kept[int(found.argmin())]
    return [float(found[kept.index(k)]) if k in kept else 0.0 for k in range(parts.shape[1])]


def numbers_at_once(width: int, rows: int) -> list[int]:
    """How many texts run at a time."""
    return [number for number in (1, 2, 3, 4, 8, 12, 16, 32, 64) if number * width <= rows]


def decoding(model: Model, case: Case, rows: int) -> dict[str, object]:
    """The costs of a model that writes."""
    texts = case.texts()
    first = jobs_of(model, case, texts[:2])
    width = first[0].width
    work, table, python, begins = [], defaultdict[int, list[float]](list), [], []
    with recording() as runs:
        kept_running(model, first, 1)
        began = time.perf_counter()
        for job in jobs_of(model, case, texts):
            runs.clear()
            kept_running(model, [job], 1)
            work.append((len(job.ids), sum(run.is_step for run in runs)))
            if time.perf_counter() - began > 8 * SECONDS:
                break
        for number in numbers_at_once(width, rows):
            warm, found = jobs_of(model, case, texts[: 2 * number]), list[Run]()
            runs.clear()
            kept_running(model, warm, number)
            began = sum(run.seconds + run.python for run in runs)
            many = max(3 * number, int(2 * number * SECONDS / max(began, 0.01)))
            chosen = [k % len(work) for k in range(min(many, 8 * len(work)))]
            jobs = jobs_of(model, case, [texts[k] for k in chosen])
            runs.clear()
            kept_running(model, jobs, number)
            found = list(runs)
            steps = [run for run in found if run.is_step]
            for run in steps:
                table[run.rows].append(run.seconds)
            python += iterations(found, sum(work[k][1] for k in chosen) / len(steps))
            begins += [(run.rows * run.length, run.seconds) for run in found if not run.is_step]
    step, text, end = sum_of_parts(python)
    begin, token = line_through(begins)
    return {
        "decodes": True,
        "width": width,
        "graph": tuple((k, float(np.mean(table[k]))) for k in sorted(table) if len(table[k]) > 9),
        "step": step,
        "text": text,
        "end": end,
        "begin": begin,
        "token": token,
        "work": tuple(work),
        "alike": 8 if case.route == "translate" else 1,
    }


def reading(model: Model, case: Case) -> dict[str, object]:
    """The costs of a model that reads."""
    texts, table, python, ends = case.texts(), [], [], []
    with recording() as runs:
        in_batches(model, jobs_of(model, case, texts[:2]), 1)
        for number in numbers_at_once(1, BATCH):
            began, batches = time.perf_counter(), 0
            runs.clear()
            while time.perf_counter() - began < SECONDS or batches < 2:
                first = batches * number
                some = [texts[k % len(texts)] for k in range(first, first + number)]
                in_batches(model, jobs_of(model, case, some), number)
                batches += 1
            table.append((number, sum(run.seconds for run in runs) / batches))
            python.append((number, sum(run.python for run in runs) / batches))
            ends += [run.ending / run.ended for run in runs if run.ended]
    step, text = line_through(python)
    end = min(float(np.mean(ends)), text)
    return {
        "decodes": False,
        "width": 1,
        "graph": tuple(table),
        "step": step,
        "text": text - end,
        "end": end,
        "begin": 0.0,
        "token": 0.0,
        "work": tuple((case.read or 0, 1) for _ in texts),
        "alike": 1,
    }


def over_http(server: load.Running, case: Case, few: bool) -> dict[str, object]:
    """Seconds of a request, of the server's thread and of the clients; and how many times as long
    the thread computes where requests are rare."""
    bodies = case.bodies()

    def costs(what: str, send: Callable[[int], Seen], requests: int) -> Http:
        send(requests // 4)
        theirs, ours = server.http_seconds(), time.process_time()
        seen = send(requests)
        theirs, ours = server.http_seconds() - theirs, time.process_time() - ours
        found = Http(theirs / requests, ours / requests, seen.rate)
        print(
            f"    {what}: {1e3 * found.server:.2f} ms of the server's thread for HTTP,"
            f" {1e3 * found.client:.2f} ms of a client"
        )
        return found

    def in_turn(clients: int) -> Callable[[int], Seen]:
        return lambda number: asyncio.run(
            load.in_turn(server.port, case.path, bodies, clients, number)
        )

    def at_random(rate: float) -> Callable[[int], Seen]:
        return lambda number: asyncio.run(
            load.at_random(server.port, case.path, bodies, rate, number)
        )

    clients, requests = (4, 12) if few else (16, 400)
    busy, cold = costs(f"{clients} clients", in_turn(clients), requests), []
    for part in () if few else RARE:
        rate = part * busy.rate
        found = costs(f"{rate:.0f} a second", at_random(rate), max(40, int(2 * rate)))
        cold.append((1 / rate - found.server, max(1.0, found.server / busy.server)))
    print(end="", flush=True)
    return {"request": busy.server, "client": busy.client, "cold": tuple(sorted(cold))}


def measured(name: str, case: Case, folder: Path) -> Costs:
    """All costs of a case."""
    place = place_of(case, folder)
    served = Served([place], Limits(), Metrics(), precision="int8")
    [model] = served.models.values()
    decodes = case.route in ("translate", "generate")
    costs = decoding(model, case, Limits().rows) if decodes else reading(model, case)
    served.close()
    with load.running(place) as server:
        http = over_http(server, case, few=case.read is not None)
    return Costs(name=name, **sizes(place), **costs, **http)


def shown(costs: Costs) -> None:
    """Prints what was measured."""
    graph = "  ".join(f"{rows:g}: {1e3 * seconds:.2f}" for rows, seconds in costs.graph)
    unit = "rows" if costs.decodes else "texts"
    print(f"{costs.name}\n    the graph of a step, ms by {unit}: {graph}")
    print(
        f"    Python of a step: {1e3 * costs.step:.3f} ms and {1e3 * costs.text:.3f} ms for each"
        f" text, {1e3 * costs.end:.3f} ms for each that ends;"
        f" {costs.mean_steps:.1f} steps of a text"
    )
    if costs.decodes:
        print(
            f"    to begin: {1e3 * costs.begin:.2f} ms and {1e6 * costs.token:.0f} µs for each"
            " token"
        )
    print(
        f"    HTTP: {1e3 * costs.request:.2f} ms of the server, {1e3 * costs.client:.2f} ms of a"
        " client; after a pause of "
        + ", ".join(f"{1e3 * idle:.0f} ms {more:.2f} times" for idle, more in costs.cold)
        + " as much",
        flush=True,
    )


def of_the_machine() -> Measured:
    """What is measured without a model, and with en-de."""
    with load.running("en-de") as server:
        socket, start = machine_figures.socket_seconds(server), server.started
    cores = len(os.sched_getaffinity(0))
    limits = Limits()
    return Measured(
        processor=machine_figures.processor(),
        cores=cores,
        together=together(),
        bandwidth=machine_figures.bandwidth(1),
        bandwidth_together=machine_figures.bandwidth(cores),
        thread=machine_figures.thread_seconds(),
        socket=socket,
        rows=limits.rows,
        batch=BATCH,
        waiting=limits.waiting,
        images=machine_figures.images_a_second(),
        start=start,
        costs={},
    )


def together() -> float:
    """How fast a core decodes while another process computes on every other core."""
    case = SHIPPED["en-de, greedy"]
    served = Served(["en-de"], Limits(), Metrics(), precision="int8")
    [model] = served.models.values()
    texts = case.texts()

    def seconds() -> float:
        with recording() as runs:
            kept_running(model, jobs_of(model, case, texts), 32)
            steps = [run.seconds for run in runs if run.is_step and run.rows == 32]
        return float(np.mean(steps))

    seconds()
    alone = seconds()
    others = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(len(os.sched_getaffinity(0)) - 1)
    ]
    try:
        found = alone / seconds()
    finally:
        for each in others:
            each.kill()
            each.wait()
        served.close()
    return min(found, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="cases; all shipped ones by default")
    parser.add_argument("--published", action="store_true", help="those of published sizes")
    parser.add_argument("--folder", type=Path, help="where random models are kept")
    parser.add_argument("--into", type=Path, default=RESULTS, help="the file that is written")
    arguments = parser.parse_args()
    if not PAIRS.is_file():
        parser.exit(0, f"{parser.prog} needs sentences; {PAIRS} is not there.\n")
    cases = SHIPPED | PUBLISHED
    names = arguments.names or list(PUBLISHED if arguments.published else SHIPPED)
    for name in names:
        if name not in cases:
            parser.error(f"{name} must be one of: {', '.join(cases)}.")
    known = read(arguments.into) if arguments.into.is_file() else None
    print(f"{platform.machine()}, {machine_figures.processor()}")
    found = known
    if known is None or not (arguments.names or arguments.published):
        found = of_the_machine()
        print(
            f"a core beside another that computes: {found.together:.2f} of its speed;"
            f" memory: {found.bandwidth / 1e9:.0f} GB/s one core,"
            f" {found.bandwidth_together / 1e9:.0f} GB/s all\nto wake another thread:"
            f" {1e6 * found.thread:.0f} µs, another process: {1e6 * found.socket:.0f} µs;"
            f" start of a server: {found.start:.1f} s; digits:"
            f" {found.images:,.0f} images/s of a core",
            flush=True,
        )
        found = replace(found, costs=known.costs if known else {})
    assert found is not None
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            costs = measured(name, cases[name], arguments.folder or Path(temporary))
            found.costs[name] = costs
            shown(costs)
            save(found, arguments.into)


if __name__ == "__main__":
    main()
