"""Texts that a model writes: the engine's jobs, of which requests put theirs into one queue.

What is searched greedily or with beams is the engine's alone. Samples, forced phrases and ends that
Python decides are searches of `generation.search`, which the engine asks for each next token. What
a search finds does not depend on the others.
"""

import itertools
import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from regard.engine.native import interface
from regard.engine.native import jobs as native
from regard.engine.native.decodes import NativeWriter
from regard.engine.native.library import Late
from regard.errors import RegardError
from regard.generation import GenerationConfig, Hypothesis
from regard.generation.filters import NO_TOKEN
from regard.generation.search import Asked, Chosen, NBest, check_possible, search
from regard.http.refusals import TooLate
from regard.serving.jobs import Job, Line, Waiting, as_refusal, together
from regard.serving.metrics import ModelMetrics
from regard.serving.process import give_way

SHORT = 32  # tokens; texts that have no more do not wait for longer ones
# Texts beyond which events are taken so many seconds apart: each time, the thread that answers has
# to wait for Python's lock. A text that rests until its search in Python answers does not wait so.
FEW, PAUSE, RESTLESS = 8, 0.003, 0.1

log = logging.getLogger("regard.serving")


class Decode(Job):
    """One text to be decoded; the result is its hypotheses.

    Args:
        ids: what is read: the source of an encoder–decoder, the prompt of a language model.
        start: what the decoder reads first, where `ids` are the source.
        ends: as `generate` takes it.
        on_token: called with each token as soon as it is certain, from the model's thread; of one
            sequence without beams only. Its log-probability is NaN without `top_logprobs`.
    """

    def __init__(
        self,
        ids: Sequence[int],
        config: GenerationConfig,
        deadline: float,
        *,
        start: int | None = None,
        number: int = 0,
        ends: Callable[[Sequence[int]], bool] | None = None,
        on_token: Callable[[Chosen], None] | None = None,
    ):
        super().__init__(deadline)
        self.ids, self.config, self.on_token = np.array(ids, np.int64), config, on_token
        self.start = NO_TOKEN if start is None else start
        self.passed = 0  # tokens that were passed to on_token
        self.asked: Asked | None = None  # the first request of a search in Python
        keeps = config.top_logprobs is not None
        if not (config.do_sample or config.forced_phrases or ends or keeps):
            return
        samples = config.alternatives if config.do_sample else 1
        self._results = [NBest(config) for _ in range(samples)]
        prompt = self.ids if start is None else np.array([start])
        streams = [(number, sample) for sample in range(samples)]
        self.searching = search(prompt[None], config, streams, self._results, ends=ends)
        self.asked = next(self.searching)

    def found(self) -> list[Hypothesis]:
        """Return the hypotheses, once the search in Python has ended.

        Raises:
            BadArgumentError: no token was possible.
        """
        check_possible(result.hypotheses for result in self._results)
        if self.config.do_sample:
            return [result.hypotheses[0] for result in self._results]
        return self._results[0].hypotheses[: self.config.alternatives]


class _Waiting(Waiting[Decode]):
    """The requests that wait in the engine's queue."""

    def __init__(self, most: int, name: str, jobs: native.Jobs):
        super().__init__(most, name)
        self._jobs, self._numbers = jobs, itertools.count()

    def join(self, texts: int) -> Line[Decode]:
        line = super().join(texts)
        line.number = next(self._numbers)
        return line

    def put(self, line: Line[Decode], jobs: Sequence[Decode]) -> None:
        self.check_open()
        for job in jobs:
            job.line = line
            try:
                number = self._jobs.add(
                    job.ids,
                    job.config,
                    start=job.start,
                    asked=job.asked,
                    streams=job.on_token is not None,
                    line=line.number,
                    seconds=job.deadline - time.monotonic(),
                    tag=job,
                )
            except RegardError as error:  # of the one text
                job.fail(error)
                continue
            job.on_cancel(lambda number=number: self._jobs.cancel(number))  # type: ignore[misc]

    def close(self) -> None:
        super().close()
        self._jobs.finish()


class Decoding:
    """The threads of the engine that decode for one model, and one that takes their events.

    Args:
        model: that computes.
        waiting: texts that may wait.
        rows: hypotheses that one thread decodes at the same time. A job may have all but `kept`.
        kept: rows that only short texts may use.
        threads: of the engine, each with a batch of its own.
    """

    def __init__(
        self,
        model: NativeWriter,
        *,
        name: str,
        waiting: int,
        rows: int,
        kept: int,
        threads: int,
        metrics: ModelMetrics,
    ):
        self.running = rows * threads  # jobs at the same time
        with ThreadPoolExecutor(1, initializer=give_way) as starting:  # whose priority they inherit
            limits = dict(threads=threads, rows=rows, kept=kept, short=SHORT)
            self._jobs = starting.submit(native.Jobs, model, **limits).result()
        self.waiting, self._metrics = _Waiting(waiting, name, self._jobs), metrics
        metrics.watch(self.waiting.__len__, lambda: self.used)
        self._thread = threading.Thread(target=self._run, name="regard-decoding", daemon=True)
        self._thread.start()

    @property
    def used(self) -> int:
        """Rows in use."""
        return self._jobs.counts()[1]

    def close(self) -> None:
        """End the threads, after what waits and run."""
        self.waiting.close()
        self._thread.join()

    def _run(self) -> None:
        """Take events; with the priority of the thread that answers, which waits for this one where
        it has Python's lock."""
        last_request = 0.0  # of a search in Python
        while (events := self._jobs.poll(1.0)) is not None:
            with together():
                for event in events:
                    try:
                        self._handle(event)
                    except Exception as error:  # of the one job
                        self._fail(event, error)
            now = time.monotonic()
            if any(event.kind == interface.ASKED for event in events):
                last_request = now
            if len(self._jobs) > FEW and now > last_request + RESTLESS:
                time.sleep(PAUSE)

    def _handle(self, event: native.Event) -> None:
        job: Decode = event.tag
        if event.kind == interface.STEPPED:
            self._metrics.stepped(*event.value)
        elif job is None:  # it was cancelled a moment ago
            return
        elif event.kind == interface.BEGUN:
            self.waiting.took(job.line)
        elif event.kind == interface.TOKEN:
            self._pass(job, Chosen(event.value, math.nan))
        elif event.kind == interface.ASKED:
            self._answer(event, job)
        elif event.kind == interface.ENDED:
            self._end(job, event.value)
        else:
            self._fail(event, event.value)

    def _answer(self, event: native.Event, job: Decode) -> None:
        try:
            request = job.searching.send(event.value)
        except StopIteration:
            self._jobs.cancel(event.job)
            self._end(job, job.found())
            return
        self._jobs.answer(event.job, request)
        if job.on_token is not None and request.running is not None:
            self._pass(job, request.running.last)

    def _pass(self, job: Decode, chosen: Chosen) -> None:
        assert job.on_token is not None
        job.on_token(chosen)
        job.passed += 1

    def _end(self, job: Decode, hypotheses: list[Hypothesis]) -> None:
        self._metrics.wrote(sum(len(hypothesis.tokens) for hypothesis in hypotheses))
        if job.on_token is not None:
            for chosen in hypotheses[0].chosen[job.passed :]:
                job.on_token(chosen)
        job.finish(hypotheses)

    def _fail(self, event: native.Event, error: Exception) -> None:
        self._jobs.cancel(event.job)
        if not isinstance(error, RegardError):
            log.error("a step failed", exc_info=error)
        event.tag.fail(TooLate() if isinstance(error, Late) else as_refusal(error))
