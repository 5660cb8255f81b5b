"""The route of sounds to be transcribed."""

import base64
from typing import Any

from fastapi import Request
from pydantic import Field

from regard.errors import BadArgumentError
from regard.serving.asking import results_of
from regard.serving.hooks import Hook, OneOrMore, Results
from regard.serving.served import Model
from regard.serving.state import State
from regard.serving.work import Sounds, listed


async def transcribe(
    request: Request, here: State, model: Model[Any], asked: Any, chosen: dict[str, Any]
) -> Results:
    """Return the texts of sounds: what their files contain, since a server opens no file by
    name."""
    try:
        sounds = [base64.b64decode(sound, validate=True) for sound in listed(asked.sound)]
    except ValueError:
        raise BadArgumentError(
            "sound must be the contents of a sound file in base64; a name of a file is not."
        ) from None
    work = Sounds(sounds, tuple(sorted(chosen.items())), model.limits, asked.timeout)
    return await results_of(request, model, work), {}


ROUTE: Hook = Hook(
    transcribe,
    {"sound": (OneOrMore, Field(description="A sound file in base64; one or several."))},
)
