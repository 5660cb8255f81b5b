"""The route of texts to be continued, and of chats."""

from dataclasses import replace
from typing import Any

from fastapi import Request
from pydantic import Field

from regard.errors import BadArgumentError, RegardError
from regard.generation import Hypothesis
from regard.inspection import Trace
from regard.serving.asking import all_of, results_of
from regard.serving.hooks import (
    TRACE,
    TRACED,
    Hook,
    OneOrMore,
    Results,
    asks_for_trace,
    traced,
)
from regard.serving.served import Model
from regard.serving.state import State
from regard.serving.work import listed
from regard.serving.written import Prompts
from regard.tasks.text_generation.task import Continuation, Prompted


async def continue_texts(
    request: Request, here: State, model: Model[Any], asked: Any, chosen: dict[str, Any]
) -> Results:
    """Return the continuations of texts, or the answer to a chat."""
    if (asked.text is None) == (asked.messages is None):
        raise BadArgumentError("give either a text or messages.")
    options = {name: value for name, value in chosen.items() if name not in ("tokens", "chat")}
    stop, system = listed(options.pop("stop", [])), options.pop("system", None)
    prompts: list[Any] = [asked.messages or []] if asked.text is None else listed(asked.text)
    if chosen.get("chat") and asked.text is not None:
        opening = [] if system is None else [{"role": "system", "content": system}]
        prompts = [[*opening, {"role": "user", "content": text}] for text in prompts]
    is_traced = asks_for_trace(asked, len(prompts))
    if is_traced and not isinstance(prompts[0], str):
        raise BadArgumentError(
            "a trace is of a text, not of a chat. Send it as the template has it."
        )
    work = Prompts(model, prompts, options=options, stop=stop, seconds=asked.timeout, alone=True)
    hypotheses = await results_of(request, model, work)
    made = (_continued(ready, its) for ready, its in work.pairs(hypotheses))
    results = await all_of(request, made, work.deadline, whole=work.is_small)
    for place, error in sorted(work.refused.items()):
        results.insert(place, error)
    if not is_traced:
        return results, {}
    [[best, *_]] = hypotheses

    def trace() -> Trace:
        tokens = best.tokens
        return model.task.trace(prompts[0], generate=len(tokens), forced_beginning=tokens)

    return results, await traced(request, here, trace, work.deadline)


def _continued(
    ready: Prompted, hypotheses: list[Hypothesis] | RegardError
) -> Continuation | RegardError:
    if isinstance(hypotheses, RegardError):
        return hypotheses
    its = list(map(ready.result, hypotheses))
    return replace(its[0], alternatives=its)


ROUTE: Hook = Hook(
    continue_texts,
    {
        "text": (OneOrMore | None, Field(None, description="One or several to continue.")),
        "messages": (list[dict[str, Any]] | None, Field(None, description="A chat to answer.")),
        **TRACE,
    },
    TRACED,
)
