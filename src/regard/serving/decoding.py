"""Continuous batching: the requests that run share each step of the model; new ones join and
finished ones leave between two steps.

The rules of decoding are those of `generation.search`, one search for each request. What it finds
does not depend on the others: see `runtime.decodes`.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.errors import BadArgumentError
from regard.generation import GenerationConfig, Hypothesis
from regard.generation.arrays import Array
from regard.generation.search import Asked, NBest, check_possible, search
from regard.runtime.decodes import Read, Slot, Slots
from regard.runtime.native.decodes import NativeDecoder, NativeEncoderDecoder
from regard.runtime.native.decodes import Slots as NativeSlots
from regard.runtime.packed import PackedDecoder, PackedEncoderDecoder
from regard.runtime.rows import PIECE, Ints
from regard.serving.jobs import Job, Waiting, as_refusal
from regard.serving.metrics import ModelMetrics
from regard.serving.process import give_way

SHORT = 32  # tokens; texts that have no more do not wait for longer ones
ALIKE = 8  # sources whose lengths have the same multiple of this above them are encoded together

Packed = PackedEncoderDecoder | PackedDecoder | NativeEncoderDecoder | NativeDecoder
AnySlots = Slots | NativeSlots

log = logging.getLogger("regard.serving")


class Decode(Job):
    """One text to be decoded; the result is its hypotheses.

    Args:
        ids: what is read: the source of an encoder–decoder, the prompt of a language model.
        start: what the decoder reads first, where `ids` are the source.
        ends: as `generate` takes it.
        on_token: called with each token as soon as it is certain, from the model's thread; of one
            sequence without beams only.
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
        on_token: Callable[[int], None] | None = None,
    ):
        super().__init__(deadline)
        self.ids, self.config, self.on_token = np.array(ids, np.int64), config, on_token
        samples = config.alternatives if config.do_sample else 1
        self.width = config.rows
        self.passed = 0  # tokens that were passed to on_token
        self._results = [NBest(config) for _ in range(samples)]
        prompt = self.ids if start is None else np.array([start])
        streams = [(number, sample) for sample in range(samples)]
        self.searching = search(prompt[None], config, streams, self._results, ends=ends)
        self.first = next(self.searching)

    def found(self) -> list[Hypothesis]:
        """The hypotheses, once the search has ended.

        Raises:
            BadArgumentError: no token was possible.
        """
        check_possible(result.hypotheses for result in self._results)
        if self.config.do_sample:
            return [result.hypotheses[0] for result in self._results]
        return self._results[0].hypotheses[: self.config.alternatives]


@dataclass(eq=False)
class _Active:
    """A job that has a slot."""

    job: Decode
    slots: AnySlots
    slot: Slot
    request: Asked


@dataclass(eq=False)
class _Reading:
    """A job whose prompt is being read."""

    job: Decode
    slots: AnySlots
    state: Any  # a row of its own, which the slots have started
    pieces: list[Ints]  # that have not been read, (1, new) each


class Decoding:
    """The loops that decode for one model, each in a thread with slots of its own.

    Args:
        model: that computes.
        waiting: texts that may wait.
        rows: hypotheses that one loop decodes at the same time. A job may have all but `kept`.
        kept: rows that only short texts may use.
        loops: threads.
    """

    def __init__(
        self,
        model: Packed,
        *,
        name: str,
        waiting: int,
        rows: int,
        kept: int,
        loops: int,
        metrics: ModelMetrics,
    ):
        self.running = rows * loops  # jobs at the same time
        self.waiting: Waiting[Decode] = Waiting(waiting, name)
        self._loops = [_Loop(model, self.waiting, rows, kept, metrics) for _ in range(loops)]
        metrics.watch(self.waiting.__len__, lambda: sum(loop.used for loop in self._loops))

    def close(self) -> None:
        """Ends the threads, after what waits and runs."""
        self.waiting.close()
        for loop in self._loops:
            loop.thread.join()


class _Loop:
    def __init__(
        self,
        model: Packed,
        waiting: Waiting[Decode],
        rows: int,
        kept: int,
        metrics: ModelMetrics,
    ):
        self._model, self._waiting, self._metrics = model, waiting, metrics
        self._rows, self._kept = rows, kept
        self._lanes: dict[int, AnySlots] = {}  # by the width of their slots
        self._active: list[_Active] = []
        self._reading: list[_Reading] = []
        self.thread = threading.Thread(target=self._run, name="regard-decoding", daemon=True)
        self.thread.start()

    @property
    def used(self) -> int:
        """Rows in use."""
        return sum(job.width for job in self._jobs())

    def _jobs(self) -> list[Decode]:
        return [active.job for active in self._active] + [active.job for active in self._reading]

    def _run(self) -> None:
        give_way()
        while True:
            new = self._taken()
            if new is None and not self._active and not self._reading:
                return
            try:
                self._begin(new or [])
                self._read_prompts()
                self._drop_unwanted()
                self._step()
            except Exception as error:
                self._fail(error, new or [])

    def _taken(self) -> list[Decode] | None:
        used = self.used
        of_others = sum(job.width for job in self._jobs() if not self._is_short(job))
        full = False  # what finds too few rows holds up the rest, or would wait for ever

        def fits(job: Decode) -> bool:
            nonlocal used, of_others, full
            short = self._is_short(job)
            too_many = of_others + job.width > self._rows - self._kept
            if full or (too_many and not short):
                return False
            if used + job.width > self._rows:
                full = True
                return False
            used += job.width
            of_others += 0 if short else job.width
            return True

        idle = not self._active and not self._reading
        return self._waiting.take(fits, wait=None if idle else 0)

    def _is_short(self, job: Decode) -> bool:
        return len(job.ids) <= SHORT and job.width <= self._kept

    def _begin(self, jobs: list[Decode]) -> None:
        if isinstance(self._model, PackedDecoder | NativeDecoder):
            for job in jobs:
                slots, tokens = self._lane(job.width), job.first.tokens.reshape(1, -1)
                pieces = np.array_split(tokens, -(-tokens.size // PIECE), axis=1)
                self._reading.append(_Reading(job, slots, slots.start(), pieces))
            return
        alike: dict[tuple[int, int], list[Decode]] = {}
        for job in jobs:
            alike.setdefault((job.width, -(-len(job.ids) // ALIKE)), []).append(job)
        for (width, length), those in alike.items():
            slots = self._lane(width)
            source = np.full((len(those), length * ALIKE), self._model.limits.pad_id, np.int64)
            mask = np.zeros(source.shape, np.int32)
            for row, job in enumerate(those):
                source[row, : len(job.ids)] = job.ids
                mask[row, : len(job.ids)] = 1
            for job, slot in zip(those, slots.add(source, mask), strict=True):
                self._active.append(_Active(job, slots, slot, job.first))

    def _lane(self, width: int) -> AnySlots:
        if width not in self._lanes:
            self._lanes[width] = self._model.slots(width)
        return self._lanes[width]

    def _read_prompts(self) -> None:
        """A piece of a long prompt, or several prompts that are short, so that the others wait no
        longer."""
        budget = PIECE
        while self._reading and budget > 0:
            reading = self._reading[0]
            job, following = reading.job, None
            if job.is_wanted:
                piece, best = reading.pieces.pop(0), job.first.best
                budget -= piece.size
                logits: tuple[Array, ...]
                if best is None:
                    logits = (reading.state.step(piece),)
                else:
                    logits = reading.state.likeliest(piece, best)
                if reading.pieces:
                    continue
                following = self._answered(job, logits)
            del self._reading[0]
            slot = reading.slots.enter(reading.state)
            if following is None:
                reading.slots.remove(slot)
            else:
                self._active.append(_Active(job, reading.slots, slot, following))

    def _drop_unwanted(self) -> None:
        for active in [active for active in self._active if not active.job.is_wanted]:
            self._leave(active)

    def _leave(self, active: _Active) -> None:
        self._active.remove(active)
        active.slots.remove(active.slot)

    def _step(self) -> None:
        for slots in list(self._lanes.values()):
            those = [active for active in self._active if active.slots is slots]
            if not those:
                continue
            began = time.perf_counter()
            answers = slots.step([Read(active.slot, *active.request) for active in those])
            self._metrics.stepped(
                sum(len(active.request.tokens) for active in those), time.perf_counter() - began
            )
            for active, its in zip(those, answers, strict=True):
                request = self._answered(active.job, its)
                if request is None:
                    self._leave(active)
                else:
                    active.request = request

    def _answered(self, job: Decode, logits: tuple[Array, ...]) -> Asked | None:
        """The search's next request; None where it has ended, or failed, and the caller knows."""
        try:
            request = job.searching.send(logits)
        except StopIteration:
            self._end(job)
            return None
        except Exception as error:  # of the one job
            job.fail(as_refusal(error))
            return None
        if job.on_token is not None:
            job.on_token(int(request.tokens[0]))
            job.passed += 1
        return request

    def _end(self, job: Decode) -> None:
        try:
            hypotheses = job.found()
        except BadArgumentError as error:
            job.fail(error)
            return
        self._metrics.wrote(sum(len(hypothesis.tokens) for hypothesis in hypotheses))
        if job.on_token is not None:
            for token in hypotheses[0].tokens[job.passed :]:
                job.on_token(token)
        job.finish(hypotheses)

    def _fail(self, error: Exception, new: list[Decode]) -> None:
        """Refuses all that run: their states cannot be trusted any more."""
        log.exception("a step failed")
        for job in [*new, *self._jobs()]:
            job.fail(as_refusal(error))
        self._active, self._reading, self._lanes = [], [], {}
