"""The application that `regard serve` runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.concurrency import run_in_threadpool

from regard.serving import reference
from regard.serving.guard import BODY_SECONDS, Access, Guard
from regard.serving.libretranslate import libretranslate
from regard.serving.logs import Logged
from regard.serving.metrics import Metrics
from regard.serving.openai import openai
from regard.serving.refusals import add_refusals
from regard.serving.run import run
from regard.serving.served import Served
from regard.serving.state import Here, State, Traces
from regard.version import __version__


def create_app(
    served: Served,
    metrics: Metrics,
    access: Access,
    *,
    body_seconds: float = BODY_SECONDS,
    worker: int | None = None,
) -> FastAPI:
    """The application.

    Args:
        served: the models; closed with the application.
        body_seconds: that a body may take to come.
        worker: the number of this process, where several answer for one server.
    """
    state = State(served, access, metrics, Traces(worker))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(state.close)

    app = FastAPI(
        title="regard serve",
        version=__version__,
        description="Translation, generation, classification and embeddings by regard's models.",
        lifespan=lifespan,
        docs_url=None,  # FastAPI's own pages come from a CDN
        redoc_url=None,
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
    add_refusals(app)
    pending = state.shedding.pending
    app.add_middleware(Guard, access=access, seconds=body_seconds, pending=pending)
    app.add_middleware(Logged, metrics=metrics)
    return app


async def _healthy() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


async def _ready(here: Here) -> JSONResponse:
    """Whether requests may be sent: not once the server is ending."""
    if here.is_ending():
        return JSONResponse({"status": "ending"}, 503)
    return JSONResponse({"status": "ready", "models": list(here.served.models)})


async def _metrics(here: Here) -> Response:
    """Counters, for Prometheus."""
    return Response(here.metrics.text(), media_type=CONTENT_TYPE_LATEST)
