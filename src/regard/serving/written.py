"""Prompts for a language model, and its text as it comes."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from regard.errors import BadArgumentError
from regard.generation import Hypothesis
from regard.serving.decoding import Decode
from regard.serving.jobs import check_number
from regard.serving.served import Model
from regard.tasks.writing import Prompt, Prompted, Result, Writer
from regard.text.normalize import check_unicode


class Prompts:
    """Prompts with their jobs.

    Args:
        options: fields of GenerationConfig.
        stop: see `Writer.run`.
        streamed: whether `pieces` will be asked for the text as it comes.

    Raises:
        BadArgumentError: as `Writer.run`, or several sequences where they are streamed.
        UnsupportedError: a chat for a model that has no template.
    """

    def __init__(
        self,
        model: Model[Writer],
        prompts: Sequence[Prompt],
        *,
        options: dict[str, Any],
        stop: Sequence[str] = (),
        seconds: float | None = None,
        streamed: bool = False,
    ):
        check_number(len(prompts), model.limits.waiting)
        for prompt in prompts:
            for text in (prompt,) if isinstance(prompt, str) else _texts_in(prompt):
                check_unicode(text)
        task, limits = model.task, model.limits
        _ = limits.configured(task.generation, options.get("max_new_tokens"))
        self.ready = [task.prompted(each, stop_strings=list(stop), **options) for each in prompts]
        self.tokens: asyncio.Queue[tuple[int, int | None]] = asyncio.Queue()
        deadline = limits.deadline(seconds)
        self.jobs = []
        for k, ready in enumerate(self.ready):
            config = limits.configured(ready.config, None)
            if streamed and max(config.num_beams, config.num_return_sequences) > 1:
                raise BadArgumentError(
                    "one sequence can be streamed, without beams; got several. Ask for one, or"
                    " leave stream out."
                )
            self.jobs.append(Decode(ready.ids, config, deadline, number=k, ends=ready.ends))

    def pairs(
        self, found: Sequence[list[Hypothesis]]
    ) -> Iterator[tuple[Prompted, list[Hypothesis]]]:
        """Each prompt with its hypotheses."""
        return zip(self.ready, found, strict=True)

    def listen(self) -> None:
        """Has the tokens kept for `pieces`; called before the jobs are put."""
        loop = asyncio.get_running_loop()
        for k, job in enumerate(self.jobs):

            def on_token(token: int | None, k: int = k) -> None:
                loop.call_soon_threadsafe(self.tokens.put_nowait, (k, token))

            job.on_token = on_token
            job.future.add_done_callback(lambda _, on_token=on_token: on_token(None))  # type: ignore[misc]

    async def pieces(self) -> AsyncIterator[tuple[int, str, Result | None]]:
        """The number of a prompt and the next piece of its text; with its last piece, the result.

        Raises:
            RegardError: as a job.
        """
        left = len(self.jobs)
        while left:
            k, token = await self.tokens.get()
            ready = self.ready[k]
            if token is not None:
                if ready.writes(token) and (piece := ready.text.add(token)):
                    yield k, piece, None
                continue
            left -= 1
            [hypothesis] = self.jobs[k].future.result()
            yield k, ready.text.end(), ready.result(hypothesis)


class Stops:
    """A text that ends before a stop string, given in pieces as far as it is certain.

    Args:
        stop: strings that end it.
    """

    def __init__(self, stop: Sequence[str]):
        self._stop, self._held, self._ended = [each for each in stop if each], "", False

    def add(self, piece: str, *, last: bool = False) -> str:
        """What can be given after one more piece; all that is left with the last."""
        if self._ended:
            return ""
        text = self._held + piece
        found = [place for each in self._stop if (place := text.find(each)) >= 0]
        if found:
            self._ended = True
            return text[: min(found)]
        kept = 0 if last else max((_begun(text, each) for each in self._stop), default=0)
        self._held = text[len(text) - kept :]
        return text[: len(text) - kept]


def _begun(text: str, stop: str) -> int:
    """Characters at the end of a text with which a stop string begins."""
    most = min(len(text), len(stop) - 1)
    return next((n for n in range(most, 0, -1) if text.endswith(stop[:n])), 0)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _texts_in(key)
            yield from _texts_in(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts_in(part)
