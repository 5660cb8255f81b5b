"""A search, or a batch of them, from step to step: what to read next, and what has been found.

A search asks and is answered, so its driver decides what shares a step of the model: the
loop runs one batch from start to end, a server runs many searches that begin at different times.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy

from regard.arrays import Array, arrays_of
from regard.errors import BadArgumentError
from regard.generation.choosers import (
    Candidates,
    Chosen,
    Likeliest,
    Running,
    chooser_for,
    leaves_in_place,
)
from regard.generation.config import GenerationConfig
from regard.generation.filters import NO_TOKEN, filters_for
from regard.generation.phrases import is_there
from regard.generation.repetition import EVERY, TOKENS, is_runaway, repeats

if TYPE_CHECKING:
    from regard.shapes import Bool, Float, Int


@dataclass(frozen=True)
class Hypothesis:
    """One generated sequence, as `generate` returns it.

    >>> Hypothesis(tokens=(5, 1), score=-0.4, token_logprobs=(-0.5, -0.3), finished=True).tokens
    (5, 1)
    """

    tokens: tuple[int, ...]  # after the prompt; the end-of-sentence token is included
    score: float  # what it was ranked by: the sum of log-probabilities / length ** length_penalty
    token_logprobs: tuple[float, ...]  # the model's own, of each token, before any filter
    finished: bool  # False: cut off at max_new_tokens
    likeliest: tuple[
        Likeliest, ...
    ] = ()  # at each token, `top_logprobs` of them, before any filter

    @property
    def chosen(self) -> list[Chosen]:
        """The tokens, each with what it was chosen from."""
        likeliest = self.likeliest or ((),) * len(self.tokens)
        return list(map(Chosen, self.tokens, self.token_logprobs, likeliest))


def length_penalized(
    totals: Float[Array, "*any"], length: int, length_penalty: float
) -> Float[Array, "*any"]:
    """Return summed log-probabilities (…) as transformers scores them: totals / length **
    length_penalty.

    `length` counts generated tokens, the end of sentence included and the prompt not.
    """
    return totals / length**length_penalty


class NBest:
    """The best hypotheses that one search has finished, best first.

    One that was cut off before it had all phrases is behind those that have more of them.
    """

    def __init__(self, config: GenerationConfig):
        self.size = config.width
        self.phrases = config.forced_phrases
        self.early_stopping = config.early_stopping
        self.hypotheses: list[Hypothesis] = []

    @property
    def is_full(self) -> bool:
        return len(self.hypotheses) == self.size and not self._missing(self.hypotheses[-1])

    def add(self, hypothesis: Hypothesis) -> None:
        """Take the hypothesis if it is among the best; of equals the earlier one stays ahead."""
        self.hypotheses.append(hypothesis)
        self.hypotheses.sort(key=lambda each: (self._missing(each), -each.score))
        del self.hypotheses[self.size :]

    def _missing(self, hypothesis: Hypothesis) -> int:
        return sum(not is_there(phrase, hypothesis.tokens) for phrase in self.phrases)

    def is_settled(self, best_running: float) -> bool:
        """Return True if no running hypothesis, at best of this score, can change the result."""
        if best_running == -float("inf"):
            return True
        if not self.is_full:
            return False
        return self.early_stopping is True or not best_running > self.hypotheses[-1].score


def reachable_length(config: GenerationConfig, generated: int) -> int:
    """Return the length at which a running total is judged against finished scores (transformers'
    rule).

    Only "never" looks ahead: a total can but fall, while a positive penalty's divisor grows with
    the length, so the full length bounds what a hypothesis may still reach.
    """
    if config.early_stopping == "never" and config.length_penalty > 0:
        return config.max_new_tokens
    return generated


class Asked(NamedTuple):
    """A request of a search to the model."""

    rows: Int[Array, " new_rows"] | None  # the present rows to go on with; None: as they are
    tokens: Int[Array, " new_rows"] | Int[Array, "rows new"]  # to be read, a prompt at first
    best: int | None  # likeliest next tokens of each row that decide; None: the logits of all
    running: Running | None = None  # the hypotheses so far, of which `tokens` are the last


# Answered with the logits, (rows, vocab), alone; or with the log-probabilities of the `best`
# likeliest next tokens and those tokens, (rows, best) each.
Search = Generator[Asked, tuple[Array, ...], None]


def search(
    prompt: Int[Array, "batch prompt"],
    config: GenerationConfig,
    streams: Sequence[tuple[int, int]],
    results: list[NBest],
    *,
    prompt_mask: Bool[Array, "batch prompt"] | None = None,
    ends: Callable[[Sequence[int]], bool] | None = None,
    ranks: bool = True,
) -> Search:
    """Search from each prompt, (batch, prompt), until all have ended.

    Args:
        streams: sentence and sample number of each search, as in `uniform_draws`; as many for each
            prompt.
        results: filled, one for each search.
        prompt_mask, ends: as `generate` takes them.
        ranks: whether the model can give the likeliest tokens alone.
    """
    arrays, first = arrays_of(prompt), prompt[:, 0] if prompt.shape[1] == 1 else prompt
    alone = len(prompt) == 1 and isinstance(prompt, numpy.ndarray)
    greedy = config.width == 1 and not config.do_sample and not filters_for(config)
    keeps = config.top_logprobs is not None
    if alone and greedy and ranks and ends is None and not keeps:
        yield from _plainest(first, config, results[0])
        return
    chooser = chooser_for(config, streams, arrays)
    eos_ids = arrays.array(config.eos_ids, like=prompt)
    ranks = ranks and not keeps
    answer = yield Asked(None, first, chooser.needed(0) if ranks else None)
    history = prompt if prompt_mask is None else _padding_on_the_left(prompt, prompt_mask)
    repeated = None  # the row that each search begins with, where a prompt has several
    if len(results) > len(prompt):
        repeated = arrays.count(len(results), like=prompt) // (len(results) // len(prompt))
        answer, history = tuple(array[repeated] for array in answer), history[repeated]
    running = Running(
        searches=list(range(len(results))),
        totals=arrays.zeros(len(results), 1, like=prompt),
        history=history,
        log_probs=arrays.zeros(len(results), 0, like=prompt),
    )
    while True:
        if config.top_logprobs:
            running.keep_likeliest(answer[0], config.top_logprobs)
        if len(answer) == 1:
            candidates = chooser(answer[0], running)
        else:
            candidates = chooser.among(answer[0], answer[1], running)
        is_end = (candidates.tokens[:, :, None] == eos_ids).any(-1)
        if ends is not None:
            is_end = is_end | _ended(ends, candidates, running)
        at_limit = running.generated + 1 == config.max_new_tokens
        ended = is_end | at_limit
        if _looks_for_repetition(config, running.generated + 1):
            ended = ended | _ended(is_runaway, candidates, running)
        any_ended = bool(ended.any())
        if any_ended:
            _set_aside(candidates, ended, is_end, running, results, config)
        rows, tokens = _go_on(candidates, ended if any_ended else None, running, results, config)
        if not len(tokens):
            return
        if repeated is not None:
            rows, repeated = repeated if rows is None else repeated[rows], None
        best = chooser.needed(running.generated) if ranks else None
        answer = yield Asked(rows, tokens, best, running)


def _plainest(first: Array, config: GenerationConfig, result: NBest) -> Search:
    """Search greedily for one text, without filters: `search` in numbers where it has arrays,
    since a server has many of these."""
    tokens, log_probs, total = list[int](), list[float](), numpy.float32(0)
    request = Asked(None, first, 1)
    while True:
        values, best = yield request
        token, total = int(best[0, 0]), total + values[0, 0]
        if not total > -math.inf:
            return
        tokens.append(token)
        log_probs.append(float(values[0, 0]))
        is_end = token in config.eos_ids
        runaway = _looks_for_repetition(config, len(tokens)) and is_runaway(tokens)
        if is_end or runaway or len(tokens) == config.max_new_tokens:
            score = float(length_penalized(total, len(tokens), config.length_penalty))
            result.add(hypothesis_of(tokens, score, log_probs, is_end, config))
            return
        request = Asked(None, best[:, 0], 1)


def _looks_for_repetition(config: GenerationConfig, generated: int) -> bool:
    least = max(TOKENS, config.min_new_tokens)
    return config.cut_repetition and generated >= least and generated % EVERY == 0


def hypothesis_of(
    tokens: Sequence[int],
    score: float,
    log_probs: Sequence[float],
    finished: bool,
    config: GenerationConfig,
    likeliest: tuple[Likeliest, ...] = (),
) -> Hypothesis:
    """Return the hypothesis without what it says again and again, if it does."""
    again = repeats(tokens) if config.cut_repetition and not finished else 0
    end = len(tokens) - again
    return Hypothesis(tuple(tokens[:end]), score, tuple(log_probs[:end]), finished, likeliest[:end])


def check_possible(found: Iterable[object]) -> None:
    """Raise BadArgumentError where a search has found nothing: no hypotheses, or 0 of them."""
    if not all(found):
        raise BadArgumentError(
            "at least one token must be possible at each step; a sentence reached a step where"
            " every token was forbidden or NaN. Relax bad_words_ids, no_repeat_ngram_size or"
            " min_new_tokens, and check the model's weights."
        )


def _ended(
    ends: Callable[[Sequence[int]], bool], candidates: Candidates, running: Running
) -> Bool[Array, "searches candidates"]:
    start = running.history.shape[1] - running.generated
    pasts = running.history[:, start:].tolist()
    ended = [
        [ends([*pasts[row], token]) for row, token in zip(parents, tokens, strict=True)]
        for parents, tokens in zip(
            candidates.parents.tolist(), candidates.tokens.tolist(), strict=True
        )
    ]
    return arrays_of(candidates.tokens).array(ended, like=candidates.tokens)


def _set_aside(
    candidates: Candidates,
    ended: Bool[Array, "searches candidates"],
    is_end: Bool[Array, "searches candidates"],
    running: Running,
    results: list[NBest],
    config: GenerationConfig,
) -> None:
    """Add the hypotheses that end now to their searches' results.

    Of the candidates, only the best `width` may end; the others are there to go on in their place.
    """
    arrays, possible = arrays_of(ended), ended & (candidates.totals > -math.inf)
    search, column = arrays.nonzero(possible[:, : config.width])
    if not len(search):
        return
    generated = running.generated + 1
    parents = candidates.parents[search, column]
    start = running.history.shape[1] - running.generated
    tokens = arrays.join(
        [running.history[parents, start:], candidates.tokens[search, column, None]]
    )
    log_probs = arrays.join(
        [running.log_probs[parents], candidates.log_probs[search, column, None]]
    )
    scores = length_penalized(candidates.totals[search, column], generated, config.length_penalty)
    ended_now = zip(
        [running.searches[index] for index in search.tolist()],
        tokens.tolist(),
        scores.tolist(),
        log_probs.tolist(),
        is_end[search, column].tolist(),
        [running.likeliest[row] if running.likeliest else () for row in parents.tolist()],
        strict=True,
    )
    for number, its_tokens, score, its_log_probs, finished, likeliest in ended_now:
        results[number].add(
            hypothesis_of(its_tokens, score, its_log_probs, finished, config, likeliest)
        )


def _go_on(
    candidates: Candidates,
    ended: Bool[Array, "searches candidates"] | None,
    running: Running,
    results: list[NBest],
    config: GenerationConfig,
) -> tuple[Int[Array, " new_rows"] | None, Int[Array, " new_rows"]]:
    """Make the best candidates that have not ended the running ones, in searches not yet settled.

    Returns, for each row to come, the present row that it extends (None: each its own) and the
    token that it adds.
    """
    if ended is None:  # the candidates are in order, so the best are the first
        totals, parents, tokens, log_probs = (part[:, : config.width] for part in candidates)
    else:
        arrays = arrays_of(ended)
        open_totals = arrays.filled(candidates.totals, ended, -math.inf)
        totals, column = arrays.top(open_totals, min(config.width, ended.shape[1]))
        parents, tokens, log_probs = (arrays.take(part, column) for part in candidates[1:])
    if ended is not None or any(results[number].is_full for number in running.searches):
        length = reachable_length(config, running.generated + 1)
        best = length_penalized(totals[:, 0], length, config.length_penalty).tolist()
        going = [not results[n].is_settled(b) for n, b in zip(running.searches, best, strict=True)]
        if not all(going):
            running.searches = list(itertools.compress(running.searches, going))
            mask = arrays_of(totals).array(going, like=totals)
            totals, parents, tokens, log_probs = (
                part[mask] for part in (totals, parents, tokens, log_probs)
            )
    rows, new_tokens = parents.reshape(-1), tokens.reshape(-1)
    moved = None if leaves_in_place(rows, len(running.history)) else rows
    running.extend(moved, totals, new_tokens, log_probs.reshape(-1))
    return moved, new_tokens


def _padding_on_the_left(
    prompt: Int[Array, "batch prompt"], mask: Bool[Array, "batch prompt"]
) -> Int[Array, "batch prompt"]:
    arrays = arrays_of(prompt)
    _, order = arrays.sorted(mask)  # False, padding, first
    return arrays.take(arrays.filled(prompt, ~mask, NO_TOKEN), order)
