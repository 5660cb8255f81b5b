"""The models that a page may ask for, loaded when first needed, and the traces made of them."""

import hashlib
import json
import os
import sys
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from threading import Lock, RLock, get_native_id
from typing import Any

from regard.api.looking import Traceable, describe, look_at, open_for_looking
from regard.errors import BadArgumentError, NotFoundError, UnsupportedError, unknown
from regard.inspection.answers import ModelInfo
from regard.inspection.trace import Trace
from regard.studio.requests import Listed, TraceRequest
from regard.text.normalize import check_unicode

KEPT_TRACES = 8
CHARACTERS_A_TOKEN = 64  # a text of more is refused before anything is split into tokens
MOST_BEAMS = 64


class NoTrace(NotFoundError):
    """An id that is not, or no longer, here."""


class Library:
    """Models by name and traces by id.

    A name that comes with a request is only ever looked up among the names given here; no path
    from a request is opened. Models run on one thread of their own, one at a time.

    Args:
        models: names of shipped models and folders.
        traces: kept as long as the library; those made on request give way to newer ones.
    """

    def __init__(self, models: Sequence[str | Path], traces: Mapping[str, Trace]) -> None:
        self._names = list(dict.fromkeys(str(model) for model in models))
        self._passed = dict(traces)
        for trace in traces.values():
            _ = trace.receipt  # measured before a page waits for it
        self._made: OrderedDict[str, Trace] = OrderedDict()
        self._models: dict[str, Traceable] = {}
        self._infos: dict[str, ModelInfo] = {}
        self._lock = Lock()  # of the traces
        self._loading = RLock()  # of the models
        self.models_thread = ThreadPoolExecutor(1, thread_name_prefix="regard-model")
        # Whole layers are looked at one by one, so that the tiles in view are not kept waiting.
        self.overview_thread = ThreadPoolExecutor(
            1, thread_name_prefix="regard-overview", initializer=_give_way
        )

    def models(self) -> list[ModelInfo]:
        """What is known of each model; one of regard's is not loaded for it."""
        return [self._info(name) for name in self._names]

    def listed(self) -> list[Listed]:
        """The traces that are here: those given, then those made, the oldest first."""
        with self._lock:
            here = {**self._passed, **self._made}
        return [Listed(id, trace.model_name, trace.text) for id, trace in here.items()]

    def __getitem__(self, id: str) -> Trace:
        with self._lock:
            if id in self._passed:
                return self._passed[id]
            if id not in self._made:
                raise NoTrace(f"there is no trace {id[:40]!r} here any more; trace the text again.")
            self._made.move_to_end(id)
            return self._made[id]

    def trace(self, request: TraceRequest) -> str:
        """Runs the model, unless that very request has been answered already; gives the id.

        Raises:
            BadArgumentError: an unknown model, or a text that is too long.
            UnsupportedError: a model of images.
        """
        self._check(request)
        id = identify(request)
        with self._lock:
            if id in self._passed or id in self._made:
                return id
        options: dict[str, Any] = {}
        if request.target is not None:
            options["target"] = request.target
        if self._info(request.model).task in ("translation", "generation"):
            options["hypothesis"] = request.hypothesis
            if request.num_beams is not None:
                options["num_beams"] = request.num_beams
        if request.hidden:
            options["hidden"] = request.hidden
        trace = look_at(self._model(request.model), request.text, **options)
        _ = trace.receipt
        with self._lock:
            self._made[id] = trace
            while len(self._made) > KEPT_TRACES:
                self._made.popitem(last=False)
        return id

    def is_by_text(self, id: str) -> bool:
        """Whether a request that names model and text alone makes this trace."""
        trace = self[id]
        plain = TraceRequest(model=trace.model_name, text=trace.text)
        return trace.model_name in self._names and identify(plain) == id

    def close(self) -> None:
        for worker in (self.models_thread, self.overview_thread):
            worker.shutdown(wait=False, cancel_futures=True)

    def _check(self, request: TraceRequest) -> None:
        if request.model not in self._names:
            raise unknown("model", request.model[:80], self._names)
        check_unicode(request.text)
        check_unicode(request.target or "", "the target")
        if not request.text.strip():
            raise BadArgumentError("there is no text to look at; write a sentence.")
        if not 1 <= (request.num_beams or 1) <= MOST_BEAMS or request.num_beams == 0:
            raise BadArgumentError(
                f"num_beams must be from 1 to {MOST_BEAMS}; got {request.num_beams}."
            )
        info = self._info(request.model)
        if info.task == "vision":  # its text would be a path, and no path from a page is opened
            raise UnsupportedError(
                f"{request.model} looks at images, which a page cannot open;"
                f" run `regard look {request.model} IMAGE`."
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
                self._models[name] = open_for_looking(name)
            return self._models[name]

    def _info(self, name: str) -> ModelInfo:
        with self._loading:
            if name not in self._infos:
                self._infos[name] = describe(name, self._model)
            return self._infos[name]


def _give_way() -> None:
    """Lets every other thread go first; Linux alone has priorities of threads, not of processes."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, get_native_id(), 19)


def identify(request: TraceRequest) -> str:
    """The same for the same request, in every session: a link to a trace stays a link to it."""
    asked = asdict(request)
    if not request.hidden:
        del asked["hidden"]  # links are older than this field
    text = json.dumps(asked, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
