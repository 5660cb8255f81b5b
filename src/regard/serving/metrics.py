"""Counters of a server, for Prometheus; several processes keep theirs in files, which add up."""

import os
from collections.abc import Callable
from functools import lru_cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
ROWS = (1, 2, 4, 8, 16, 32, 64, 128)
FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # of the environment: where the files of the processes are


class Metrics:
    """The counters of one process. Where there are several, `text` has the sums, those of processes
    that have ended included."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._watched: list[tuple[Gauge, Callable[[], int]]] = []
        self._requests = self._counter("requests", "Requests.", "route", "status")
        self._seconds = Histogram(
            "regard_request_seconds",
            "Time from request to the end of the answer.",
            ("route",),
            buckets=SECONDS,
            registry=self.registry,
        )
        self._rows = Histogram(
            "regard_step_rows",
            "Hypotheses, or texts, that one run of the model computes.",
            ("model",),
            buckets=ROWS,
            registry=self.registry,
        )
        self._busy = self._counter("model_seconds", "Time in the model.", "model")
        self._tokens = self._counter("tokens", "Tokens written.", "model")
        self._waiting = self._gauge("waiting", "Texts that wait.", "model")
        self._running = self._gauge("running", "Hypotheses, or texts, that run.", "model")
        self._processes = self._gauge("processes", "Processes that answer.")
        self._of_route = lru_cache(1024)(
            lambda route, status: (
                self._requests.labels(route, str(status)),
                self._seconds.labels(route),
            )
        )

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(f"regard_{name}", about, labels, registry=self.registry)

    def _gauge(self, name: str, about: str, *labels: str) -> Gauge:
        return Gauge(
            f"regard_{name}", about, labels, registry=self.registry, multiprocess_mode="livesum"
        )

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request that has been answered."""
        requests, took = self._of_route(route, status)
        requests.inc()
        took.observe(seconds)

    def of_model(self, name: str) -> "ModelMetrics":
        """Return the counters of one model."""
        return ModelMetrics(self, name)

    def refresh(self) -> None:
        """Set the numbers that are looked up, for this process or another to tell."""
        self._processes.set(1)
        for gauge, number in self._watched:
            gauge.set(number())

    def text(self) -> bytes:
        """All of them, in the text format of Prometheus."""
        self.refresh()
        registry = self.registry
        if FOLDER in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)
        return generate_latest(registry)


class ModelMetrics:
    """The counters of one model; see `Metrics`."""

    def __init__(self, metrics: Metrics, name: str):
        self._metrics = metrics
        self._rows, self._busy = metrics._rows.labels(name), metrics._busy.labels(name)
        self._tokens = metrics._tokens.labels(name)
        self._waiting, self._running = metrics._waiting.labels(name), metrics._running.labels(name)

    def watch(self, waiting: Callable[[], int], running: Callable[[], int]) -> None:
        """Look these numbers up when the metrics are asked for."""
        self._metrics._watched += [(self._waiting, waiting), (self._running, running)]

    def stepped(self, rows: int, seconds: float) -> None:
        """Count a run of the model."""
        self._rows.observe(rows)
        self._busy.inc(seconds)

    def wrote(self, tokens: int) -> None:
        """Count the tokens of a text that has ended."""
        self._tokens.inc(tokens)
