"""Limits of a server, checked before anything is done for a request."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from regard.errors import BadArgumentError
from regard.generation import GenerationConfig
from regard.generation.config import ROWS
from regard.text.normalize import check_unicode


class TooLong(BadArgumentError):
    """More characters than a text, or a request, may have."""

    status = 413


@dataclass(frozen=True)
class Limits:
    """The limits of a server.

    Raises:
        BadArgumentError: a number below 1.
    """

    waiting: int = 1024  # texts that may wait for a model
    rows: int = 64  # hypotheses that one thread decodes at the same time
    new_tokens: int = 1024  # tokens that may be written for a text
    seconds: float = 60.0  # that a request may take
    text: int = 100_000  # characters of a text
    request: int = 400_000  # characters of all texts of a request
    pending: int = 2**23  # bytes of all requests that have no answer yet

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value >= 1:
                raise BadArgumentError(f"{name} must be at least 1; got {value}.")

    @property
    def kept(self) -> int:
        """Rows that only short texts may use."""
        return self.rows // 4

    def deadline(self, seconds: float | None = None) -> float:
        """Return the end of a request's time from now, by time.monotonic."""
        return time.monotonic() + min(self.seconds, seconds or self.seconds)

    def check(self, texts: Sequence[str], number: int, results: int = 1) -> None:
        """Refuses a request that is too large.

        Args:
            texts: every string that the model is to read.
            number: of texts, or pairs, or chats.
            results: for each of them.

        Raises:
            BadArgumentError: too many texts or results, or one that is not Unicode.
            TooLong: too many characters.
        """
        if number * results > self.waiting:
            times = f" with {results} results each" if results > 1 else ""
            raise BadArgumentError(
                f"a request may have {self.waiting} texts here; got {number}{times}. Send fewer at"
                " a time."
            )
        longest, characters = max(map(len, texts), default=0), sum(map(len, texts))
        if longest > self.text:
            raise TooLong(
                f"a text may have {self.text:,} characters here; got one of {longest:,}. Send it"
                " in parts."
            )
        if characters > self.request:
            raise TooLong(
                f"the texts of a request may have {self.request:,} characters here; got"
                f" {characters:,}. Send fewer at a time."
            )
        for text in texts:
            check_unicode(text)

    def configured(self, config: GenerationConfig, asked: int | None) -> GenerationConfig:
        """Return settings within the limits of tokens and rows.

        Args:
            asked: max_new_tokens, where a caller named it.

        Raises:
            BadArgumentError: the caller asked for more.
        """
        if asked is not None and asked > self.new_tokens:
            raise BadArgumentError(
                f"max_new_tokens may be {self.new_tokens} on this server; got {asked}."
            )
        most = self.rows - self.kept
        if config.rows > most:
            raise BadArgumentError(
                f"{' and '.join(ROWS)} may be {most} on this server; got {config.rows}."
            )
        if config.max_new_tokens <= self.new_tokens:
            return config
        return config.updated(max_new_tokens=self.new_tokens)
