"""A simulated `regard serve`: processes with a thread for HTTP and loops that compute.

The rules are those of `regard.serving`: a queue that refuses what it has no room for, loops that
take what fits between two steps (`decoding`), or all that waits up to a batch (`batches`). Python's
lock is one for the threads of a process; the engine computes without it.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from queueing.machine import Compute, Lock, Machine, Sleep, Thread, Wait
from queueing.measured import Costs

PIECE = 192  # tokens of prompts that are read between two steps

Act = Callable[[], None]


@dataclass(eq=False)
class Request:
    """One text on its way."""

    read: int  # tokens
    steps: int
    answered: Callable[[bool], None]  # with whether it was taken


class Worker:
    """A thread that does one thing after the other.

    Args:
        lock: held meanwhile; None: none.
        delay: seconds until it wakes up.
        costs: that say how slow it is at first.
    """

    def __init__(self, machine: Machine, lock: Lock | None, delay: float, costs: Costs):
        self._machine, self._lock, self._delay = machine, lock, delay
        self._costs = costs
        self._todo: deque[tuple[float, Act]] = deque()
        self._idle = Wait()
        self.busy = 0.0
        machine.start(self._run())

    def put(self, seconds: float, act: Act) -> None:
        """Has so many seconds computed and then something done."""
        self._todo.append((seconds, act))
        self._machine.wake(self._idle)

    def _run(self) -> Thread:
        while True:
            factor, ended = 1.0, self._machine.now
            if not self._todo:
                yield self._idle
                factor = self._costs.factor(self._machine.now - ended)
                yield Sleep(self._delay)
            seconds, act = self._todo.popleft()
            seconds, began = factor * seconds, self._machine.now
            if self._lock is None:
                yield Compute(seconds)
            else:
                yield from self._lock.held(seconds, lambda: bool(self._todo))
            self.busy += self._machine.now - began
            act()


class Process:
    """One process of the server.

    Args:
        costs: of the requests.
        loops: threads that compute.
        rows: of a loop; of a model that reads, texts of a batch.
        waiting: texts that may wait.
        thread, socket: seconds until a sleeping thread wakes up, by another thread or process.
    """

    def __init__(
        self,
        machine: Machine,
        costs: Costs,
        *,
        loops: int,
        rows: int,
        waiting: int,
        thread: float,
        socket: float,
    ):
        self.machine, self.costs = machine, costs
        self.rows, self.most = rows, waiting
        self.lock = Lock(machine)
        self.http = Worker(machine, self.lock, socket, costs)
        self.waiting: deque[Request] = deque()
        self.changed, self.thread = Wait(), thread
        self.steps = self.stepped = 0  # of all loops; texts in them
        for _ in range(loops):
            machine.start(_Loop(self).run())

    def receive(self, request: Request) -> None:
        """A request comes in."""
        self.http.put(self.costs.request / 2, lambda: self._enter(request))

    def answer(self, request: Request, taken: bool = True) -> None:
        """A request goes out."""
        self.http.put(self.costs.request / 2, lambda: request.answered(taken))

    def _enter(self, request: Request) -> None:
        if len(self.waiting) >= self.most:
            self.answer(request, taken=False)
            return
        self.waiting.append(request)
        self.machine.wake(self.changed)


class _Loop:
    """One thread that computes."""

    def __init__(self, process: Process):
        self._process, self._costs = process, process.costs
        self._left: dict[Request, int] = {}  # steps
        self._reading: deque[Request] = deque()

    def run(self) -> Thread:
        process, costs = self._process, self._costs
        while True:
            factor, ended = 1.0, process.machine.now
            if not self._left and not self._reading and not process.waiting:
                yield process.changed
                factor = costs.factor(process.machine.now - ended)
                yield Sleep(process.thread)
            new = self._taken()
            if costs.decodes:
                yield from self._begin(new, factor)
            else:
                self._left |= dict.fromkeys(new, 1)
            if not self._left:
                continue
            size = len(self._left)
            yield Compute(factor * costs.graph_seconds(size * costs.width))
            process.steps += 1
            process.stepped += len(self._left)
            yield from process.lock.held(costs.step + costs.text * len(self._left))
            for each in list(self._left):
                self._left[each] -= 1
                if not self._left[each]:
                    del self._left[each]
                    yield from process.lock.held(costs.end)
                    process.answer(each)

    def _taken(self) -> list[Request]:
        process, width = self._process, self._costs.width
        room = process.rows // width - len(self._left) - len(self._reading)
        return [process.waiting.popleft() for _ in range(min(room, len(process.waiting)))]

    def _begin(self, new: list[Request], factor: float) -> Thread:
        """Reads what texts begin with: sources of similar length together, each prompt alone."""
        costs = self._costs
        if costs.alike == 1:
            self._reading.extend(new)
            budget = PIECE
            while self._reading and budget > 0:
                each = self._reading.popleft()
                budget -= each.read
                yield Compute(factor * (costs.begin + costs.token * each.read))
                self._left[each] = each.steps
            return
        groups: dict[int, list[Request]] = {}
        for each in new:
            groups.setdefault(-(-each.read // costs.alike) * costs.alike, []).append(each)
        for length, those in groups.items():
            yield Compute(factor * (costs.begin + costs.token * length * len(those)))
            self._left |= {each: each.steps for each in those}
