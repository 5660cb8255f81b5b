"""The models that a page may ask for, loaded when first needed, and the traces made of them."""

import hashlib
import os
import shlex
import sys
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, RLock, get_native_id
from typing import Any

from regard.checkpoints import hub
from regard.engine.options import TRACED, TraceRequest
from regard.errors import BadArgumentError, NotFoundError, RegardError, UnsupportedError, unknown
from regard.inspection.answers import OF_FILES, ModelInfo
from regard.inspection.trace import Trace
from regard.inspection.watching import watching
from regard.lazy import torch
from regard.options import check_options
from regard.progress import Work, check, current, report
from regard.studio.requests import Listed, Offer, Working
from regard.tasks.images.task import WRITTEN
from regard.tasks.looking import Traceable, describe, look_at, open_for_looking
from regard.tasks.text_generation.task import Writer
from regard.text.normalize import check_unicode


class Shelf:
    """Models by the names that a page shows.

    A name that comes with a request is looked up among those that the server's owner offers, and is
    never taken for a path.

    Args:
        models: shipped names, folders and hub:org/name, as the owner named them.
        cache: offer the models of the Hugging Face Hub that are in the local cache.
        download: fetch any model of the Hugging Face Hub that a page names.
    """

    def __init__(
        self, models: Sequence[str | Path], *, cache: bool = False, download: bool = False
    ) -> None:
        self._places: dict[str, str] = {}
        self._download = download
        self._cache = cache or download
        for place in dict.fromkeys(map(str, models)):
            name = hub.short_name(place)
            self._places[place if name in self._places else name] = place

    @property
    def names(self) -> list[str]:
        return list(self._places)

    def place(self, name: str) -> str:
        """Return the place of the model of a name. Raises BadArgumentError for one that is not
        offered."""
        if name not in self._places:
            raise unknown("model", name[:80], self._places)
        return self._places[name]

    def offer(self) -> Offer:
        """Models that a page may open besides those that it lists."""
        others = hub.cached_names() if self._cache else []
        return Offer([name for name in others if name not in self._places], self._download)

    def open(self, name: str) -> None:
        """Put a model of the hub's cache, or of the hub, among those that a page lists."""
        if name in self._places:
            return
        if self._cache and name in self.offer().cached:
            folder = hub.cached(name)
            if folder is None:
                raise NotFoundError(f"{name} is no longer in the cache; fetch it again.")
        elif self._download and hub.is_id(name):
            folder = hub.download(name)
        else:
            raise BadArgumentError(self._refusal(name[:200]))
        self._places[name] = str(folder)

    def close(self, name: str) -> None:
        """Take a model from those that a page lists."""
        self._places.pop(name, None)

    def _refusal(self, name: str) -> str:
        if hub.is_id(name):
            return (
                f"{name} is not offered here; to fetch it from the Hugging Face Hub, start the page"
                f" with: regard studio --download {name}"
            )
        return (
            "this page cannot open a folder by itself; in a terminal, run:"
            f" regard studio {shlex.quote(name)}"
        )


KEPT_TRACES = 8
CHARACTERS_A_TOKEN = 64  # a text of more is refused before anything is split into tokens


class NoTrace(NotFoundError):
    """An id that is not, or no longer, here."""

    status = 404


class Library:
    """Models by name and traces by id. Models run on one thread of their own, one at a time."""

    def __init__(
        self,
        shelf: Shelf,
        traces: Mapping[str, Trace],
        requests: Mapping[str, TraceRequest] | None = None,
    ) -> None:
        self.shelf = shelf
        self._passed = dict(traces)
        for trace in traces.values():
            _ = trace.receipt  # measured before a page waits for it
        self._made: OrderedDict[str, Trace] = OrderedDict()
        self._requests = dict(requests or {})
        self._files = {request.text for request in self._requests.values()}  # that the owner named
        self._models: dict[str, Traceable] = {}
        self._infos: dict[str, ModelInfo] = {}
        self._running: tuple[Work | None, TraceRequest] | None = None
        self._lock = Lock()  # of the traces
        self._loading = RLock()  # of the models
        self.models_thread = ThreadPoolExecutor(1, thread_name_prefix="regard-model")
        # Whole layers are looked at one by one, so that the tiles in view are not kept waiting.
        self.overview_thread = ThreadPoolExecutor(
            1, thread_name_prefix="regard-overview", initializer=_give_way
        )

    def models(self) -> list[ModelInfo]:
        """Each model's description, for which one of regard's is not loaded."""
        return [self._info(name) for name in self.shelf.names]

    def open(self, name: str) -> ModelInfo:
        """One more model, of those that the shelf offers besides."""
        self.shelf.open(name)
        try:
            return self._info(name)
        except RegardError:
            self.shelf.close(name)  # what cannot be described is not listed
            raise

    def listed(self) -> list[Listed]:
        """Return the traces that are here: those given, then those made, the oldest first."""
        with self._lock:
            here = {**self._passed, **self._made}
        return [
            Listed(id, trace.model_name, trace.text, self._requests.get(id), id in self._passed)
            for id, trace in here.items()
        ]

    def __getitem__(self, id: str) -> Trace:
        with self._lock:
            if id in self._passed:
                return self._passed[id]
            if id not in self._made:
                raise NoTrace(f"there is no trace {id[:40]!r} here any more; trace the text again.")
            self._made.move_to_end(id)
            return self._made[id]

    def trace(self, request: TraceRequest) -> str:
        """Run the model, unless that very request has been answered already; gives the id."""
        self._check(request)
        id = request.id
        with self._lock:
            if id in self._passed or id in self._made:
                return id
        options = request.changed
        name, text = options.pop("model"), options.pop("text")
        self._running = (current(), request)
        try:
            report("loading the model")
            model = self._model(name)
            report("reading the text")
            with watching(_layers(model), before=lambda *_: check()):
                trace = look_at(model, text, **_written(model, options) | options)
            report("checking the weights")
            self._keep(id, trace)
            self._requests[id] = request
        finally:
            self._running = None
        return id

    def working(self) -> Working | None:
        """Progress of the trace that is being made."""
        running = self._running
        if running is None:
            return None
        work, request = running
        if work is None:
            return None
        return Working(request.model, request.text, work.stage, work.done, work.most, work.seconds)

    def add_file(self, contents: bytes) -> str:
        """Keep a trace that `Trace.save` wrote, by its contents; gives the id."""
        id = hashlib.sha256(contents).hexdigest()[:16]
        with self._lock:
            if id in self._made:
                return id
        # A system that cannot delete a file whose tensors are in use leaves it to the next start.
        with TemporaryDirectory(prefix="regard-", ignore_cleanup_errors=True) as folder:
            path = Path(folder) / "trace.safetensors"
            path.write_bytes(contents)
            try:
                trace = Trace.load(path)
            except RegardError as error:
                raise type(error)(str(error).replace(str(path), "this file")) from error
        self._keep(id, trace)
        return id

    def _keep(self, id: str, trace: Trace) -> None:
        _ = trace.receipt
        with self._lock:
            self._made[id] = trace
            while len(self._made) > KEPT_TRACES:
                oldest, _ = self._made.popitem(last=False)
                self._requests.pop(oldest, None)

    def is_by_text(self, id: str) -> bool:
        """Return True if a request that names model and text alone makes this trace."""
        trace = self[id]
        plain = TraceRequest(model=trace.model_name, text=trace.text)
        return trace.model_name in self.shelf.names and plain.id == id

    def close(self) -> None:
        for worker in (self.models_thread, self.overview_thread):
            worker.shutdown(wait=False, cancel_futures=True)

    def _check(self, request: TraceRequest) -> None:
        self.shelf.place(request.model)
        check_unicode(request.text)
        check_unicode(request.target or "", "the target")
        if not request.text.strip():
            raise BadArgumentError("there is no text to look at; write a sentence.")
        check_options(request)
        info = self._info(request.model)
        if info.task == "vision" and (
            request.text.startswith(WRITTEN) or request.text in self._files
        ):
            return
        if info.task in OF_FILES:  # no other path from a page is opened
            asks = "a sound, which a page cannot open"
            if info.task == "vision":
                asks = "an image, which must come as text, data:image/png;base64,… or the like"
            raise UnsupportedError(
                f"{request.model} looks at {asks}; or run `regard look {request.model} FILE`."
            )
        for text in (request.text, request.target or ""):
            if len(text) > CHARACTERS_A_TOKEN * info.max_tokens:
                raise BadArgumentError(
                    f"{request.model} takes {info.max_tokens:,} tokens; a text of {len(text):,}"
                    " characters has more: send a shorter one."
                )

    def _model(self, name: str) -> Traceable:
        with self._loading:
            if name not in self._models:
                self._models[name] = open_for_looking(self.shelf.place(name), name=name)
            return self._models[name]

    def _info(self, name: str) -> ModelInfo:
        with self._loading:
            if name not in self._infos:
                self._infos[name] = describe(self.shelf.place(name), self._model, name=name)
            return self._infos[name]


def _written(model: object, options: Mapping[str, Any]) -> dict[str, int]:
    """Return the tokens that a language model of the page adds where the request does not say."""
    writes = isinstance(model, Writer) or getattr(model, "task", "") == "generation"
    return {"generate": TRACED} if writes and "target" not in options else {}


def _layers(model: Any) -> list[Any]:
    """Return the modules between which its work can be stopped, where modules of torch compute."""
    handle = getattr(model, "handle", None)
    if handle is not None and handle.engine.looks:
        return []
    module = model.model
    lists = [layers for layers in module.modules() if isinstance(layers, torch.nn.ModuleList)]
    return list(dict.fromkeys(layer for layers in lists for layer in layers))


def _give_way() -> None:
    """Lets every other thread go first; Linux alone has priorities of threads, not of processes."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, get_native_id(), 19)
