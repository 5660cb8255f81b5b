"""A request's work for a model: texts within the server's limits, made into jobs one by one."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Any, TypeVar

from regard.engine.text_to_text import TextToText
from regard.errors import RegardError, UnavailableError
from regard.generation import GenerationConfig, Hypothesis
from regard.serving.batches import Reading
from regard.serving.decoding import Decode
from regard.serving.jobs import Job
from regard.serving.limits import Limits
from regard.tasks.translation.task import Translator

SMALL = 500  # characters that are read sooner than threads change
PER_TEXT = 50  # characters that take as long to read as a text takes besides


Prepared = TypeVar("Prepared")


class Work(ABC):
    """The work of a request. To iterate over it makes its jobs.

    Args:
        texts: every string that the model is to read.
        number: of texts, or pairs, or chats.
        results: for each of them.
        seconds: that it may take, if less than the server's limit.
        alone: whether a text is refused alone, in its own result.

    Raises:
        BadArgumentError: as `Limits.check`.
    """

    def __init__(
        self,
        limits: Limits,
        texts: Sequence[str],
        number: int,
        *,
        results: int = 1,
        seconds: float | None = None,
        alone: bool = False,
    ):
        limits.check(texts, number, results)
        self._alone = alone
        self.number, self.deadline = number, limits.deadline(seconds)
        self.is_small = sum(map(len, texts)) + PER_TEXT * number < SMALL

    @abstractmethod
    def __iter__(self) -> Iterator[Job]: ...

    def refuses_alone(self, error: object) -> bool:
        """Return True for an error of one text that leaves the others as they are."""
        is_refusal = isinstance(error, RegardError) and not isinstance(error, UnavailableError)
        return self._alone and is_refusal

    def prepared(self, prepare: Callable[[], Prepared]) -> Prepared | RegardError:
        """Prepare one text, or return the error with which it is refused alone."""
        try:
            return prepare()
        except RegardError as error:
            if not self.refuses_alone(error):
                raise
            return error


class Readings(Work):
    """Texts, each with those that belong to it, to be read; a job for each.

    Args:
        times: that the model reads each of them.
    """

    def __init__(
        self,
        items: Sequence[tuple[str, ...]],
        options: object,
        limits: Limits,
        seconds: float | None = None,
        *,
        times: int = 1,
        alone: bool = False,
    ):
        texts = [text for item in items for text in item] * times
        super().__init__(limits, texts, len(items), results=times, seconds=seconds, alone=alone)
        self._items, self._options = items, options

    def __iter__(self) -> Iterator[Reading]:
        for item in self._items:
            yield Reading(item, self._options, self.deadline)


class Sounds(Readings):
    """The contents of sound files, a job for each."""

    def __init__(
        self, sounds: Sequence[bytes], options: object, limits: Limits, seconds: float | None = None
    ):
        Work.__init__(self, limits, (), len(sounds), seconds=seconds, alone=True)
        self._items: Sequence[Any] = [(sound,) for sound in sounds]
        self._options, self.is_small = options, False


class Texts(Work):
    """Texts for an encoder–decoder, a job for each part that is decoded, and what becomes of them.

    Args:
        task: with the languages chosen, where it has several.
        options: fields of GenerationConfig, and `force`.

    A text that cannot be read is refused alone.

    Raises:
        BadArgumentError: as `task.run`; of a text when its jobs are made.
    """

    def __init__(
        self,
        task: TextToText,
        texts: Sequence[str],
        limits: Limits,
        *,
        options: dict[str, Any],
        seconds: float | None = None,
    ):
        options = dict(options)
        self._force = bool(options.pop("force", False))
        try:
            config = _configured(task, limits, tuple(options.items()))
        except TypeError:  # of options that cannot be looked up, such as lists
            config = limits.configured(task.configured(options), options.get("max_new_tokens"))
        results = config.alternatives
        super().__init__(limits, texts, len(texts), results=results, seconds=seconds, alone=True)
        if isinstance(task, Translator) and task.has_languages:
            task.languages.check_chosen(task.name, task.prefix, config)
        self.task, self._texts, self._config = task, texts, config
        self._parts: list[list[Any]] = [[] for _ in texts]  # the last may be an error

    def __iter__(self) -> Iterator[Decode]:
        number, start = 0, self._config.decoder_start_token_id
        for text, parts in zip(self._texts, self._parts, strict=True):
            pieces = self.task.parts(text, force=self._force)
            while (part := self.prepared(partial(next, pieces, None))) is not None:
                parts.append(part)
                if isinstance(part, RegardError):
                    break
                source = self.task.source(part)
                config = self.task.config_for(getattr(part, "ids", part), self._config)
                yield Decode(source, config, self.deadline, start=start, number=number)
                number += 1

    def results(self, hypotheses: Sequence[list[Hypothesis]], **options: object) -> Iterator[Any]:
        """Yield the results of `task.run` for each text, from the hypotheses of all jobs, or the
        error with which the text is refused."""
        left = iter(hypotheses)
        for text, parts in zip(self._texts, self._parts, strict=True):
            its = list(islice(left, sum(not isinstance(part, RegardError) for part in parts)))
            errors = [error for error in (*its, *parts) if isinstance(error, RegardError)]
            yield errors[0] if errors else self.task.result(text, parts, its, **options)


@lru_cache(64)
def _configured(
    task: TextToText, limits: Limits, options: tuple[tuple[str, Any], ...]
) -> GenerationConfig:
    """Return the settings of many requests, which ask for the same."""
    settings = dict(options)
    return limits.configured(task.configured(settings), settings.get("max_new_tokens"))


def listed(texts: str | list[str]) -> list[str]:
    """Return the texts of a field that may have one or several."""
    return [texts] if isinstance(texts, str) else texts
