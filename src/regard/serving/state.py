"""What the routes of one server share."""

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from regard.serving.guard import Access
from regard.serving.limits import Room
from regard.serving.metrics import Metrics
from regard.serving.served import Served
from regard.serving.shedding import Shedding
from regard.serving.threads import give_way

if TYPE_CHECKING:  # a server that is asked for none need not load torch
    from regard.inspection import Trace

KEPT_TRACES = 16


class Traces:
    """Traces that clients asked for, as pages, by ids that only they know; old ones give way.

    Args:
        worker: the number of this process, where there are several; ids end with it.
    """

    def __init__(self, worker: int | None = None) -> None:
        self._ending = "" if worker is None else f".{worker}"
        self._pages: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()

    def add(self, trace: "Trace") -> str:
        """Keeps a trace, as one file that opens without this server; gives its id."""
        with TemporaryDirectory(prefix="regard-") as folder:
            path = Path(folder) / "regard.html"
            trace.to_html(path)
            page = path.read_bytes()
        id = token_urlsafe(16) + self._ending
        with self._lock:
            self._pages[id] = page
            while len(self._pages) > KEPT_TRACES:
                self._pages.popitem(last=False)
        return id

    def get(self, id: str) -> bytes | None:
        """The page; None for an id that is not, or no longer, here."""
        return self._pages.get(id)


@dataclass
class State:
    """The models of a server and what else its routes need."""

    served: Served
    access: Access
    metrics: Metrics
    traces: Traces = field(default_factory=Traces)
    # Alignments and traces are of the model itself, which one thread at a time may run.
    looking: Executor = field(default_factory=lambda: _thread("regard-looking"))
    # Texts of any length are tokenized here, in slices.
    preparing: Executor = field(default_factory=lambda: _thread("regard-preparing"))
    is_ending: Callable[[], bool] = lambda: False

    def __post_init__(self) -> None:
        pending = Room(self.served.limits.pending)
        self.shedding = Shedding(self.served.full, self.metrics, pending)

    def close(self) -> None:
        """Ends all threads, after what waits and runs."""
        self.served.close()
        for each in (self.looking, self.preparing):
            each.shutdown(wait=False, cancel_futures=True)


def _thread(name: str) -> Executor:
    return ThreadPoolExecutor(1, thread_name_prefix=name, initializer=give_way)


async def _state(request: Request) -> State:  # FastAPI runs a plain function in another thread
    found: State = request.app.state.serving
    return found


Here = Annotated[State, Depends(_state)]
