"""State that the routes of one server share."""

import os
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from regard.http.guard import Access, Room
from regard.serving.metrics import Metrics
from regard.serving.process import give_way
from regard.serving.served import Served

if TYPE_CHECKING:  # a server that is asked for none need not load torch
    from regard.inspection import Trace

KEPT_TRACES = 16


class Traces:
    """Traces that clients asked for, as pages, by ids that only they know; old ones give way.

    Args:
        folder: where the processes of a server keep them; None: one that is made for the first.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder, self._own = folder, None if folder else ExitStack()

    def add(self, trace: "Trace") -> str:
        """Keep a trace, as one file that opens without this server; returns its id."""
        if self._own is not None and self._folder is None:
            self._folder = Path(self._own.enter_context(TemporaryDirectory(prefix="regard-")))
        assert self._folder is not None
        id = token_urlsafe(16)
        trace.to_html(self._folder / f"{id}.html")
        with suppress(FileNotFoundError):  # another process has deleted one
            for old in sorted(self._folder.iterdir(), key=os.path.getmtime)[:-KEPT_TRACES]:
                old.unlink()
        return id

    def get(self, id: str) -> bytes | None:
        """Return the page; None for an id that is not, or no longer, here. No path is made of
        it."""
        with suppress(KeyError, FileNotFoundError):
            if self._folder is None:
                return None
            return {path.stem: path for path in self._folder.iterdir()}[id].read_bytes()
        return None

    def close(self) -> None:
        """Delete them, unless other processes have them too."""
        if self._own is not None:
            self._own.close()


@dataclass
class State:
    """The models of a server and what else its routes need."""

    served: Served
    access: Access
    metrics: Metrics
    traces: Traces
    pending: Room
    # Alignments and traces are of the model itself, which one thread at a time may run.
    looking: Executor = field(default_factory=lambda: _thread("regard-looking"))
    # Texts of any length are tokenized here, in slices.
    preparing: Executor = field(default_factory=lambda: _thread("regard-preparing"))

    def close(self) -> None:
        """End all threads, after what waits and runs."""
        self.served.close()
        for thread in (self.looking, self.preparing):
            thread.shutdown(wait=False, cancel_futures=True)
        self.traces.close()


def _thread(name: str) -> Executor:
    return ThreadPoolExecutor(1, thread_name_prefix=name, initializer=give_way)


async def _state(request: Request) -> State:  # FastAPI runs a plain function in another thread
    state: State = request.app.state.serving
    return state


Here = Annotated[State, Depends(_state)]
