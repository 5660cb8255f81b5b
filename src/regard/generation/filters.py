"""Logit filters: each takes the next token's logits and returns them with some tokens discouraged.

All but the temperature forbid tokens (minus infinity) or leave them, so they act alike on logits
and on log-probabilities; formulas and order are those of transformers' logits processors.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from regard.arrays import Array, arrays_of
from regard.errors import BadArgumentError
from regard.generation.config import GenerationConfig

if TYPE_CHECKING:
    from regard.shapes import Float, Int

Ids = tuple[int, ...]
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
        self, logits: Float[Array, "rows vocab"], history: Int[Array, "rows seen"], generated: int
    ) -> Float[Array, "rows vocab"]: ...


def filters_for(config: GenerationConfig) -> list[Filter]:
    """Return the filters that the settings ask for, in the order in which they act."""
    # As in transformers, the end of sentence is no bad word: min_new_tokens holds it off.
    ends = {(token,) for token in config.eos_ids}
    words = tuple(word for word in map(tuple, config.bad_words_ids or ()) if word not in ends)
    first, last, sampling = config.forced_bos_token_id, config.forced_eos_token_id, config.do_sample
    least, start = config.min_new_tokens, tuple(config.forced_beginning or ())
    never, at_first = (
        tuple(ids or ()) for ids in (config.suppress_tokens, config.begin_suppress_tokens)
    )
    zero, ends_at = config.timestamps_from, min(config.eos_ids, default=0)
    filters: list[tuple[object, Filter]] = [
        (config.repetition_penalty != 1.0, RepetitionPenalty(config.repetition_penalty)),
        (config.no_repeat_ngram_size, NoRepeatNgram(config.no_repeat_ngram_size)),
        (words, BadWords(words)),
        (least and config.eos_ids, MinNewTokens(least, config.eos_ids)),
        (first is not None, ForcedToken(first or 0, at=0)),
        (last is not None, ForcedToken(last or 0, at=config.max_new_tokens - 1)),
        (never, Suppressed(never)),
        (at_first, Suppressed(at_first, first=True)),
        (zero is not None, Timestamps(zero or 0, ends_at, config.max_initial_timestamp_index)),
        (sampling and config.temperature != 1.0, Temperature(config.temperature)),
        (sampling and config.top_k, TopK(config.top_k)),
        (sampling and config.top_p < 1.0, TopP(config.top_p)),
        (sampling and config.min_p, MinP(config.min_p or 0.0)),
        (start, ForcedBeginning(start)),
        (config.renormalize_logits, Renormalize()),
    ]
    return [rule for acts, rule in filters if acts]


def acting(filters: Sequence[Filter], generated: int) -> list[Filter]:
    """Return the filters that may change the logits when this many tokens have been generated."""
    return [
        rule
        for rule in filters
        if not (isinstance(rule, MinNewTokens) and generated >= rule.minimum)
        and not (isinstance(rule, ForcedToken) and generated != rule.at)
        and not (isinstance(rule, ForcedBeginning) and generated >= len(rule.tokens))
        and not (isinstance(rule, Suppressed) and rule.first and generated)
    ]


@dataclass(frozen=True)
class RepetitionPenalty:
    """Divides positive logits of tokens in the history by `penalty`; multiplies negative ones.

    CTRL (Keskar et al. 2019), section 4.1, in the form for negative logits that is now usual.
    """

    penalty: float

    def __call__(self, logits: Array, history: Array, generated: int) -> Array:
        arrays = arrays_of(logits)
        seen = arrays.present(history, logits.shape[1])
        penalized = arrays.where(logits < 0, logits * self.penalty, logits / self.penalty)
        return arrays.where(seen, penalized, logits)


@dataclass(frozen=True)
class NoRepeatNgram:
    """Forbids a token that would complete an n-gram of this size a second time."""

    size: int

    def __call__(self, logits: Array, history: Array, generated: int) -> Array:
        seen = history.shape[1]
        if seen < self.size:
            return logits
        arrays = arrays_of(logits)
        windows = arrays.windows(history, self.size)  # (rows, windows, size)
        begun = history[:, None, seen - self.size + 1 :]
        repeats = (windows[:, :, :-1] == begun).all(-1)
        lasts = arrays.where(repeats, windows[:, :, -1], NO_TOKEN)
        return arrays.filled(logits, arrays.present(lasts, logits.shape[1]), -math.inf)


@dataclass(frozen=True)
class BadWords:
    """Forbids the last token of each sequence wherever the tokens before it have just come."""

    words: tuple[tuple[int, ...], ...]

    def check(self, vocab: int) -> None:
        """Refuse ids that are not in the vocabulary, as the other filters of ids do."""
        _check_ids("bad_words_ids", tuple(chain(*self.words)), vocab)

    def __call__(self, logits: Array, history: Array, generated: int) -> Array:
        arrays, vocab = arrays_of(logits), logits.shape[1]
        forbidden = logits > math.inf  # nothing yet
        by_length: dict[int, list[tuple[int, ...]]] = defaultdict(list)
        self.check(vocab)
        for word in self.words:
            by_length[len(word)].append(word)
        for length, words in by_length.items():
            if length - 1 > history.shape[1]:
                continue
            table = arrays.array(words, like=logits)
            latest = history[:, None, history.shape[1] - (length - 1) :]
            begun = (latest == table[:, :-1]).all(-1)  # (rows, words)
            row, word_index = arrays.nonzero(begun)
            forbidden[row, table[word_index, -1]] = True
        return arrays.filled(logits, forbidden, -math.inf)


@dataclass(frozen=True)
class MinNewTokens:
    """Forbids the end of the sentence before `minimum` tokens have been generated."""

    minimum: int
    eos_ids: tuple[int, ...]

    def check(self, vocab: int) -> None:
        _check_ids("eos_token_id", self.eos_ids, vocab)

    def __call__(self, logits: Array, history: Array, generated: int) -> Array:
        if generated >= self.minimum:
            return logits
        self.check(logits.shape[1])
        arrays = arrays_of(logits)
        tokens = arrays.count(logits.shape[1], like=logits)[:, None]
        ends = (tokens == arrays.array(self.eos_ids, like=logits)).any(-1)
        return arrays.filled(logits, ends, -math.inf)


@dataclass(frozen=True)
class ForcedToken:
    """Allows one token only when `at` tokens have been generated; it then costs nothing."""

    token: int
    at: int

    def check(self, vocab: int) -> None:
        _check_ids("a forced token id", (self.token,), vocab)

    def __call__(self, logits: Array, history: Array, generated: int) -> Array:
        if generated != self.at:
            return logits
        self.check(logits.shape[1])
        arrays = arrays_of(logits)
        it = arrays.count(logits.shape[1], like=logits) == self.token
        return arrays.filled(arrays.filled(logits, it, 0.0), ~it, -math.inf)


@dataclass(frozen=True)
class ForcedBeginning:
    """Allows only these tokens at the first steps; each costs what it costs the model.

    One that the settings forbid costs nothing.
    """

    tokens: tuple[int, ...]

    def check(self, vocab: int) -> None:
        _check_ids("forced_beginning", self.tokens, vocab)

    def __call__(self, logits: Array, history: Array, generated: int) -> Array:
        if generated >= len(self.tokens):
            return logits
        self.check(logits.shape[1])
        arrays = arrays_of(logits)
        it = arrays.count(logits.shape[1], like=logits) == self.tokens[generated]
        possible = arrays.filled(logits, logits == -math.inf, 0.0)
        return arrays.filled(possible, ~it, -math.inf)


@dataclass(frozen=True)
class Suppressed:
    """Forbids these tokens at every step, or at the first alone."""

    tokens: tuple[int, ...]
    first: bool = False

    def check(self, vocab: int) -> None:
        _check_ids("suppressed tokens", self.tokens, vocab)

    def __call__(self, logits: Array, history: Array, generated: int) -> Array:
        if self.first and generated:
            return logits
        self.check(logits.shape[1])
        forbidden = logits > math.inf  # nothing yet
        forbidden[:, list(self.tokens)] = True
        return arrays_of(logits).filled(logits, forbidden, -math.inf)


@dataclass(frozen=True)
class Timestamps:
    """Makes tokens that are times rise and come in pairs, the end of a segment and the beginning of
    the next, but at the beginning and at the end of all; one is written where they are likelier
    together than any other token.

    Radford et al. 2022, section 4.5, as in the authors' code.
    """

    zero: int  # the time 0; the token before it says that there are no times
    end: int  # of the text, whose tokens are before it
    most: int | None = None  # of the first one

    def check(self, vocab: int) -> None:
        _check_ids("timestamps_from", (self.zero,), vocab)

    def __call__(self, logits: Array, history: Array, generated: int) -> Array:
        arrays = arrays_of(logits)
        self.check(logits.shape[1])
        ids = arrays.count(logits.shape[1], like=logits)[None]
        is_time, forbidden = ids >= self.zero, ids == self.zero - 1
        if generated:
            written = history[:, history.shape[1] - generated :]
            times = arrays.where(written >= self.zero, written, self.zero - 1)
            latest, closes = arrays.largest(times)[:, None], written[:, -1:] >= self.zero
            is_pair = closes & (written[:, -2:-1] >= self.zero) if generated > 1 else closes
            least = arrays.where(closes & ~is_pair, latest, latest + 1)
            forbidden = forbidden | (is_time & ((ids < least) | is_pair))
            forbidden = forbidden | (closes & ~is_pair & (ids < self.end))
        else:
            forbidden = forbidden | ~is_time
            if self.most is not None:
                forbidden = forbidden | (ids > self.zero + self.most)
        logits = arrays.filled(logits, forbidden, -math.inf)
        log_probs = arrays.log_softmax(logits)
        largest = arrays.largest(log_probs[:, : self.zero])[:, None]
        of_times = arrays.exp(log_probs[:, self.zero :]).sum(-1)[:, None]
        return arrays.filled(logits, ~is_time & (of_times > arrays.exp(largest)), -math.inf)


@dataclass(frozen=True)
class Temperature:
    """Divides the logits: below 1 sharpens the distribution, above 1 flattens it."""

    temperature: float

    def __call__(self, logits: Array, history: Array, generated: int) -> Array:
        # Below this float32 overflows; the likeliest token has been all that is left long before.
        return logits / max(self.temperature, 1e-30)


@dataclass(frozen=True)
class TopK:
    """Keeps the k likeliest tokens, and any that tie with the last of them."""

    k: int

    def __call__(self, logits: Array, history: Array, generated: int) -> Array:
        arrays = arrays_of(logits)
        least = arrays.top(logits, min(self.k, logits.shape[1]))[0][:, -1:]
        return arrays.filled(logits, logits < least, -math.inf)


@dataclass(frozen=True)
class TopP:
    """Keeps the fewest likeliest tokens whose probabilities reach p (Holtzman et al. 2020)."""

    p: float

    def __call__(self, logits: Array, history: Array, generated: int) -> Array:
        arrays = arrays_of(logits)
        ordered, places = arrays.sorted(logits)
        mass_up_to = arrays.sums(arrays.softmax(ordered))
        cut = mass_up_to <= 1 - self.p
        cut[:, -1] = False  # the likeliest stays even when rounding leaves it no mass
        return arrays.filled(logits, arrays.put(cut, places), -math.inf)


@dataclass(frozen=True)
class MinP:
    """Keeps tokens at least `fraction` times as likely as the likeliest (Nguyen et al. 2024)."""

    fraction: float

    def __call__(self, logits: Array, history: Array, generated: int) -> Array:
        arrays = arrays_of(logits)
        probabilities = arrays.softmax(logits)
        least = self.fraction * arrays.largest(probabilities)[:, None]
        return arrays.filled(logits, probabilities < least, -math.inf)


@dataclass(frozen=True)
class Renormalize:
    """Makes what is left sum to one again, which matters where log-probabilities are summed."""

    def __call__(self, logits: Array, history: Array, generated: int) -> Array:
        return arrays_of(logits).log_softmax(logits)


def _check_ids(name: str, ids: tuple[int, ...], vocab: int) -> None:
    if max(ids) >= vocab:
        raise BadArgumentError(
            f"{name} must be below the vocabulary's {vocab}; got {max(ids)}."
            " Does the tokenizer belong to this model?"
        )
