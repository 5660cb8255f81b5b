"""The route of texts to be summarized."""

from typing import Any

from fastapi import Request

from regard.engine.text_to_text import TextToText
from regard.serving.hooks import Hook, Results, read, rewrite
from regard.serving.served import Model
from regard.serving.state import State


async def summarize(
    request: Request, here: State, model: Model[Any], asked: object, chosen: dict[str, Any]
) -> Results:
    """Return the summaries by an encoder–decoder, or by a model that takes sentences."""
    answer = rewrite if isinstance(model.task, TextToText) else read
    return await answer(request, here, model, asked, chosen)


ROUTE: Hook = Hook(summarize)
