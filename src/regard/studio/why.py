"""Routes that say what decided on a step of the output."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request

from regard.inspection.answers import Attribution, Lens, Measures
from regard.inspection.attribution import logit_attribution, logit_lens, measures
from regard.studio.requests import REFUSALS
from regard.studio.routes import From0, Here, Opened, in_turn

why = APIRouter(prefix="/api/traces/{id}", responses=REFUSALS)


@why.get("/lens")
async def lens(request: Request, trace: Opened, library: Here, step: From0) -> Lens:
    return await in_turn(request, library.models_thread, partial(logit_lens, trace, step))


@why.get("/attribution")
async def attribution(
    request: Request,
    trace: Opened,
    library: Here,
    step: From0,
    against: Annotated[int | None, Query(ge=0)] = None,
) -> Attribution:
    work = partial(logit_attribution, trace, step, against)
    return await in_turn(request, library.models_thread, work)


@why.get("/measures")
async def measured(
    request: Request, trace: Opened, library: Here, step: From0, axis: str | None = None
) -> Measures:
    work = partial(measures, trace, [step], axis)
    return (await in_turn(request, library.models_thread, work))[0]
