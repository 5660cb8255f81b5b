"""Prompts for a language model, and its text as it comes."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from typing import Any

from regard.errors import BadArgumentError, RegardError
from regard.generation import Hypothesis
from regard.generation.choosers import Chosen
from regard.serving.decoding import Decode
from regard.serving.served import Model
from regard.serving.work import Work
from regard.tasks.text_generation.task import Continuation, Prompt, Prompted, Writer

DEEPEST = 32  # of values in values that a chat has


class Prompts(Work):
    """Prompts, a job for each.

    Args:
        options: fields of GenerationConfig.
        stop: see `Writer.run`.
        alone: see `Work`.
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
        alone: bool = False,
    ):
        task, limits = model.task, model.limits
        config = task.generation.updated(**options)
        config = limits.configured(config, options.get("max_new_tokens"))
        if streamed and config.rows > 1:
            raise BadArgumentError(
                "one sequence can be streamed, without beams; got several. Ask for one, or leave"
                " stream out."
            )
        texts = [*_texts_in(prompts), *stop]
        results = config.alternatives
        super().__init__(limits, texts, len(prompts), results=results, seconds=seconds, alone=alone)
        # A template is another process's work, which may take long.
        self.is_small &= all(isinstance(prompt, str) for prompt in prompts)
        self._limits, self._prompts = limits, prompts
        self._task, self._options = task, options | {"stop_strings": list(stop)}
        self.ready: list[Prompted] = []
        self.refused: dict[int, RegardError] = {}  # by the number of the prompt
        self.jobs: list[Decode] = []
        self.tokens: asyncio.Queue[tuple[int, Chosen | None]] = asyncio.Queue()

    def __iter__(self) -> Iterator[Decode]:
        for k, prompt in enumerate(self._prompts):
            ready = self.prepared(partial(self._task.prompted, prompt, **self._options))
            if isinstance(ready, RegardError):
                self.refused[k] = ready
                continue
            config = self._limits.configured(ready.config, None)
            job = Decode(ready.ids, config, self.deadline, number=len(self.jobs), ends=ready.ends)
            self.ready.append(ready)
            self.jobs.append(job)
            yield job

    def pairs(
        self, hypotheses: Sequence[list[Hypothesis]]
    ) -> Iterator[tuple[Prompted, list[Hypothesis]]]:
        """Each prompt that is not refused with its hypotheses."""
        return zip(self.ready, hypotheses, strict=True)

    def listen(self) -> None:
        """Has the tokens kept for `pieces`; called before the jobs are put."""
        loop = asyncio.get_running_loop()
        for k, job in enumerate(self.jobs):

            def on_token(chosen: Chosen | None, k: int = k) -> None:
                loop.call_soon_threadsafe(self.tokens.put_nowait, (k, chosen))

            job.on_token = on_token
            job.future.add_done_callback(lambda _, on_token=on_token: on_token(None))  # type: ignore[misc]

    async def pieces(self) -> AsyncIterator[tuple[int, str, Chosen | Continuation]]:
        """Yield the number of a prompt and a token of its text, with the piece that is certain by
        it, which may be empty; at last, the rest and the result.

        Raises:
            RegardError: as a job.
        """
        left = len(self.jobs)
        while left:
            k, chosen = await self.tokens.get()
            ready = self.ready[k]
            if chosen is not None:
                if ready.writes(chosen.token):
                    yield k, ready.text.add(chosen.token), chosen
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
        self._stop, self._held, self._ended = [end for end in stop if end], "", False

    def add(self, piece: str, *, last: bool = False) -> str:
        """Return the text that is certain after one more piece; all that is left with the last."""
        if self._ended:
            return ""
        text = self._held + piece
        places = [place for end in self._stop if (place := text.find(end)) >= 0]
        if places:
            self._ended = True
            return text[: min(places)]
        held = 0 if last else max((_begun(text, end) for end in self._stop), default=0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]


def _begun(text: str, stop: str) -> int:
    """Characters at the end of a text with which a stop string begins."""
    most = min(len(text), len(stop) - 1)
    return next((n for n in range(most, 0, -1) if text.endswith(stop[:n])), 0)


def _texts_in(value: object) -> list[str]:
    """Every string; of other values, which take time as well, what they look like."""
    texts, rest = list[str](), [(value, 0)]
    while rest:
        value, depth = rest.pop()
        if depth > DEEPEST:
            raise BadArgumentError(f"a chat may be nested {DEEPEST} deep; send a simpler one.")
        if isinstance(value, dict):
            rest += [(part, depth + 1) for pair in value.items() for part in pair]
        elif isinstance(value, list | tuple):
            rest += [(part, depth + 1) for part in value]
        else:
            texts.append(value if isinstance(value, str) else repr(value))
    return texts
