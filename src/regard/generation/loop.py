"""The generation loop: step the decoder, choose, set aside what has ended, go on with the rest."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from regard.errors import BadArgumentError
from regard.generation.arrays import Array, arrays_of
from regard.generation.choosers import Candidates, Running, chooser_for, leaves_in_place
from regard.generation.config import GenerationConfig
from regard.generation.decoder import Decoder, RankingDecoder
from regard.generation.filters import NO_TOKEN
from regard.progress import report

if TYPE_CHECKING:
    from jaxtyping import Bool, Float, Int


@dataclass(frozen=True)
class Hypothesis:
    """One generated sequence."""

    tokens: tuple[int, ...]  # after the prompt; the end-of-sentence token is included
    score: float  # what it was ranked by: the sum of log-probabilities / length ** length_penalty
    token_logprobs: tuple[float, ...]  # the model's own, of each token, before any filter
    finished: bool  # False: cut off at max_new_tokens


def length_penalized(
    totals: Float[Array, "*any"], length: int, length_penalty: float
) -> Float[Array, "*any"]:
    """Summed log-probabilities (…) as transformers scores them: totals / length ** length_penalty.

    `length` counts generated tokens, the end of sentence included and the prompt not.
    """
    return totals / length**length_penalty


class NBest:
    """The best hypotheses that one search has finished, best first."""

    def __init__(self, config: GenerationConfig):
        self.size = config.num_beams
        self.early_stopping = config.early_stopping
        self.hypotheses: list[Hypothesis] = []

    @property
    def is_full(self) -> bool:
        return len(self.hypotheses) == self.size

    def add(self, hypothesis: Hypothesis) -> None:
        """Takes the hypothesis if it is among the best; of equals the earlier one stays ahead."""
        self.hypotheses.append(hypothesis)
        self.hypotheses.sort(key=lambda each: -each.score)
        del self.hypotheses[self.size :]

    def is_settled(self, best_running: float) -> bool:
        """Whether to stop, given the best score that a hypothesis still running may reach."""
        if best_running == -float("inf"):
            return True
        if not self.is_full:
            return False
        return self.early_stopping is True or not best_running > self.hypotheses[-1].score


def reachable_length(config: GenerationConfig, generated: int) -> int:
    """The length at which a running total is judged against finished scores (transformers' rule).

    Only "never" looks ahead: a total can but fall, while a positive penalty's divisor grows with
    the length, so the full length bounds what a hypothesis may still reach.
    """
    if config.early_stopping == "never" and config.length_penalty > 0:
        return config.max_new_tokens
    return generated


def generate(
    decoder: Decoder,
    prompt: Int[Array, "batch prompt"],
    config: GenerationConfig,
    *,
    prompt_mask: Bool[Array, "batch prompt"] | None = None,
    sentence_numbers: Sequence[int] | None = None,
    ends: Callable[[Sequence[int]], bool] | None = None,
) -> list[list[Hypothesis]]:
    """The best hypotheses for each sentence: of a beam search best first, of sampling as drawn.

    A sentence that is done leaves the decoder, so its rows cost nothing from then on. A beam
    search may return fewer than num_return_sequences when no more sequences are possible.

    >>> from regard.models import EncoderDecoder, preset
    >>> model = EncoderDecoder(preset("tiny", vocab_size=100)).eval()
    >>> config = GenerationConfig(
    ...     max_new_tokens=5, num_beams=3, eos_token_id=1, pad_token_id=0, decoder_start_token_id=0
    ... )
    >>> sources = torch.tensor([[5, 6, 1], [7, 8, 1]])
    >>> with torch.no_grad():
    ...     found = generate(model.start(sources), config.start(2), config)
    >>> len(found), len(found[0]), len(found[0][0].tokens) <= 5
    (2, 1, True)

    Args:
        decoder: fresh, with one row for each sentence. It gets and gives what the prompt is:
            tensors of torch, or arrays of numpy.
        prompt: what it reads first, (batch, prompt); `config.start(batch)` for an encoder–decoder.
        prompt_mask: (batch, prompt), True where the prompt is a token, False where it is padding
            (on either side), so that filters which look back see the same history in every batch.
        sentence_numbers: what sets each sentence's random numbers apart under one seed; the place
            in the batch by default. Give the place in the whole input, and how it is cut into
            batches does not matter.
        ends: says of a hypothesis's new tokens whether the last of them ends it, as an
            end-of-sentence token does.

    Raises:
        BadArgumentError: the prompt or its mask has the wrong shape, or the filters forbid every
            token.
    """
    _check_prompt(prompt, prompt_mask, sentence_numbers)
    batch = len(prompt)
    if not batch:
        return []
    samples = config.num_return_sequences if config.do_sample else 1
    numbers = range(batch) if sentence_numbers is None else sentence_numbers
    streams = [(number, sample) for number in numbers for sample in range(samples)]
    results = [NBest(config) for _ in streams]
    for _ in _steps(decoder, prompt, prompt_mask, config, streams, results, ends):
        pass
    _check_possible(results)
    if config.do_sample:
        drawn = [result.hypotheses[0] for result in results]
        return [drawn[first : first + samples] for first in range(0, len(drawn), samples)]
    return [result.hypotheses[: config.num_return_sequences] for result in results]


def stream(
    decoder: Decoder,
    prompt: Int[Array, "1 prompt"],
    config: GenerationConfig,
    *,
    ends: Callable[[Sequence[int]], bool] | None = None,
) -> Generator[int, None, Hypothesis]:
    """The new tokens of one sentence, each as soon as it is chosen: those that `generate` gives
    for its prompt, (1, prompt).

    Returns (`hypothesis = yield from stream(…)`) the hypothesis that they make up.

    >>> from regard.models import Decoder, decoder_preset
    >>> model = Decoder(decoder_preset("tiny", vocab_size=100)).eval()
    >>> prompt, config = torch.tensor([[5, 6]]), GenerationConfig(max_new_tokens=4)
    >>> with torch.no_grad():
    ...     tokens = list(stream(model.start(), prompt, config))
    >>> len(tokens)
    4

    Raises:
        BadArgumentError: as `generate`; a batch, several samples, or a beam search, which decides
            on its first token last.
    """
    _check_prompt(prompt, None, None)
    if len(prompt) != 1 or config.num_return_sequences > 1:
        raise BadArgumentError(
            f"a stream generates one sentence; got {len(prompt)} with num_return_sequences ="
            f" {config.num_return_sequences}. Generate several without a stream."
        )
    if config.num_beams > 1:
        raise BadArgumentError(
            f"a beam search cannot stream, since its best beam may change until the end; got"
            f" num_beams={config.num_beams}. Set num_beams=1, or generate without a stream."
        )
    results = [NBest(config)]
    for chosen in _steps(decoder, prompt, None, config, [(0, 0)], results, ends):
        if bool(chosen.totals[0, 0] > -math.inf):
            yield int(chosen.tokens[0, 0])
    _check_possible(results)
    return results[0].hypotheses[0]


def _steps(
    decoder: Decoder,
    prompt: Int[Array, "batch prompt"],
    prompt_mask: Bool[Array, "batch prompt"] | None,
    config: GenerationConfig,
    streams: Sequence[tuple[int, int]],
    results: list[NBest],
    ends: Callable[[Sequence[int]], bool] | None,
) -> Iterator[Candidates]:
    """Fills `results`, one for each search; gives what was chosen at each step on the way."""
    arrays = arrays_of(prompt)
    chooser = chooser_for(config, streams, arrays)
    eos_ids = arrays.array(config.eos_ids, like=prompt)

    ranks = isinstance(decoder, RankingDecoder)

    def read(tokens: Array, generated: int) -> tuple[Array, ...]:
        """The next logits; where the likeliest tokens decide, their log-probabilities and ids."""
        count = chooser.needed(generated) if ranks else None
        with arrays.no_gradients():
            if count is None:
                return (decoder.step(tokens),)
            return cast(RankingDecoder, decoder).likeliest(tokens, count)

    found = read(prompt[:, 0] if prompt.shape[1] == 1 else prompt, 0)
    history = prompt if prompt_mask is None else _padding_on_the_left(prompt, prompt_mask)
    if len(results) > len(prompt):
        rows = arrays.count(len(results), like=prompt) // (len(results) // len(prompt))
        decoder.select(rows)
        found, history = tuple(each[rows] for each in found), history[rows]
    running = Running(
        searches=list(range(len(results))),
        totals=arrays.zeros(len(results), 1, like=prompt),
        history=history,
        log_probs=arrays.zeros(len(results), 0, like=prompt),
    )
    while True:
        if len(found) == 1:
            candidates = chooser(found[0], running)
        else:
            candidates = chooser.among(found[0], found[1], running)
        is_end = (candidates.tokens[:, :, None] == eos_ids).any(-1)
        if ends is not None:
            is_end = is_end | _ended(ends, candidates, running)
        at_limit = running.generated + 1 == config.max_new_tokens
        ended = is_end | at_limit
        any_ended = bool(ended.any())
        if any_ended:
            _set_aside(candidates, ended, is_end, running, results, config)
        rows, tokens = _go_on(candidates, ended if any_ended else None, running, results, config)
        yield candidates
        if not len(tokens):
            return
        if rows is not None:
            decoder.select(rows)
        report("generating", running.generated, config.max_new_tokens)
        found = read(tokens, running.generated)


def _ended(
    ends: Callable[[Sequence[int]], bool], candidates: Candidates, running: Running
) -> Bool[Array, "searches candidates"]:
    start = running.history.shape[1] - running.generated
    pasts = running.history[:, start:].tolist()
    found = [
        [ends([*pasts[row], token]) for row, token in zip(parents, tokens, strict=True)]
        for parents, tokens in zip(
            candidates.parents.tolist(), candidates.tokens.tolist(), strict=True
        )
    ]
    return arrays_of(candidates.tokens).array(found, like=candidates.tokens)


def _set_aside(
    candidates: Candidates,
    ended: Bool[Array, "searches candidates"],
    is_end: Bool[Array, "searches candidates"],
    running: Running,
    results: list[NBest],
    config: GenerationConfig,
) -> None:
    """Adds the hypotheses that end now to their searches' results.

    Only the num_beams best candidates may end; the others are there to go on in their place.
    """
    arrays, possible = arrays_of(ended), ended & (candidates.totals > -math.inf)
    search, column = arrays.nonzero(possible[:, : config.num_beams])
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
        strict=True,
    )
    for number, its_tokens, score, its_log_probs, finished in ended_now:
        results[number].add(Hypothesis(tuple(its_tokens), score, tuple(its_log_probs), finished))


def _go_on(
    candidates: Candidates,
    ended: Bool[Array, "searches candidates"] | None,
    running: Running,
    results: list[NBest],
    config: GenerationConfig,
) -> tuple[Int[Array, " new_rows"] | None, Int[Array, " new_rows"]]:
    """Makes the best candidates that have not ended the running ones, in searches not yet settled.

    Returns, for each row to come, the present row that it extends (None: each its own) and the
    token that it adds.
    """
    if ended is None:  # the candidates are in order, so the best are the first
        totals, parents, tokens, log_probs = (part[:, : config.num_beams] for part in candidates)
    else:
        arrays = arrays_of(ended)
        open_totals = arrays.filled(candidates.totals, ended, -math.inf)
        totals, column = arrays.top(open_totals, min(config.num_beams, ended.shape[1]))
        parents, tokens, log_probs = (arrays.take(part, column) for part in candidates[1:])
    if ended is not None or any(results[number].is_full for number in running.searches):
        length = reachable_length(config, running.generated + 1)
        best = length_penalized(totals[:, 0], length, config.length_penalty).tolist()
        going = [not results[n].is_settled(b) for n, b in zip(running.searches, best, strict=True)]
        if not all(going):
            running.searches = list(itertools.compress(running.searches, going))
            kept = arrays_of(totals).array(going, like=totals)
            totals, parents, tokens, log_probs = (
                part[kept] for part in (totals, parents, tokens, log_probs)
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


def _check_possible(results: list[NBest]) -> None:
    if not all(result.hypotheses for result in results):
        raise BadArgumentError(
            "at least one token must be possible at each step; a sentence reached a step where"
            " every token was forbidden or NaN. Relax bad_words_ids, no_repeat_ngram_size or"
            " min_new_tokens, and check the model's weights."
        )


def _check_prompt(
    prompt: Array, mask: Array | None, sentence_numbers: Sequence[int] | None
) -> None:
    if prompt.ndim != 2 or not prompt.shape[1]:
        raise BadArgumentError(
            f"prompt must be (batch, length) with at least one token; got {tuple(prompt.shape)}."
        )
    if mask is not None and (mask.shape != prompt.shape or "bool" not in str(mask.dtype)):
        raise BadArgumentError(
            f"prompt_mask must be boolean and of the prompt's shape {tuple(prompt.shape)};"
            f" got {mask.dtype} {tuple(mask.shape)}."
        )
    if sentence_numbers is not None and len(sentence_numbers) != len(prompt):
        raise BadArgumentError(
            f"sentence_numbers must have one number for each of {len(prompt)} sentences;"
            f" got {len(sentence_numbers)}."
        )
