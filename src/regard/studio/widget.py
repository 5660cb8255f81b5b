"""The page in a notebook: the same bundle, its questions carried as messages of the kernel."""

import asyncio
import struct
import zlib
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from regard.errors import BadArgumentError
from regard.figures.style import DOTS
from regard.inspection.trace import Trace
from regard.inspection.views.part import picture
from regard.packages import optional_package
from regard.studio import page
from regard.studio.app import create_app
from regard.studio.routes import NUMBERS

if TYPE_CHECKING:
    from fastapi import FastAPI

with optional_package("anywidget", "the notebook widget needs"):
    import anywidget
    import traitlets
with optional_package("httpx2", "the notebook widget needs"):
    import httpx2

ID = "trace"
PNG_HEADER = 33  # bytes of a PNG before its second chunk
SCREEN_DPI = 144  # of the picture above the page: half again as large as on paper


class TraceWidget(anywidget.AnyWidget):
    """A trace as a notebook shows it.

    Args:
        query: what to show first, as the page's address has it ("view=sentence&head=3").

    Messages are {id, path, body} and {id, cancel: true}, answers {id, json}, {id, shape} with one
    buffer, or {id, detail}; see web/src/source/widget.ts. Without a whole number as id, a message
    has no answer. A path is one of the server's under /api,
    and its own application answers, so that a notebook and a browser cannot differ.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    query = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int().tag(sync=True)
    abilities = traitlets.Dict().tag(sync=True)
    # How the address of the picture begins that stands above the page; the page hides that one.
    picture = traitlets.Unicode().tag(sync=True)

    def __init__(self, trace: Trace, *, query: str = "", height: int = 640) -> None:
        self._trace = trace
        self._app = create_app([], {ID: trace})
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="regard-widget")
        self._wanted: set[int] = set()  # numbers of the questions that the page waits for
        super().__init__(
            _esm=page.read("regard.js"),
            _css=page.read("regard.css"),
            query=query or f"trace={ID}",
            height=height,
            abilities={
                "trace": False,
                "ablate": trace.rerun is not None,
                "why": trace.rerun is not None,
                "export": False,
            },
        )
        self.on_msg(self._receive)

    def _receive(self, widget: object, content: object, buffers: list[bytes]) -> None:
        """Messages come on the kernel's own thread, which must not wait for an answer."""
        if not isinstance(content, dict) or not isinstance(number := content.get("id"), int):
            return
        if content.get("cancel"):
            self._wanted.discard(number)
            return
        self._wanted.add(number)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # answers are sent from where they are made
            self._worker.submit(self._answer, content, self._deliver)
            return

        def deliver(message: dict[str, Any], buffers: list[bytes]) -> None:
            # From the kernel's own thread, as everything else that a notebook is sent.
            loop.call_soon_threadsafe(self._deliver, message, buffers)

        self._worker.submit(self._answer, content, deliver)

    def _answer(self, content: dict[str, Any], deliver: Callable[..., object]) -> None:
        number = content["id"]
        if number not in self._wanted:
            return
        message: dict[str, Any] = {"id": number}
        buffers: list[bytes] = []
        try:
            answer = asyncio.run(ask(self._app, content.get("path"), content.get("body")))
            kind = answer.headers["content-type"].partition(";")[0]
            if answer.status_code != 200:
                message["detail"] = answer.json()["detail"]
            elif kind == NUMBERS:
                sizes = answer.headers["x-regard-shape"].split(",")
                message["shape"] = [int(size) for size in sizes]
                buffers.append(answer.content)
            elif kind == "application/json":
                message["json"] = answer.json()
            else:
                message["detail"] = f"a notebook is sent no {kind}; ask for numbers or JSON."
        except BadArgumentError as error:
            message["detail"] = str(error)
        except Exception as error:  # the page must show it: a thread's traceback is lost
            message["detail"] = f"the kernel failed: {type(error).__name__}: {error}."
        deliver(message, buffers)

    def _deliver(self, message: dict[str, Any], buffers: list[bytes]) -> None:
        if message["id"] in self._wanted:
            self._wanted.discard(message["id"])
            self.send(message, buffers)

    def __repr__(self) -> str:
        return repr(self._trace)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Return the page, below a picture that the page hides while it runs.

        The picture is an output of its own: a notebook that is opened without its kernel still has
        the page's output, where JupyterLab shows an error and no other form of the same output.
        """
        drawn = picture(self._trace) if in_kernel() else None
        if drawn is not None:
            png, beginning = marked(drawn, str(self.model_id))
            self.picture = f"data:image/png;base64,{beginning}"
            publish(png, repr(self))
        bundle: tuple[dict[str, Any], dict[str, Any]] | None = super()._repr_mimebundle_(**kwargs)
        return bundle

    def close(self) -> None:
        """Take the widget out of the notebook, and its threads with it."""
        self._worker.shutdown(wait=False, cancel_futures=True)
        self._app.state.library.close()
        super().close()


def in_kernel() -> bool:
    """Return True if what is displayed goes to a notebook."""
    from IPython import get_ipython  # comes with anywidget

    return getattr(get_ipython(), "kernel", None) is not None


def publish(png: bytes, text: str) -> None:
    """Put a picture of 300 dpi into the cell's output, in the size that it has on paper."""
    from IPython.display import display

    (width,) = struct.unpack(">I", png[16:20])
    display(
        {"image/png": b64encode(png).decode(), "text/plain": text},
        metadata={"image/png": {"width": round(width * SCREEN_DPI / DOTS)}},
        raw=True,
    )


def marked(png: bytes, name: str) -> tuple[bytes, str]:
    """Return the picture with a name in it, and how its base64 begins, the name included."""
    chunk = b"tEXtComment\0" + name.encode("latin-1")
    chunk = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    header = png[:PNG_HEADER] + chunk
    return header + png[PNG_HEADER:], b64encode(header[: len(header) // 3 * 3]).decode()


async def ask(app: "FastAPI", path: object, body: object) -> httpx2.Response:
    """Return the application's whole answer, without a socket between.

    Args:
        path: after /api, with its query.
        body: sent as JSON with POST; None asks with GET.

    Raises:
        BadArgumentError: the path is no text, or an address or JSON cannot be made of them.
    """
    if not isinstance(path, str):
        raise BadArgumentError(f"a path must be a text; got {type(path).__name__}.")
    method = "GET" if body is None else "POST"
    # The guard compares Host with the server's own port, which httpx2 leaves out where it is 80.
    address = f"http://127.0.0.1:8642/api{path}"
    try:
        request = httpx2.Request(method, address, json=body)
    except (httpx2.InvalidURL, ValueError, RecursionError) as error:
        problem = " ".join(str(error).encode("utf-8", "backslashreplace").decode().split())
        raise BadArgumentError(
            f"a path must be one of an address, and a body JSON in UTF-8: {problem[:200]}."
        ) from error
    response = await httpx2.ASGITransport(app).handle_async_request(request)
    await response.aread()
    return response
