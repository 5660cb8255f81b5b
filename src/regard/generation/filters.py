"""Logit filters: each takes the next token's logits and returns them with some tokens discouraged.

All but the temperature forbid tokens (minus infinity) or leave them, so they act alike on logits
and on log-probabilities; formulas and order are those of transformers' logits processors.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.errors import BadArgumentError

NO_TOKEN = -1  # stands in a history where a padded prompt has nothing


@runtime_checkable
class Filter(Protocol):
    """A pure function of logits.

    Args:
        logits: of the next token; not changed in place.
        history: every token so far, prompt included, NO_TOKEN (on the left) where it was padded.
        generated: how many of them came after the prompt.
    """

    def __call__(
        self, logits: Float[Tensor, "rows vocab"], history: Int[Tensor, "rows seen"], generated: int
    ) -> Float[Tensor, "rows vocab"]: ...


@dataclass(frozen=True)
class RepetitionPenalty:
    """Divides positive logits of tokens in the history by `penalty`; multiplies negative ones.

    CTRL (Keskar et al. 2019), section 4.1, in the form for negative logits that is now usual.
    """

    penalty: float

    def __call__(self, logits: Tensor, history: Tensor, generated: int) -> Tensor:
        rows, vocab = logits.shape
        seen = torch.zeros(rows, vocab + 1, dtype=torch.bool, device=logits.device)
        seen.scatter_(1, history.where(history != NO_TOKEN, vocab), True)
        penalized = torch.where(logits < 0, logits * self.penalty, logits / self.penalty)
        return torch.where(seen[:, :vocab], penalized, logits)


@dataclass(frozen=True)
class NoRepeatNgram:
    """Forbids a token that would complete an n-gram of this size a second time."""

    size: int

    def __call__(self, logits: Tensor, history: Tensor, generated: int) -> Tensor:
        seen = history.shape[1]
        if seen < self.size:
            return logits
        rows, vocab = logits.shape
        windows = history.unfold(1, self.size, 1)  # (rows, windows, size)
        begun = history[:, None, seen - self.size + 1 :]
        repeats = (windows[:, :, :-1] == begun).all(dim=-1)
        lasts = windows[:, :, -1].where(repeats, vocab)
        forbidden = torch.zeros(rows, vocab + 1, dtype=torch.bool, device=logits.device)
        forbidden.scatter_(1, lasts.where(lasts != NO_TOKEN, vocab), True)
        return logits.masked_fill(forbidden[:, :vocab], -torch.inf)


@dataclass(frozen=True)
class BadWords:
    """Forbids the last token of each sequence wherever the tokens before it have just come."""

    words: tuple[tuple[int, ...], ...]

    def __call__(self, logits: Tensor, history: Tensor, generated: int) -> Tensor:
        vocab = logits.shape[1]
        forbidden = torch.zeros_like(logits, dtype=torch.bool)
        by_length: dict[int, list[tuple[int, ...]]] = defaultdict(list)
        for word in self.words:
            _check_ids("bad_words_ids", word, vocab)
            by_length[len(word)].append(word)
        for length, words in by_length.items():
            if length - 1 > history.shape[1]:
                continue
            table = torch.tensor(words, device=logits.device)
            latest = history[:, None, history.shape[1] - (length - 1) :]
            begun = (latest == table[:, :-1]).all(dim=-1)  # (rows, words)
            row, word_index = begun.nonzero(as_tuple=True)
            forbidden[row, table[word_index, -1]] = True
        return logits.masked_fill(forbidden, -torch.inf)


@dataclass(frozen=True)
class MinNewTokens:
    """Forbids the end of the sentence before `minimum` tokens have been generated."""

    minimum: int
    eos_ids: tuple[int, ...]

    def __call__(self, logits: Tensor, history: Tensor, generated: int) -> Tensor:
        if generated >= self.minimum:
            return logits
        _check_ids("eos_token_id", self.eos_ids, logits.shape[1])
        kept = logits.clone()
        kept[:, list(self.eos_ids)] = -torch.inf
        return kept


@dataclass(frozen=True)
class ForcedToken:
    """Allows one token only when `at` tokens have been generated; it then costs nothing."""

    token: int
    at: int

    def __call__(self, logits: Tensor, history: Tensor, generated: int) -> Tensor:
        if generated != self.at:
            return logits
        _check_ids("a forced token id", (self.token,), logits.shape[1])
        forced = torch.full_like(logits, -torch.inf)
        forced[:, self.token] = 0.0
        return forced


@dataclass(frozen=True)
class Temperature:
    """Divides the logits: below 1 sharpens the distribution, above 1 flattens it."""

    temperature: float

    def __call__(self, logits: Tensor, history: Tensor, generated: int) -> Tensor:
        return logits / self.temperature


@dataclass(frozen=True)
class TopK:
    """Keeps the k likeliest tokens, and any that tie with the last of them."""

    k: int

    def __call__(self, logits: Tensor, history: Tensor, generated: int) -> Tensor:
        least = logits.topk(min(self.k, logits.shape[1])).values[:, -1:]
        return logits.masked_fill(logits < least, -torch.inf)


@dataclass(frozen=True)
class TopP:
    """Keeps the fewest likeliest tokens whose probabilities reach p (Holtzman et al. 2020)."""

    p: float

    def __call__(self, logits: Tensor, history: Tensor, generated: int) -> Tensor:
        ordered, indices = logits.sort(dim=-1)
        mass_up_to = ordered.softmax(dim=-1).cumsum(dim=-1)
        cut = mass_up_to <= 1 - self.p
        cut[:, -1] = False  # the likeliest stays even when rounding leaves it no mass
        return logits.masked_fill(cut.scatter(1, indices, cut), -torch.inf)


@dataclass(frozen=True)
class MinP:
    """Keeps tokens at least `fraction` times as likely as the likeliest (Nguyen et al. 2024)."""

    fraction: float

    def __call__(self, logits: Tensor, history: Tensor, generated: int) -> Tensor:
        probabilities = logits.softmax(dim=-1)
        least = self.fraction * probabilities.amax(dim=-1, keepdim=True)
        return logits.masked_fill(probabilities < least, -torch.inf)


@dataclass(frozen=True)
class Renormalize:
    """Makes what is left sum to one again, which matters where log-probabilities are summed."""

    def __call__(self, logits: Tensor, history: Tensor, generated: int) -> Tensor:
        return logits.log_softmax(dim=-1)


def _check_ids(name: str, ids: tuple[int, ...], vocab: int) -> None:
    if max(ids) >= vocab:
        raise BadArgumentError(
            f"{name} must be below the vocabulary's {vocab}; got {max(ids)}."
            " Does the tokenizer belong to this model?"
        )
