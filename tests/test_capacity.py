"""The simulated server: queues whose answer is known, and nothing lost."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
try:
    from queueing.clients import Server, simulated
    from queueing.machine import Compute, Lock, Machine
    from queueing.measured import Costs, Measured
finally:
    sys.path.pop(0)

READER = Costs(
    name="reader",
    decodes=False,
    width=1,
    graph=((1.0, 0.01), (2.0, 0.01)),
    step=0.0,
    text=0.0,
    end=0.0,
    begin=0.0,
    token=0.0,
    alike=1,
    request=0.0,
    client=0.0,
    cold=(),
    work=((5, 1),),
    weights=0,
    kept=0,
)
WRITER = replace(
    READER,
    name="writer",
    decodes=True,
    step=0.001,
    text=0.0001,
    end=0.0002,
    begin=0.001,
    token=0.0001,
    alike=8,
    request=0.001,
    client=0.0002,
    work=((5, 3), (11, 7), (7, 2)),
)
MACHINE = Measured(
    processor="none",
    cores=2,
    together=1.0,
    bandwidth=0.0,
    bandwidth_together=0.0,
    thread=0.0,
    socket=0.0,
    rows=8,
    batch=1,
    waiting=10**6,
    images=0.0,
    start=0.0,
    costs={"reader": READER, "writer": WRITER},
)


@pytest.mark.parametrize("busy", [0.3, 0.7])
def test_one_at_a_time_waits_as_the_formula_says(busy: float) -> None:
    """M/D/1: the mean time is s + busy · s / (2 (1 - busy)), Pollaczek and Khinchine."""
    seen = simulated(MACHINE, "reader", Server(beside=False), rate=busy / 0.01, requests=20_000)
    expected = 0.01 * (1 + busy / (2 * (1 - busy)))
    assert sum(seen.seconds) / len(seen.seconds) == pytest.approx(expected, rel=0.05)


def test_every_request_is_answered_or_refused() -> None:
    few = replace(MACHINE, waiting=3)
    seen = simulated(few, "writer", Server(), rate=2000, requests=2000)
    assert seen.refused > 0
    assert seen.sent == 2000 == len(seen.seconds) + seen.refused


def test_the_same_seed_gives_the_same_figures() -> None:
    first, again, other = (
        simulated(MACHINE, "writer", Server(), rate=100, requests=300, seed=seed)
        for seed in (1, 1, 2)
    )
    assert first.seconds == again.seconds
    assert first.seconds != other.seconds


def test_threads_share_the_cores() -> None:
    machine, ends = Machine(2), []

    def thread(seconds: float):
        yield Compute(seconds)
        ends.append(machine.now)

    for seconds in (1.0, 2.0, 3.0):
        machine.start(thread(seconds))
    machine.run()
    # Three on two cores until each has had 1 s, at 1.5 s; then the two have a core each.
    assert ends == pytest.approx([1.5, 2.5, 3.5])


def test_a_lock_is_held_by_one_thread() -> None:
    machine, ends = Machine(4), []
    lock = Lock(machine)

    def thread():
        yield from lock.held(1.0)
        ends.append(machine.now)

    for _ in range(3):
        machine.start(thread())
    machine.run()
    assert ends == pytest.approx([1.0, 2.0, 3.0])
    assert lock.seconds == pytest.approx(3.0)


def test_after_a_pause_a_thread_is_slower() -> None:
    costs = replace(READER, cold=((0.001, 1.2), (0.01, 3.0)))
    assert [costs.factor(idle) for idle in (0.0, 0.0005, 0.001, 1.0)] == [1.0, 1.1, 1.2, 3.0]
    rare = simulated(
        replace(MACHINE, costs={"reader": costs}), "reader", Server(), rate=1.0, requests=50
    )
    assert rare.quantile(0.5) == pytest.approx(0.03)
