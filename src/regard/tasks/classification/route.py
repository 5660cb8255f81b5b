"""The route of texts to be labeled."""

from typing import Any

from fastapi import Request

from regard.serving.hooks import Hook, Results, read
from regard.serving.served import Model
from regard.serving.state import State
from regard.tasks.classification.task import split_labels


async def classify(
    request: Request, here: State, model: Model[Any], asked: object, chosen: dict[str, Any]
) -> Results:
    """Return the labels of texts, each of which is read once for each label of the request's
    own."""
    times = len(split_labels(chosen["labels"])) if "labels" in chosen else 1
    return await read(request, here, model, asked, chosen, times)


ROUTE: Hook = Hook(classify)
