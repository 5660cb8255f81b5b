"""What `benchmarks/steps.py` measures and the simulation reads."""

import json
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results" / "steps.json"


@dataclass(frozen=True)
class Costs:
    """What one kind of request costs. All figures are seconds of one core.

    A step reads one token of each row that a loop holds; of a model that only reads, it is a batch
    of texts, and the only step of each.
    """

    name: str
    decodes: bool  # whether texts join and leave between steps
    width: int  # rows of a text
    graph: tuple[tuple[float, float], ...]  # rows computed, seconds of a step in the graph
    step: float  # Python of a step
    text: float  # Python of a step for each text in it
    end: float  # Python of a loop for each text that ends
    begin: float  # the graph that reads what a text begins with: for each run of it
    token: float  # the same for each token, padding included
    alike: int  # texts whose lengths have the same multiple of this above them begin together
    request: float  # of the thread that answers HTTP, for a request
    client: float  # of a client, for a request
    cold: tuple[tuple[float, float], ...]  # seconds of idleness, how much longer it takes after it
    work: tuple[tuple[int, int], ...]  # of each text of the sample: tokens read, steps
    weights: int  # bytes of int8 weights that a step reads
    kept: int  # bytes of keys and values that a step reads of each token before, of each row

    def graph_seconds(self, rows: float) -> float:
        """Of a step of so many rows: between the measured numbers on a line, beyond the last on
        that of the last two."""
        points = self.graph
        if len(points) == 1:
            return points[0][1]
        if rows <= points[0][0]:
            return points[0][1]
        low, high = next(
            (pair for pair in pairwise(points) if rows <= pair[1][0]), (points[-2], points[-1])
        )
        return low[1] + (high[1] - low[1]) * (rows - low[0]) / (high[0] - low[0])

    def factor(self, idle: float) -> float:
        """How many times as long a thread computes what it begins after so many seconds: the caches
        have been others', and a core that slept is slow at first."""
        points = ((0.0, 1.0), *self.cold)
        if idle >= points[-1][0]:
            return points[-1][1]
        low, high = next(pair for pair in pairwise(points) if idle < pair[1][0])
        return low[1] + (high[1] - low[1]) * (idle - low[0]) / (high[0] - low[0])

    @property
    def mean_steps(self) -> float:
        return sum(steps for _, steps in self.work) / len(self.work)


@dataclass(frozen=True)
class Measured:
    """A machine and what was measured on it."""

    processor: str
    cores: int
    together: float  # speed of a core while the other computes, too, of its speed alone
    bandwidth: float  # bytes a second that one core reads from memory
    bandwidth_together: float  # that all cores read
    thread: float  # seconds from one thread of a process to another that sleeps
    socket: float  # seconds from one process to another that sleeps
    rows: int  # hypotheses that a loop decodes at the same time
    batch: int  # texts that a model reads together
    waiting: int  # texts that may wait
    images: float  # of digits, which is not served, that a core classifies a second
    start: float  # seconds from the command to the first answer
    costs: dict[str, Costs]


def save(measured: Measured, path: Path = RESULTS) -> None:
    """Writes the file."""
    path.write_text(json.dumps(asdict(measured), indent=None).replace('"name"', '\n"name"') + "\n")


def read(path: Path = RESULTS) -> Measured:
    """Reads the file."""
    found: dict[str, Any] = json.loads(path.read_text())
    costs = {
        name: Costs(
            **each
            | {
                "cold": tuple((float(idle), float(more)) for idle, more in each["cold"]),
                "graph": tuple((float(rows), float(s)) for rows, s in each["graph"]),
                "work": tuple((int(read), int(steps)) for read, steps in each["work"]),
            }
        )
        for name, each in found.pop("costs").items()
    }
    return Measured(costs=costs, **found)
