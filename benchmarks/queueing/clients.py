"""Those who send: some that each wait for an answer, or a stream of strangers."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from queueing.machine import Machine
from queueing.measured import Costs, Measured
from queueing.server import Process, Request, Worker


@dataclass(frozen=True)
class Busy:
    """How busy a server was: parts of the time, of the busiest process."""

    cores: float
    lock: float  # that Python's lock was held
    http: float
    texts: float  # in a step


@dataclass
class Seen:
    """What clients saw."""

    seconds: list[float] = field(default_factory=list)  # of each answer
    sent: int = 0
    refused: int = 0
    took: float = 0.0
    busy: "Busy | None" = None  # of a simulated server

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.seconds) / self.took

    def quantile(self, part: float) -> float:
        """Seconds within which this part of the answers came."""
        ordered = sorted(self.seconds)
        return ordered[max(0, math.ceil(part * len(ordered)) - 1)]


@dataclass(frozen=True)
class Server:
    """How a server is started, and on what.

    Args:
        cores: of the machine.
        processes: of the server.
        loops: threads of a process that compute.
        beside: whether the clients run on the same cores.
    """

    cores: int = 2
    processes: int = 1
    loops: int = 1
    beside: bool = True


def simulated(
    measured: Measured,
    name: str,
    server: Server,
    *,
    clients: int | None = None,
    rate: float | None = None,
    requests: int = 1000,
    seed: int = 1,
) -> Seen:
    """What clients would see.

    Args:
        name: of the costs.
        clients: that send one request after the other; None: requests come at random.
        rate: requests a second that come at random, where there are no such clients.
        requests: that are sent.
    """
    costs = measured.costs[name]
    machine = Machine(server.cores, together=measured.together)
    processes = [
        Process(
            machine,
            costs,
            loops=server.loops,
            rows=measured.rows if costs.decodes else measured.batch,
            waiting=measured.waiting,
            thread=measured.thread,
            socket=measured.socket,
        )
        for _ in range(server.processes)
    ]
    thread = Worker(machine, None, measured.socket, costs) if server.beside else None
    sender = _Sender(machine, processes, costs, thread, requests)
    if clients is not None:
        for number in range(clients):
            sender.send(number, again=True)
    else:
        assert rate is not None
        draw, time = random.Random(seed), 0.0
        for _ in range(requests):
            time += draw.expovariate(rate)
            number = draw.randrange(server.processes)
            machine.at(time, partial(sender.send, number, again=False))
    machine.run()
    sender.seen.took = machine.now
    sender.seen.busy = Busy(
        cores=machine.worked / machine.now / server.cores,
        lock=max(each.lock.seconds for each in processes) / machine.now,
        http=max(each.http.busy for each in processes) / machine.now,
        texts=sum(each.stepped for each in processes) / sum(each.steps for each in processes),
    )
    return sender.seen


class _Sender:
    """The process of the clients.

    Args:
        thread: that computes for all of them; None: each has a machine of its own.
        requests: that are sent in all.
    """

    def __init__(
        self,
        machine: Machine,
        processes: list[Process],
        costs: Costs,
        thread: Worker | None,
        requests: int,
    ):
        self._machine, self._processes, self._costs = machine, processes, costs
        self._thread, self._left = thread, requests
        self.seen = Seen()

    def send(self, client: int, *, again: bool) -> None:
        """A client sends the next text, and again once it has its answer."""
        if not self._left:
            return
        self._left -= 1
        read, steps = self._costs.work[self.seen.sent % len(self._costs.work)]
        self.seen.sent += 1
        began, process = self._machine.now, self._processes[client % len(self._processes)]

        def done(taken: bool) -> None:
            if taken:
                self.seen.seconds.append(self._machine.now - began)
            else:
                self.seen.refused += 1
            if again:
                self.send(client, again=True)

        def answered(taken: bool) -> None:
            self._compute(partial(done, taken))

        request = Request(read, steps, answered)
        self._compute(partial(process.receive, request))

    def _compute(self, act: Callable[[], None]) -> None:
        if self._thread is None:
            act()
        else:
            self._thread.put(self._costs.client / 2, act)
