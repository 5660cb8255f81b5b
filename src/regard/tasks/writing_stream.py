"""A text while it is written: its pieces first, and then the result that they make up."""

from collections.abc import Callable, Generator, Iterator
from typing import Generic, TypeVar

from regard.generation import Hypothesis
from regard.text.stream import TextStream

Result = TypeVar("Result")


class Writing(Iterator[str], Generic[Result]):
    """Pieces of a text as they are written; none changes later, none has half a character."""

    def __init__(
        self,
        tokens: Generator[int, None, Hypothesis],
        writes: Callable[[int], bool],
        text: TextStream,
        result: Callable[[Hypothesis], Result],
    ):
        self.result: Result | None = None  # once the last piece has come
        self._tokens, self._writes, self._text = tokens, writes, text
        self._make_result = result

    def __next__(self) -> str:
        while self.result is None:
            try:
                token = next(self._tokens)
                piece = self._text.add(token) if self._writes(token) else ""
            except StopIteration as end:
                self.result, piece = self._make_result(end.value), self._text.end()
            if piece:
                return piece
        raise StopIteration
