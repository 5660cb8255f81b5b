"""Texts that are written while others come and go, in threads of the engine.

A text that is searched greedily or with beams is the engine's alone. Any other is a search of
`generation`, which the engine asks for the next tokens; until it answers, the others go on.
"""

from ctypes import byref, c_int32, c_int64, pointer
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regard.engine.native import interface, library
from regard.engine.native.decodes import NativeWriter, hypotheses_of, settings_of
from regard.engine.native.interface import ASKED, ENDED, FAILED, STEPPED
from regard.engine.native.library import int32, pointer_to
from regard.engine.native.texts import Ints
from regard.generation import GenerationConfig
from regard.generation.filters import NO_TOKEN
from regard.generation.search import Asked

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOKENS = 256  # of prompts, or sources, in a step: others wait no longer
EVENTS = 256  # of one poll
CANCELED = None  # the tag of a text that was cancelled a moment ago


class Event(NamedTuple):
    """Something that has happened to a job.

    Args:
        kind: BEGUN: it no longer waits. TOKEN: of one that streams, `value`. ASKED: `value` is what
            a search is answered with. ENDED: `value` has the hypotheses. FAILED: an error. STEPPED,
            of no job: rows of one thread's step, and its seconds.
    """

    job: int
    kind: int
    value: Any
    tag: Any  # of the job


class Jobs:
    """Texts of one model that come and go; no text changes a bit of another.

    Args:
        threads: each of which has a batch of its own.
        rows: hypotheses of a batch.
        kept: rows that only texts of at most `short` tokens may use.
        tokens: of prompts, or sources, that a batch reads in a step.
    """

    def __init__(
        self,
        model: NativeWriter,
        *,
        threads: int,
        rows: int,
        kept: int = 0,
        short: int = 0,
        tokens: int = TOKENS,
    ):
        self._model, self._library = model, library.library()
        self._pointer = self._library.regard_jobs_open(
            model.pointer, threads, rows, kept, short, tokens
        )
        if not self._pointer:
            library.refuse(interface.MISTAKE)
        self._close = library.freeing(self, _close, self._pointer, model)
        self._events = (interface.Event * EVENTS)()
        self._open: dict[int, object] = {}  # tags of those not over
        self._lock = Lock()  # so that a job that ends at once is in the table

    def add(
        self,
        ids: Ints,
        config: GenerationConfig,
        *,
        start: int = NO_TOKEN,
        asked: Asked | None = None,
        streams: bool = False,
        line: int = 0,
        seconds: float = 1e9,
        tag: object = None,
    ) -> int:
        """Return the number of a new text.

        Args:
            ids: its source or, of a language model, its prompt, (length,).
            start: what the decoder of an encoder–decoder reads first.
            asked: the first request of its search, where that is not the engine's.
            streams: whether each token is an event.
            line: texts of one line wait for each other; lines take turns.
            seconds: that it may take; then it fails by `library.Late`.
            tag: of its events.

        Raises:
            RegardError: it cannot be computed.
        """
        tokens, number = int32(ids), c_int64()
        settings, _arrays = None, None
        if asked is None:
            settings, _arrays = settings_of(config, start, self._model.vocab)
        job = interface.Job(
            pointer_to(tokens),
            len(tokens),
            settings and pointer(settings),
            start_id=start,
            rows=config.rows,
            best=0 if asked is None else asked.best or 0,
            streams=streams,
            line=line,
            seconds=seconds,
        )
        with self._lock:
            status = self._library.regard_jobs_add(self._pointer, byref(job), byref(number))
            self._model.check(status)
            self._open[number.value] = tag
        return number.value

    def answer(self, number: int, asked: Asked) -> None:
        """Return the next request of a search; its text goes on at the next poll."""
        rows = None if asked.rows is None else int32(asked.rows)
        tokens = int32(asked.tokens)
        self._model.check(
            self._library.regard_jobs_answer(
                self._pointer,
                number,
                None if rows is None else pointer_to(rows),
                0 if rows is None else len(rows),
                pointer_to(tokens),
                len(tokens),
                asked.best or 0,
            )
        )

    def cancel(self, number: int) -> None:
        """End a text of which nothing more is to be said, whether it waits or runs."""
        self._model.check(self._library.regard_jobs_cancel(self._pointer, number))
        self._open.pop(number, None)

    def poll(self, seconds: float) -> list[Event] | None:
        """Return what has happened, from one thread; None once all is done after `finish`.

        Args:
            seconds: to wait for a first event.
        """
        count = c_int32()
        self._model.check(
            self._library.regard_jobs_poll(
                self._pointer, seconds, self._events, EVENTS, byref(count)
            )
        )
        return None if count.value < 0 else [*map(self._event, self._events[: count.value])]

    def __len__(self) -> int:
        """Texts that are not over."""
        return len(self._open)

    def counts(self) -> tuple[int, int]:
        """Texts that wait, and rows in use."""
        waiting, rows = c_int64(), c_int64()
        self._model.check(
            self._library.regard_jobs_counts(self._pointer, byref(waiting), byref(rows))
        )
        return waiting.value, rows.value

    def finish(self) -> None:
        """Take no more texts; what waits is still done."""
        self._model.check(self._library.regard_jobs_finish(self._pointer))

    def close(self) -> None:
        """Give up what is not done."""
        self._close()

    def _event(self, event: interface.Event) -> Event:
        number, kind, value, tag = event.job, event.kind, event.value, None
        if kind == STEPPED:
            return Event(number, kind, (value, event.seconds), None)
        with self._lock:
            is_over = kind in (ENDED, FAILED)
            tag = (self._open.pop if is_over else self._open.get)(number, CANCELED)
        try:
            if kind == ASKED:
                value = self._numbers(event)
            elif kind == ENDED:
                [value] = hypotheses_of(event.found)
            elif kind == FAILED:
                self._model.check(value, event.reason.decode())
        except Exception as error:  # of the one job
            kind, value = FAILED, error
        return Event(number, kind, value, tag)

    def _numbers(self, event: interface.Event) -> tuple[Any, ...]:
        def copied(pointer: Any, width: int) -> "NDArray[Any]":
            return np.ctypeslib.as_array(pointer, (event.rows, width)).copy()

        if not event.best:
            return (copied(event.logits, self._model.vocab),)
        best = copied(event.ids, event.best).astype(np.int64)
        return copied(event.log_probs, event.best), best


def _close(pointer: int, model: NativeWriter) -> None:
    """End the threads, which use the model until then."""
    library.library().regard_jobs_close(pointer)
