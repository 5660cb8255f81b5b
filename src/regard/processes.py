"""Processes that this one starts and that end with it: one alone, or a team that shares work."""

import multiprocessing
import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from typing import Any, Generic, TypeVar

WorkT = TypeVar("WorkT")


class Child:
    """A new process, whose function gets one end of a pipe before its arguments."""

    def __init__(self, function: Callable[..., None], *arguments: object, name: str):
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(
            target=function, args=(other, *arguments), daemon=True, name=name
        )
        self.process.start()
        other.close()  # so that the pipe ends with the process

    def end(self) -> str:
        """End the process; returns how it had ended by itself."""
        self.connection.close()
        self.process.join(timeout=0.2)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        code = self.process.exitcode or 0
        return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"


class Team(Generic[WorkT]):
    """Processes that answer what they are sent, in any order; one that ends is replaced.

    Args:
        start: starts a process that receives work and sends an answer to each.
        size: processes.
        attempts: at work that ends the process which does it.
        lost: the error for work that has ended as many, and how the last one ended.
    """

    def __init__(
        self,
        start: Callable[[], Child],
        *,
        size: int,
        attempts: int,
        lost: Callable[[WorkT, str], Exception],
    ):
        self.start, self.size, self.attempts, self.lost = start, size, attempts, lost

    def answers(self, work: Sequence[WorkT]) -> Generator[Any, None, None]:
        """Yield the answers as they come; closing this ends the processes."""
        waiting = deque(enumerate(work))
        ended: Counter[int] = Counter()
        busy: dict[Any, tuple[Child, int]] = {}  # by the connection: the child, and its work

        def give(child: Child, number: int) -> None:
            busy[child.connection] = child, number
            with suppress(OSError):  # it has just ended, which receiving from it finds
                child.connection.send(work[number])

        idle: list[Child] = []
        try:
            for number, _ in [waiting.popleft() for _ in range(min(self.size, len(work)))]:
                give(self.start(), number)
            while busy:
                for connection in wait(list(busy)):
                    child, number = busy.pop(connection)
                    try:
                        answer = child.connection.recv()
                    except (EOFError, OSError):
                        how = child.end()
                        ended[number] += 1
                        if ended[number] == self.attempts:
                            raise self.lost(work[number], how) from None
                        give(self.start(), number)
                        continue
                    if waiting:  # before the answer is used, so that the process does not wait
                        give(child, waiting.popleft()[0])
                    else:
                        idle.append(child)
                    yield answer
        finally:
            for child in [*idle, *(child for child, _ in busy.values())]:
                child.end()


def end_with_parent(code: int = 1, before: Callable[[], None] = lambda: None) -> None:
    """Have this process end as soon as the one that started it is gone, however that ended."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        before()
        os._exit(code)

    threading.Thread(target=watch, daemon=True).start()
