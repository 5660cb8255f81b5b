"""How much `regard serve` can do: simulated, beside the real server, and on larger machines.

    python benchmarks/capacity.py --validate
    python benchmarks/capacity.py --validate "en-de, 5 beams"
    python benchmarks/capacity.py

The simulation (benchmarks/queueing) has the server's rules and the costs that benchmarks/steps.py
measured. --validate puts the real server under the same loads as the simulated one, with clients on
the same cores: some that wait for each answer, and requests that come at random. Without it, the
simulation says what one core, this machine, a socket, ten machines and a region serve; what it
takes for granted is printed first.
"""

import argparse
import asyncio
import os
from pathlib import Path

from queueing import load
from queueing.cases import PAIRS, PUBLISHED, SHIPPED, Case
from queueing.clients import Seen, Server, simulated
from queueing.growth import report
from queueing.measured import RESULTS, Measured, read

VALIDATED = ("en-de, greedy", "en-de, 5 beams", "emotions")
CLIENTS = (1, 4, 16, 64, 256)
LOADS = (0.5, 0.8)  # of the rate that 64 clients reach
SECONDS = 6.0  # of each load
CLOSE = 0.15  # what the simulation is to stay within
COLUMNS = ("requests/s", "p50 ms", "p95 ms", "p99 ms")


def figures(seen: Seen) -> list[float]:
    """In the order of COLUMNS."""
    return [seen.rate, *(1000 * seen.quantile(part) for part in (0.5, 0.95, 0.99))]


def compared(what: str, real: Seen, simulation: Seen) -> list[float]:
    """Prints a line; gives the differences, as parts of what was measured."""
    pairs = list(zip(figures(real), figures(simulation), strict=True))
    differences = [found / expected - 1 for expected, found in pairs]
    cells = [
        f"{expected:7.1f} {found:7.1f} {difference:+5.0%}"
        for (expected, found), difference in zip(pairs, differences, strict=True)
    ]
    print(f"{what:14}" + "  ".join(cells), flush=True)
    return differences


def validate(measured: Measured, name: str, case: Case, port: int) -> list[float]:
    """Prints measured beside simulated; gives the differences of rates, p50 and p95."""
    bodies = case.bodies()
    server = Server(cores=measured.cores, loops=max(1, measured.cores - 1))
    print(f"\n{name}: measured, simulated, difference")
    print(" " * 14 + "  ".join(f"{column:^21}" for column in COLUMNS))
    found, most = [], 0.0
    asyncio.run(load.in_turn(port, case.path, bodies, 16, 200))  # warms up
    for clients in CLIENTS:
        expected = simulated(measured, name, server, clients=clients, requests=20 * clients)
        requests = max(40, 3 * clients, int(SECONDS * expected.rate))
        real = asyncio.run(load.in_turn(port, case.path, bodies, clients, requests))
        again = simulated(measured, name, server, clients=clients, requests=requests)
        found += compared(f"{clients} clients", real, again)[:3]
        most = again.rate if clients == 64 else most
    for part in LOADS:
        rate = part * most
        requests = int(SECONDS * rate)
        real = asyncio.run(load.at_random(port, case.path, bodies, rate, requests))
        again = simulated(measured, name, server, rate=rate, requests=requests)
        found += compared(f"{rate:.0f} at random", real, again)[:3]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="cases to validate, or to report")
    parser.add_argument("--validate", action="store_true", help="beside the real server")
    parser.add_argument("--steps", type=Path, default=RESULTS, help="what steps.py measured")
    arguments = parser.parse_args()
    measured = read(arguments.steps)
    for name in arguments.names:
        if name not in measured.costs:
            parser.error(f"{name} must be one of: {', '.join(measured.costs)}.")
    print(f"{measured.processor}; costs of {arguments.steps.name}")
    if not arguments.validate:
        report(measured, arguments.names or [*SHIPPED, *PUBLISHED])
        return
    if not PAIRS.is_file():
        parser.exit(0, f"{parser.prog} needs sentences; {PAIRS} is not there.\n")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
    differences = []
    for name in arguments.names or VALIDATED:
        case = SHIPPED[name]
        with load.running(case.place) as server:
            differences += validate(measured, name, case, server.port)
    close = sum(abs(each) <= CLOSE for each in differences)
    print(f"\n{close} of {len(differences)} rates, p50 and p95 are within {CLOSE:.0%}.")


if __name__ == "__main__":
    main()
