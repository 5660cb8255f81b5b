"""What the server counts, for Prometheus."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
ROWS = (1, 2, 4, 8, 16, 32, 64, 128)


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "regard_requests", "Requests.", ("route", "status"), registry=self.registry
        )
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
        self._busy = Counter(
            "regard_model_seconds", "Time in the model.", ("model",), registry=self.registry
        )
        self._tokens = Counter(
            "regard_tokens", "Tokens written.", ("model",), registry=self.registry
        )
        self._waiting = Gauge(
            "regard_waiting", "Texts that wait.", ("model",), registry=self.registry
        )
        self._running = Gauge(
            "regard_running", "Hypotheses, or texts, that run.", ("model",), registry=self.registry
        )

    def answered(self, route: str, status: int, seconds: float) -> None:
        """A request has been answered."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def of_model(self, name: str) -> "ModelMetrics":
        """The counters of one model."""
        return ModelMetrics(
            self._rows.labels(name),
            self._busy.labels(name),
            self._tokens.labels(name),
            self._waiting.labels(name),
            self._running.labels(name),
        )

    def text(self) -> bytes:
        """All of them, in the text format of Prometheus."""
        return generate_latest(self.registry)


class ModelMetrics:
    """The counters of one model; see `Metrics`."""

    def __init__(
        self, rows: Histogram, busy: Counter, tokens: Counter, waiting: Gauge, running: Gauge
    ):
        self._rows, self._busy, self._tokens = rows, busy, tokens
        self._waiting, self._running = waiting, running

    def watch(self, waiting: Callable[[], int], running: Callable[[], int]) -> None:
        """Where the numbers come from that are read when they are asked for."""
        self._waiting.set_function(waiting)
        self._running.set_function(running)

    def stepped(self, rows: int, seconds: float) -> None:
        """The model ran once."""
        self._rows.observe(rows)
        self._busy.inc(seconds)

    def wrote(self, tokens: int) -> None:
        """A text has ended."""
        self._tokens.inc(tokens)
