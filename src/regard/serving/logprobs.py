"""OpenAI's `logprobs`: what a model gave to the tokens that it wrote, and to the likeliest ones."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from regard.generation.choosers import Chosen
from regard.tasks.text_generation.task import Prompted
from regard.text.stream import bytes_after

LEAST = -9999.0  # what OpenAI writes for a token that is impossible; JSON has no infinity


class Spelled(NamedTuple):
    """A token and its log-probability."""

    bytes: bytes
    log_prob: float

    @property
    def token(self) -> str:
        """The text, or the bytes of a part of a character."""
        try:
            return self.bytes.decode()
        except UnicodeDecodeError:
            return "bytes:" + "".join(f"\\x{byte:02x}" for byte in self.bytes)

    def json(self) -> dict[str, Any]:
        """Return it as a chat's answer has it."""
        return {"token": self.token, "logprob": self.log_prob, "bytes": list(self.bytes)}


class Logprobs:
    """Those of one text, in the parts that it is sent in.

    Args:
        ready: the prompt.
        top: likeliest tokens that a client wants at each place.
        chat: in the form of a chat's answer, or of a completion's.
    """

    def __init__(self, ready: Prompted, top: int, *, chat: bool):
        self._tokenizer, self._writes = ready.text.tokenizer, ready.writes
        self._top, self._chat = top, chat
        self._before: Sequence[int] = () if chat else ready.ids[-1:]
        self._waiting: list[tuple[Spelled, list[Spelled]]] = []
        self._characters = self._sent = self._ended = 0  # that tokens, the text and they make up

    def add(self, tokens: Iterable[Chosen]) -> None:
        """Take tokens that were written."""
        for token, log_prob, likeliest in tokens:
            if self._writes(token):
                top = [self._spelled(*pair) for pair in likeliest]
                self._waiting.append((self._spelled(token, log_prob), top))
                self._before = [token]

    def of(self, text: str) -> dict[str, Any]:
        """Return those of the next part of the text; tokens behind its end are kept."""
        self._sent += len(text.encode())
        count = 0
        for token, _ in self._waiting:
            if self._ended >= self._sent:
                break
            self._ended += len(token.bytes)
            count += 1
        now, self._waiting = self._waiting[:count], self._waiting[count:]
        if self._chat:
            content = [
                token.json() | {"top_logprobs": [other.json() for other in top]}
                for token, top in now
            ]
            return {"content": content, "refusal": None}
        offsets = []
        for token, _ in now:
            offsets.append(self._characters)
            self._characters += len(token.bytes.decode(errors="ignore"))
        most_likely = [
            {other.token: other.log_prob for other in [*top, token]}
            for token, top in now
            if self._top
        ]
        return {
            "tokens": [token.token for token, _ in now],
            "token_logprobs": [token.log_prob for token, _ in now],
            "top_logprobs": most_likely if self._top else None,
            "text_offset": offsets,
        }

    def _spelled(self, token: int, log_prob: float) -> Spelled:
        spelled = b""
        if self._writes(token):
            spelled = bytes_after(self._tokenizer, self._before, token)
        elif token < self._tokenizer.vocab_size:  # one that ends the text, by its name
            spelled = self._tokenizer.tokens([token])[0].encode()
        return Spelled(spelled, max(log_prob, LEAST))
