"""Bodies of requests in JSON, of which no key may be there twice."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from regard.json_files import RepeatedKey, unrepeated


def json_of(body: bytes) -> Any:
    """Return the value of a body.

    Raises:
        HTTPException: an object of it has a key twice.
        ValueError: it is not JSON.
    """
    try:
        return json.loads(body, object_pairs_hook=unrepeated)
    except RepeatedKey as error:
        raise HTTPException(400, f"the body cannot be used: {error}") from None


class JsonRoute(APIRoute):
    """A route whose body is read by `json_of`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """As FastAPI's."""
        handle = super().get_route_handler()

        async def app(request: Request) -> Response:
            return await handle(_Read(request.scope, request.receive))

        return app


class _Read(Request):
    async def json(self) -> Any:
        return json_of(await self.body())
