"""The metrics of several processes as those of one."""

import asyncio
from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from starlette.types import Scope

from regard.serving.metrics import Metrics
from regard.serving.passing import EndedError, asked
from regard.serving.workers import Worker, Workers

PAST = ("counter", "histogram")  # what a process that has ended leaves behind
_BEGINNING = "_created"  # of a counter's name: when it began


class Sums:
    """The metrics of all workers that there are and were, and of this process.

    Args:
        metrics: of this process.
    """

    def __init__(self, metrics: Metrics):
        self._own = metrics
        self._last: dict[Worker, list[Metric]] = {}
        self._past: list[Metric] = []
        self._ended = Counter(
            "regard_workers_ended", "Workers that ended by themselves.", registry=metrics.registry
        )
        self._ready = Gauge(
            "regard_workers_ready", "Workers that can be asked.", registry=metrics.registry
        )

    def watch(self, workers: Workers) -> None:
        """Counts those that are ready."""
        self._ready.set_function(lambda: len(workers.ready))

    def ended(self, worker: Worker) -> None:
        """A worker has ended: what it had counted when it was last asked stays."""
        self._ended.inc()
        self._past = summed([self._past, past(self._last.pop(worker, []))])

    async def text(self, workers: Workers, scope: Scope) -> bytes:
        """All of them; `scope` is the request for them."""
        await asyncio.gather(*(self._ask(each, scope) for each in workers.ready))
        own = parsed(self._own.text().decode())
        return text(summed([own, self._past, *self._last.values()]))

    async def _ask(self, worker: Worker, scope: Scope) -> None:
        content = b""
        try:
            async with asked(worker.socket, scope, b"") as answer:
                while (message := await answer.next()) is not None:
                    content += message.get("body", b"")
        except EndedError:
            return  # it counts as it was last
        if worker.is_ready:
            self._last[worker] = parsed(content.decode())


def parsed(text: str) -> list[Metric]:
    """Metrics in the text format of Prometheus."""
    return list(text_string_to_metric_families(text))


def past(metrics: Iterable[Metric]) -> list[Metric]:
    """What still counts of a process that has ended."""
    return [each for each in metrics if each.type in PAST or each.name.endswith(_BEGINNING)]


def summed(processes: Iterable[Iterable[Metric]]) -> list[Metric]:
    """Each metric with the sum over all processes; of the times when counters began, the first."""
    found: dict[str, Metric] = {}
    values: dict[str, dict[tuple[str, tuple[tuple[str, str], ...]], float]] = {}
    for each in (metric for metrics in processes for metric in metrics):
        found.setdefault(each.name, Metric(each.name, each.documentation, each.type))
        of_name = values.setdefault(each.name, {})
        for sample in each.samples:
            key, value = (sample.name, tuple(sample.labels.items())), sample.value
            before = of_name.get(key)
            if before is not None:
                first = each.name.endswith(_BEGINNING)
                value = min(before, value) if first else before + value
            of_name[key] = value
    for name, metric in found.items():
        for (sample_name, labels), value in values[name].items():
            metric.add_sample(sample_name, dict(labels), value)
    return list(found.values())


def text(metrics: list[Metric]) -> bytes:
    """In the text format of Prometheus."""
    registry = CollectorRegistry()
    registry.register(_Sums(metrics))
    return generate_latest(registry)


class _Sums(Collector):
    def __init__(self, metrics: list[Metric]):
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        yield from self._metrics
