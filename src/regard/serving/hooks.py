"""Hooks of the tasks' routes, and the results of models that read and of encoder–decoders."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Request
from pydantic import Field

from regard.errors import BadArgumentError
from regard.inspection import Trace
from regard.serving.asking import all_of, results_of
from regard.serving.limits import TooLong
from regard.serving.served import Model
from regard.serving.state import State
from regard.serving.work import Readings, Texts, listed
from regard.tasks import catalog

if TYPE_CHECKING:
    from regard.engine.text_to_text import TextToText

ALIGNED = 2**20  # weights of the words of a request, if it has as many words as its texts

OneOrMore = str | Annotated[list[str], Field(min_length=1)]
Results = tuple[Sequence[Any], dict[str, Any]]  # and what else the answer has


# Of a route that gives a trace: fields of its requests and of its answers.
TRACE: dict[str, Any] = {
    "trace": (bool, Field(False, description="Also the address of a trace, of one text."))
}
TRACED: dict[str, Any] = {"trace": (str | None, None)}


@dataclass(frozen=True)
class Hook:
    """A task's own part.

    Args:
        answer: gives the results of a request, from the options that it has.
        fields: of its requests, beside the inputs and options.
        more: fields of its answers, beside the results.
    """

    answer: Callable[[Request, State, Model[Any], Any, dict[str, Any]], Awaitable[Results]]
    fields: dict[str, Any] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)


async def read(
    request: Request,
    here: State,
    model: Model[Any],
    asked: Any,
    chosen: dict[str, Any],
    times: int = 1,
) -> Results:
    """Return the results of a model that reads."""
    names = [each.name for each in catalog.doing(model.kind).inputs]
    columns = {name: listed(texts) for name in names if (texts := getattr(asked, name)) is not None}
    first, *others = columns.values()
    for name, column in list(columns.items())[1:]:
        if len(column) != len(first):
            raise BadArgumentError(
                f"{name} must be one for each {names[0]}; got {len(column)} for {len(first)}."
            )
    rows, options = list(zip(first, *others, strict=True)), tuple(sorted(chosen.items()))
    work = Readings(rows, options, model.limits, asked.timeout, times=times, alone=True)
    return await results_of(request, model, work), {}


async def rewrite(
    request: Request, here: State, model: Model[Any], asked: Any, chosen: dict[str, Any]
) -> Results:
    """Yield the results of an encoder–decoder, with alignments and a trace on request."""
    texts, step = listed(asked.text), getattr(asked, "alignment", None)
    is_traced = asks_for_trace(asked, len(texts))
    words = sum(len(text.split()) ** 2 for text in texts)
    if step is not None and words > ALIGNED:
        raise TooLong(
            f"the squares of the texts' numbers of words may be {ALIGNED:,} together for an"
            f" alignment; got {words:,}. Send less text at a time."
        )
    task, left = model.task.with_options(**chosen)
    work, hypotheses = await decoded(request, model, task, texts, left, asked.timeout)
    if step is None:
        made = work.results(hypotheses)
        results = await all_of(request, made, work.deadline, whole=work.is_small)
    else:
        chosen["alignment"] = step  # of the parts of a result that were asked for
        made = work.results(hypotheses, alignment=step)
        results = await all_of(request, made, work.deadline, thread=here.looking)
    if not is_traced:
        return results, {}

    left.pop("alternatives", None)
    return results, await traced(request, here, lambda: task.trace(texts[0], **left), work.deadline)


def asks_for_trace(asked: Any, texts: int) -> bool:
    """Return whether a request wants a trace, which is of one text.

    Raises:
        BadArgumentError: it has several.
    """
    is_traced = getattr(asked, "trace", False)
    if is_traced and texts > 1:
        raise BadArgumentError(f"a trace is of one text; got {texts}. Send one at a time.")
    return is_traced


async def traced(
    request: Request, here: State, trace: Callable[[], Trace], deadline: float
) -> dict[str, Any]:
    """Return what an answer has of a trace: the address of its page."""

    def made() -> Iterator[str]:
        yield f"/traces/{here.traces.add(trace())}"

    [address] = await all_of(request, made(), deadline, thread=here.looking)
    return {"trace": address}


async def decoded(
    request: Request,
    model: Model[Any],
    task: "TextToText",
    texts: Sequence[str],
    options: dict[str, Any],
    seconds: float | None = None,
) -> tuple[Texts, list[Any]]:
    """Return the hypotheses of an encoder–decoder for each job of some texts.

    Args:
        task: the model's, with other settings.
    """
    work = Texts(task, texts, model.limits, options=options, seconds=seconds)
    return work, await results_of(request, model, work)
