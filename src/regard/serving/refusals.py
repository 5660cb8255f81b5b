"""Refusals as sentences, each in the form that the client's interface has."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from regard.errors import RegardError, UnavailableError
from regard.serving.jobs import Busy, TooLate
from regard.serving.limits import TooLong

LIBRE = ("/translate", "/languages")


def refusal(
    path: str, status: int, sentence: str, headers: dict[str, str] | None = None
) -> JSONResponse:
    """A sentence, as OpenAI, LibreTranslate or this server says it."""
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


def full_sentence(seconds: int) -> str:
    """What a server that is full says."""
    return f"the server has as many requests as it takes; try again in {seconds} s."


def retry_after(seconds: int) -> dict[str, str]:
    """The header that says when to send a request again."""
    return {"Retry-After": str(seconds)}


def add_refusals(app: FastAPI) -> None:
    """Has an application answer every error so."""
    app.add_exception_handler(RegardError, _mistake)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _ours)


class UnknownModel(RegardError):
    """It has a status of its own for OpenAI's clients."""


_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


def status_of(error: Exception) -> int:
    """Of an error that a request comes to."""
    if isinstance(error, Busy):
        return 429
    if isinstance(error, TooLate):
        return 504
    if isinstance(error, TooLong):
        return 413
    if isinstance(error, UnknownModel):
        return 404
    if isinstance(error, UnavailableError):
        return 503
    return 400 if isinstance(error, RegardError) else 500


async def _mistake(request: Request, error: Exception) -> JSONResponse:
    headers = retry_after(error.seconds) if isinstance(error, Busy) else None
    return refusal(request.url.path, status_of(error), str(error), headers)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    """One of pydantic's complaints, without what was sent."""
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    status = 400 if request.url.path.startswith("/v1/") else 422
    if found[0]["type"] == "json_invalid":
        sentence = "the body is not JSON; send an object, as /docs shows."
        return refusal(request.url.path, status, sentence)
    place = found[0]["loc"][1:2]
    # Of a field that may be a text or a list, the last complaint is that of the list.
    last = [each for each in found if each["loc"][1:2] == place][-1]
    message = last["msg"][:1].lower() + last["msg"][1:]
    name = str(place[0]) if place else "the request"
    return refusal(request.url.path, status, f"{name}: {message}.")


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    detail = str(error.detail)
    if error.status_code == 405:
        detail = f"{request.url.path} does not answer {request.method}."
    elif error.status_code == 404 and detail == "Not Found":
        detail = f"there is nothing at {request.url.path[:80]}; /docs says what there is."
    return refusal(request.url.path, error.status_code, detail)


async def _ours(request: Request, error: Exception) -> JSONResponse:
    return refusal(request.url.path, 500, "the server failed; its log says why.")
