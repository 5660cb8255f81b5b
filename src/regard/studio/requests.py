"""Requests of a page, and the small answers that only a server gives."""

from dataclasses import dataclass
from typing import Any, Literal

from regard.engine.options import TraceRequest


@dataclass(frozen=True)
class AblationRequest:
    """What is to be switched off: an edge takes all three numbers, a token `key`, a head `head`."""

    what: Literal["edge", "head", "token"]
    tap: str
    head: int = 0
    query: int = 0
    key: int = 0
    step: int | None = None  # of the output; the one that changes most if not given


@dataclass(frozen=True)
class OpenRequest:
    """A model that a page wants to list."""

    model: str


@dataclass(frozen=True)
class Offer:
    """What a page can open besides the models that it lists."""

    cached: list[str]  # of the Hugging Face Hub, in the local cache
    download: bool  # any other of the Hugging Face Hub is fetched


@dataclass(frozen=True)
class Listed:
    """A trace that is here."""

    id: str
    model: str
    text: str
    request: TraceRequest | None  # what makes it again; None where it was not made by one
    pinned: bool  # given to the server when it was started; others were asked for by some page


@dataclass(frozen=True)
class Working:
    """How far the trace of this text has come."""

    model: str
    text: str
    stage: str
    done: int  # steps of the stage
    most: int  # how many these can be; 0 where the stage has none
    seconds: float


@dataclass(frozen=True)
class Refusal:
    """Why not, in one sentence."""

    detail: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Refusal},
    # Named here because Python's own name of this status changed in 3.13.
    422: {"model": Refusal, "description": "Unprocessable Entity"},
}
