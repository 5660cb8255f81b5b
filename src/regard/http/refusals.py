"""Refusals as sentences, each in the form of the interface that was asked."""

from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from regard.errors import BadArgumentError, OtherLanguageError, RegardError, UnavailableError

GONE = 499  # the status that web servers log for a client that has gone
LIBRE = ("/translate", "/detect", "/languages", "/suggest", "/translate_file")
_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


class Busy(UnavailableError):
    """The server is full; `seconds` later it may not be."""

    status = 429

    def __init__(self, why: str, seconds: int):
        super().__init__(f"the server is at capacity ({why}); retry in {seconds} s.")
        self.seconds = seconds


class TooLate(UnavailableError):
    """A request exceeded its time limit."""

    status = 504

    def __init__(self) -> None:
        super().__init__("the request exceeded the time limit; send less text or retry.")


class UnknownModel(BadArgumentError):
    """A model that is not served, which has a status of its own for OpenAI's clients."""

    status = 404


def refusal(
    path: str, status: int, sentence: str, headers: dict[str, str] | None = None
) -> JSONResponse:
    """Return a sentence in the form of OpenAI, LibreTranslate or this server."""
    text = " ".join(sentence.encode("utf-8", "backslashreplace").decode().split())
    if path.startswith("/v1/"):
        kind = "invalid_request_error" if status < 500 else "server_error"
        content: dict[str, object] = {
            "error": {"message": text, "type": kind, "param": None, "code": _CODES.get(status)}
        }
    elif path in LIBRE:
        content = {"error": text}
    else:
        content = {"detail": text}
    return JSONResponse(content, status, headers)


def mistake(path: str, error: Exception) -> JSONResponse:
    """Return the refusal of an error of ours; its class may have a `status`."""
    headers = {"Retry-After": str(error.seconds)} if isinstance(error, Busy) else None
    status = 503 if isinstance(error, UnavailableError) else 400
    sentence = str(error)
    if isinstance(error, OtherLanguageError):
        is_ours = path not in LIBRE and not path.startswith("/v1/")
        sentence = error.forced_by('"force": true' if is_ours else "")
    return refusal(path, getattr(error, "status", status), sentence, headers)


def add_refusals(app: Starlette) -> None:
    """Have an application of FastAPI answer every error with a refusal."""
    from fastapi.exceptions import RequestValidationError

    app.add_exception_handler(RegardError, _mistake)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _failure)


async def _mistake(request: Request, error: Exception) -> JSONResponse:
    return mistake(request.url.path, error)


async def _invalid(request: Request, error: Any) -> JSONResponse:
    """One of pydantic's complaints as a sentence."""
    path, complaints = request.url.path, error.errors()
    status = 400 if path.startswith("/v1/") or path in LIBRE else 422
    if complaints[0]["type"] == "json_invalid":
        return refusal(path, status, "the body is not JSON; send an object.")
    place = complaints[0]["loc"][1:2]
    # A field of several types has a complaint for each; one about the value says most.
    its = [complaint for complaint in complaints if complaint["loc"][1:2] == place]
    first = next(
        (complaint for complaint in its if not complaint["type"].endswith("_type")), its[0]
    )
    if first["type"] == "value_error":  # ours
        return refusal(path, status, str(first["ctx"]["error"]))
    name = str(place[0]) if place else "the request"
    got = "" if first["type"] == "missing" else f"; got {str(first.get('input'))[:40]!r}"
    message = first["msg"][:1].lower() + first["msg"][1:]
    return refusal(path, status, f"{name}: {message}{got}.")


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    path, detail, headers = request.url.path, str(error.detail), dict(error.headers or {})
    if error.status_code == 405:
        detail = f"{path} does not answer {request.method}."
    elif error.status_code == 404 and detail == "Not Found":
        detail = f"there is nothing at {path[:80]}; /docs says what there is."
    return refusal(path, error.status_code, detail, headers)


async def _failure(request: Request, error: Exception) -> JSONResponse:
    sentence = "the server failed; its log, or the terminal that it runs in, shows why."
    return refusal(request.url.path, 500, sentence)
