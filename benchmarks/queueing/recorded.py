"""Steps of a model, recorded while its own loop decodes, or reads, without HTTP."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from queueing.cases import Case
from regard.engine.native.decodes import Slots
from regard.engine.native.reads import NativeReader, NativeVision
from regard.serving.jobs import Job
from regard.serving.limits import Limits
from regard.serving.served import Model
from regard.serving.work import Readings, Texts
from regard.serving.written import Prompts

LIMITS = Limits(seconds=3600)


@dataclass(frozen=True)
class Run:
    """One run of the engine."""

    is_step: bool  # a token of each row; else what begins, or a batch that is read
    rows: int
    length: int
    seconds: float  # of a core, in the engine
    python: float  # of a core, since the last run of the same thread
    ended: int  # texts that ended since then
    ending: float  # of a core, to tell those who wait for them; part of python


@contextmanager
def recording() -> Iterator[list[Run]]:
    """Records what the engine computes in the block."""
    runs: list[Run] = []
    thread = threading.local()
    methods = {(Slots, "add"), (Slots, "read"), (NativeReader, "hidden"), (NativeVision, "hidden")}
    before, finish = {each: getattr(*each) for each in methods}, Job.finish

    def timed(compute: Any, shape: tuple[int, ...], is_step: bool) -> Any:
        began = time.thread_time()
        result = compute()
        ended = time.thread_time()
        python = began - getattr(thread, "ended", began)
        texts, ending = getattr(thread, "texts", (0, 0.0))
        runs.append(Run(is_step, shape[0], shape[1], ended - began, python, texts, ending))
        thread.ended, thread.texts = time.thread_time(), (0, 0.0)
        return result

    def counted(self: Job, result: Any) -> None:
        texts, ending = getattr(thread, "texts", (0, 0.0))
        began = time.thread_time()
        finish(self, result)
        thread.texts = texts + 1, ending + time.thread_time() - began

    def timed_as(kind: type, name: str) -> Any:
        compute = before[kind, name]

        def method(self: Any, first: Any, *others: Any, **options: Any) -> Any:
            def whole() -> Any:
                return compute(self, first, *others, **options)

            if name != "read":
                return timed(whole, first.shape[:2], False)
            tokens, *lengths = others  # of a prompt there are lengths
            rows = len(lengths[0]) if lengths else len(tokens)
            return timed(whole, (rows, len(tokens) // rows), not lengths)

        return method

    for kind, name in methods:
        setattr(kind, name, timed_as(kind, name))
    Job.finish = counted  # type: ignore[method-assign]
    try:
        yield runs
    finally:
        for (kind, name), method in before.items():
            setattr(kind, name, method)
        Job.finish = finish  # type: ignore[method-assign]


def jobs_of(model: Model[Any], case: Case, texts: list[str]) -> list[Any]:
    """A job for each text, as a request of it makes."""
    found = []
    for text in texts:
        if case.route == "translate":
            found += Texts(model.task, [text], LIMITS, options=case.options)
        elif case.route == "generate":
            found += Prompts(model, [text], options=case.options, seconds=3600)
        elif case.route == "classify":
            found += Readings([(text,)], None, LIMITS)
        else:
            found += Readings([(text,)], None, LIMITS)
    return found


def kept_running(model: Model[Any], jobs: list[Any], number: int) -> None:
    """Has so many of the jobs run at any time, until all are done, as the server waits for them."""
    rest = iter(jobs)

    async def in_turn() -> None:
        for job in rest:
            model.threads.waiting.join(1).put([job])
            await asyncio.wrap_future(job.future)

    async def together() -> None:
        await asyncio.gather(*(in_turn() for _ in range(number)))

    asyncio.run(together())


def in_batches(model: Model[Any], jobs: list[Any], number: int) -> None:
    """Has so many of the jobs read together."""

    async def each() -> None:
        for start in range(0, len(jobs), number):
            some = jobs[start : start + number]
            model.threads.waiting.join(len(some)).put(some)
            await asyncio.gather(*(asyncio.wrap_future(job.future) for job in some))

    asyncio.run(each())
