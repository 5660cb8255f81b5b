"""The route of images to be compared with texts."""

from typing import Any

from fastapi import Request

from regard.errors import BadArgumentError
from regard.serving.hooks import Hook, Results, read
from regard.serving.served import Model
from regard.serving.state import State
from regard.serving.work import listed
from regard.tasks.images.task import WRITTEN


async def match(
    request: Request, here: State, model: Model[Any], asked: Any, chosen: dict[str, Any]
) -> Results:
    """Return the texts that fit images, which come as text: no file here is read by its name."""
    if any(not image.startswith(WRITTEN) for image in listed(asked.image)):
        raise BadArgumentError("an image must come as text, data:image/png;base64,… or the like.")
    labels = tuple(listed(chosen.get("labels") or []))
    if not labels:
        raise BadArgumentError("there are no texts to choose among; give them as labels.")
    model.limits.check(labels, len(labels), 1)
    return await read(request, here, model, asked, chosen | {"labels": labels})


ROUTE: Hook = Hook(match)
