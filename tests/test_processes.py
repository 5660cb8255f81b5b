"""A team does all of its work, though processes end; those that it started end with it."""

import os
import signal
from multiprocessing.connection import Connection

import pytest

from regard.processes import Child, Team


def doubling(connection: Connection, deadly: int) -> None:
    """Doubles numbers; ends at one of them."""
    while True:
        number = connection.recv()
        if number == deadly:
            os._exit(7)
        connection.send((os.getpid(), 2 * number))


def team(deadly: int) -> Team[int]:
    return Team(
        lambda: Child(doubling, deadly, name="doubling"),
        size=2,
        attempts=2,
        lost=lambda number, how: ValueError(f"{number}: {how}"),
    )


def test_all_work_is_done_by_at_most_as_many_processes_and_they_end() -> None:
    answers = list(team(deadly=-1).answers(range(7)))
    assert sorted(double for _, double in answers) == [2 * k for k in range(7)]
    processes = {process for process, _ in answers}
    assert len(processes) <= 2
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_a_killed_process_is_replaced_and_its_work_done_again() -> None:
    doubles = []
    for process, double in team(deadly=-1).answers(range(9)):
        doubles.append(double)
        if len(doubles) == 1:
            os.kill(process, signal.SIGKILL)
    assert sorted(doubles) == [2 * k for k in range(9)]


def test_work_that_ends_every_process_is_named_with_how_they_ended() -> None:
    with pytest.raises(ValueError, match="3: ended with exit code 7"):
        list(team(deadly=3).answers(range(5)))
