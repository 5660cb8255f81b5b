"""Virtual time in which threads share the cores of a machine.

A thread is a generator that yields what it does next: `Compute`, `Sleep` or `Wait`. Threads that
compute share the cores equally, none of them faster than a core (processor sharing), so the end of
each is known by the progress that all of them have made, and one event is all there is between two
changes.
"""

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Compute:
    """So many seconds of a core."""

    seconds: float


@dataclass(frozen=True)
class Sleep:
    """So many seconds without a core."""

    seconds: float


@dataclass(eq=False)
class Wait:
    """Until another thread wakes those that wait here."""

    waiting: "deque[Thread]" = field(default_factory=deque)


Thread = Generator[Compute | Sleep | Wait, None, None]


class Machine:
    """The cores, and the time.

    Args:
        cores: that threads share.
        together: how fast each core is while more than one computes, of its speed alone.
    """

    def __init__(self, cores: int, *, together: float = 1.0):
        self.cores, self.together = cores, together
        self.now = 0.0
        self.worked = 0.0  # seconds of cores
        self._done = 0.0  # seconds that each computing thread has been given so far
        self._computing: list[tuple[float, int, Thread]] = []  # by the progress at which they end
        self._timed: list[tuple[float, int, Callable[[], None]]] = []
        self._count = itertools.count()

    def start(self, thread: Thread) -> None:
        """Has a thread run from now on."""
        self.at(self.now, lambda: self._go_on(thread))

    def at(self, time: float, act: Callable[[], None]) -> None:
        """Has something done at a time."""
        heapq.heappush(self._timed, (time, next(self._count), act))

    def wake(self, waited: Wait) -> None:
        """Lets the first of those that wait go on."""
        if waited.waiting:
            self.start(waited.waiting.popleft())

    def run(self, until: float = float("inf")) -> None:
        """Lets time pass until nothing is left to do, or until then."""
        while self._computing or self._timed:
            rate, ends = self._rate(), float("inf")
            if self._computing:
                ends = self.now + max(0.0, self._computing[0][0] - self._done) / rate
            timed = self._timed[0][0] if self._timed else float("inf")
            if min(ends, timed) > until:
                self._pass(until, rate)
                return
            self._pass(min(ends, timed), rate)
            if ends <= timed:
                self._go_on(heapq.heappop(self._computing)[2])
            else:
                heapq.heappop(self._timed)[2]()

    def _rate(self) -> float:
        """Seconds of work that each computing thread is given in a second."""
        number = len(self._computing)
        return min(1.0, self.cores / max(number, 1)) * (self.together if number > 1 else 1.0)

    def _pass(self, time: float, rate: float) -> None:
        self._done += rate * (time - self.now)
        self.worked += min(len(self._computing), self.cores) * (time - self.now)
        self.now = time

    def _go_on(self, thread: Thread) -> None:
        try:
            wanted = next(thread)
        except StopIteration:
            return
        if isinstance(wanted, Compute):
            entry = (self._done + wanted.seconds, next(self._count), thread)
            heapq.heappush(self._computing, entry)
        elif isinstance(wanted, Sleep):
            self.at(self.now + wanted.seconds, lambda: self._go_on(thread))
        else:
            wanted.waiting.append(thread)


SWITCH = 0.005  # seconds after which a thread that waits for Python's lock asks for it


class Lock:
    """Python's lock, of one process: the threads of it that run Python take turns.

    A thread that has more to do keeps it, for it is back before one that sleeps has woken up,
    until the other has waited for SWITCH seconds.
    """

    def __init__(self, machine: Machine):
        self._machine, self._turns, self._held = machine, Wait(), False
        self._since: deque[float] = deque()  # when each that waits began to
        self._kept = False
        self.seconds = 0.0  # that it was held

    def held(self, seconds: float, more: Callable[[], bool] = lambda: False) -> Thread:
        """Computes while it holds the lock.

        Args:
            more: asked at the end, whether the thread is back at once.
        """
        if self._kept:
            self._kept = False
        elif self._held:
            self._since.append(self._machine.now)
            yield self._turns  # the holder leaves it locked for the first that waits
        self._held = True
        began = self._machine.now
        yield Compute(seconds)
        self.seconds += self._machine.now - began
        if more() and not (self._since and self._machine.now - self._since[0] >= SWITCH):
            self._kept = True
        elif self._since:
            self._since.popleft()
            self._machine.wake(self._turns)
        else:
            self._held = False
