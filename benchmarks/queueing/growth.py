"""From one core to a region: the simulation where it reaches, and arithmetic from there on.

What one core does, and a socket with one process, is simulated, with clients that wait in turn. The
processes of a socket and the machines beyond it are so many times one core, which is an assumption
like those that `report` prints.
"""

import math
from dataclasses import dataclass, replace

from queueing.clients import Seen, Server, simulated
from queueing.measured import Costs, Measured

CORES = 32  # of a socket
SOCKET = 300e9  # bytes a second that its cores read from memory together
FILL = 0.7  # of what machines can do that is planned with
MACHINES = 10
USERS, REQUESTS, PEAK = 1_000_000, 20, 3.0  # requests of a user a day; the peak over the mean
CLIENTS = 64  # that wait in turn and find what a server can do
LINK = 1.25e9  # bytes a second to each machine


@dataclass(frozen=True)
class Grown:
    """What servers can do of one kind of request, a second."""

    core: Seen  # one core, one process
    whole: Seen  # a socket, one process as it is started
    split: float  # a socket, a process for each core
    bound: str  # what is used up first where the socket has one process
    bandwidth: float  # part of the socket's memory bandwidth that the processes ask for

    @property
    def machines(self) -> int:
        """For the region at its peak, with one to spare."""
        peak = USERS * REQUESTS / 86400 * PEAK
        return math.ceil(peak / (FILL * self.split)) + 1


def bytes_of_step(costs: Costs, rows: float) -> float:
    """That a step reads from memory: its weights, and the keys and values of its rows, half of
    whose tokens are there on average."""
    read = sum(read for read, _ in costs.work) / len(costs.work)
    return costs.weights + rows * costs.kept * (read + costs.mean_steps / 2)


def limited(costs: Costs, processes: int) -> Costs:
    """The costs where so many processes share a socket's memory, all of it read from memory."""
    graph = tuple(
        (rows, max(seconds, processes * bytes_of_step(costs, rows) / SOCKET))
        for rows, seconds in costs.graph
    )
    return replace(costs, graph=graph)


def grown(measured: Measured, name: str) -> Grown:
    """Simulates one core and a socket; clients have machines of their own."""

    def seen(server: Server, costs: Costs) -> Seen:
        steps = costs.mean_steps if costs.decodes else 1.0
        requests = max(4 * CLIENTS, int(12_000 / steps))
        its = replace(measured, costs={name: costs})
        return simulated(its, name, server, clients=CLIENTS, requests=requests)

    costs = measured.costs[name]
    core = seen(Server(cores=1, beside=False), costs)
    loops = CORES - 1 if costs.decodes else 1
    whole = seen(Server(cores=CORES, loops=loops, beside=False), costs)
    split = seen(Server(cores=1, beside=False), limited(costs, CORES))
    assert whole.busy is not None
    assert core.busy is not None
    rows = core.busy.texts * costs.width
    asked = CORES * bytes_of_step(costs, rows) / costs.graph_seconds(rows) / SOCKET
    busy = {"Python's lock": whole.busy.lock, "cores": whole.busy.cores}
    bound = max(busy, key=lambda each: busy[each])
    if busy[bound] < 0.8:
        bound = "one thread reads" if not costs.decodes else "switches of Python's lock"
    return Grown(core, whole, CORES * split.rate, bound, asked)


# Weights that a token's step multiplies by, of models that are derived, not measured.
DERIVED = {"Transformer big": 153e6, "GPT-2 124M": 124e6, "Llama-3.2-1B": 1.24e9}


def derived(base: Costs) -> None:
    """Prints what a core writes with larger models, if it reads their weights and multiplies as
    fast as with a measured one; attention and Python are left out."""
    (few, slow), (many, fast) = base.graph[0], base.graph[-1]
    reading, rate = base.weights / slow, 2 * base.weights * many / fast
    print(
        f"\nderived from {base.name}, {reading / 1e9:.0f} GB/s of weights at {few:.0f} rows and"
        f" {rate / 1e9:.0f} billion operations/s at {many:.0f}:"
    )
    for name, weights in DERIVED.items():
        steps = [max(weights / reading, 2 * weights * rows / rate) for rows in (1, 64)]
        print(
            f"  {name:18}{1 / steps[0]:8.1f} tokens/s of a core for one text,"
            f"{64 / steps[1]:8.1f} for 64; one text on each core of a socket asks for"
            f" {CORES * weights / steps[0] / SOCKET:.0%} of its memory"
        )


def report(measured: Measured, names: list[str]) -> None:
    """Prints what is assumed and what servers can do."""
    print(
        f"assumed: a socket of {CORES} cores like those measured, {SOCKET / 1e9:.0f} GB/s of"
        f" memory, all weights read from there;\n{USERS:,} users with {REQUESTS} requests a day"
        f" each, at the peak {PEAK:g} times the mean; machines planned at {FILL:.0%}\nof what they"
        " can do, one to spare; a balancer that takes no time and keeps them equally busy\n"
    )
    print(
        f"{'requests/s':18}{'one core':>10}{'socket':>10}{'lock':>7}{'a process':>11}{'memory':>8}"
        f"{'ten':>10}{'region,':>10}\n{'':18}{'':10}{'as it is':>10}{'held':>7}{'a core':>11}"
        f"{'asked':>8}{'machines':>10}{'machines':>10}  the first bottleneck of a socket as it is"
    )
    for name in names:
        if name not in measured.costs:
            continue
        found = grown(measured, name)
        assert found.whole.busy is not None
        print(
            f"{name:18}{found.core.rate:10,.0f}{found.whole.rate:10,.0f}{found.whole.busy.lock:7.0%}"
            f"{found.split:11,.0f}{found.bandwidth:8.0%}{MACHINES * found.split:10,.0f}"
            f"{found.machines:10}  {found.bound}",
            flush=True,
        )
    if (base := measured.costs.get("Transformer base")) is not None:
        derived(base)
    print(
        f"\ndigits, which is not served: {measured.images:,.0f} images/s of a core in one process\n"
        f"a server answers {measured.start:.1f} s after its command, with its model;"
        f" the weights of\nLlama-3.2-1B in int8, 1.2 GB, reach a machine in {1.24e9 / LINK:.0f} s"
        f" over 10 Gbit/s"
    )
