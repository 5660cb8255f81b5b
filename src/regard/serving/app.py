"""The application that `regard serve` runs."""

from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from regard.http.application import application
from regard.http.guard import Access, Admission, Guard, Room
from regard.serving import reference
from regard.serving.libretranslate import libretranslate
from regard.serving.logs import Counts, Logged
from regard.serving.metrics import Metrics
from regard.serving.openai import openai
from regard.serving.routes import MOST_SOUND, SOUNDS, TOO_LOUD, run
from regard.serving.served import Served
from regard.serving.state import Here, State, Traces
from regard.version import __version__

BODY_SECONDS = 10.0  # that a body may take to come
PENDING_SECONDS = 2  # after which a request may find room, since most have been answered by then


def create_app(
    served: Served,
    metrics: Metrics,
    access: Access,
    *,
    body_seconds: float = BODY_SECONDS,
    traces: Path | None = None,
) -> FastAPI:
    """Return the application.

    Args:
        served: the models; closed with the application.
        body_seconds: that a body may take to come.
        traces: where the processes of a server keep traces, if there are several.
    """
    pending = Room(served.limits.pending, "bytes of requests", lambda: PENDING_SECONDS)
    state = State(served, access, metrics, Traces(traces), pending)
    app = application(
        state.close,
        title="regard serve",
        version=__version__,
        description="Translation, generation, classification and embeddings by regard's models.",
    )
    app.state.serving = state
    for router in (run, openai, libretranslate):
        app.include_router(router)
    app.add_api_route("/healthz", _healthy, methods=["GET"], tags=["server"])
    app.add_api_route("/readyz", _ready, methods=["GET"], tags=["server"])
    app.add_api_route("/metrics", _metrics, methods=["GET"], tags=["server"])

    async def docs() -> HTMLResponse:
        policy = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
        return HTMLResponse(reference.page(app.openapi()), headers=policy)

    app.add_api_route("/docs", docs, methods=["GET"], include_in_schema=False)
    app.add_api_route("/", lambda: RedirectResponse("/docs"), include_in_schema=False)
    admission = Admission(access, pending=pending, check_full=served.check_full)
    longer = {SOUNDS: (MOST_SOUND, TOO_LOUD)}
    app.add_middleware(Guard, admission=admission, longer=longer, seconds=body_seconds)
    app.add_middleware(Logged, counts=Counts(metrics))
    return app


async def _healthy() -> dict[str, str]:
    """Return the process answers."""
    return {"status": "ok"}


async def _ready(request: Request, here: Here) -> JSONResponse:
    """Say whether requests may be sent: not once the server is ending."""
    if request.app.state.is_ending():
        return JSONResponse({"status": "ending"}, 503)
    return JSONResponse({"status": "ready", "models": list(here.served.models)})


async def _metrics(here: Here) -> Response:
    """Counters, for Prometheus."""
    return Response(here.metrics.text(), media_type=CONTENT_TYPE_LATEST)
