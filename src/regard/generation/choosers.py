"""Choosers: from the next token's logits to the candidates that extend each search."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple

import numpy

from regard.arrays import Array, Arrays, arrays_of
from regard.generation.config import GenerationConfig
from regard.generation.filters import Filter, acting, filters_for
from regard.generation.phrases import Ids, Phrase, is_there, reached

if TYPE_CHECKING:
    from regard.shapes import Float, Int

Likeliest = tuple[
    tuple[int, float], ...
]  # next tokens and their log-probabilities, likeliest first


class Chosen(NamedTuple):
    """A token of a hypothesis."""

    token: int
    log_prob: float  # the model's own, before any filter
    likeliest: Likeliest = ()  # `top_logprobs` of them


@dataclass
class Running:
    """The hypotheses being extended: `width` rows for each search that still runs, in order."""

    searches: list[int]  # the number of each search that still runs
    totals: Float[Array, "searches width"]  # summed log-probabilities; -inf: no hypothesis here
    history: Int[Array, "rows seen"]  # prompt and generated tokens
    log_probs: Float[Array, "rows generated"]  # the model's own, of the generated tokens
    # Of each row, at each step; empty where not asked for.
    likeliest: list[tuple[Likeliest, ...]] = field(default_factory=list)

    @property
    def generated(self) -> int:
        return int(self.log_probs.shape[1])

    @property
    def last(self) -> Chosen:
        """The last token of the first row."""
        likeliest = self.likeliest[0][-1] if self.likeliest else ()
        return Chosen(int(self.history[0, -1]), float(self.log_probs[0, -1]), likeliest)

    def extend(self, rows: Array | None, totals: Array, tokens: Array, log_probs: Array) -> None:
        """Each new row takes the history of one of the present `rows`, by default its own, and one
        token more."""
        history, past = self.history, self.log_probs
        if rows is not None:
            history, past = history[rows], past[rows]
            if self.likeliest:
                self.likeliest = [self.likeliest[row] for row in rows.tolist()]
        arrays, self.totals = arrays_of(history), totals
        self.history = arrays.join([history, tokens[:, None]])
        self.log_probs = arrays.join([past, log_probs[:, None]])

    def keep_likeliest(self, logits: Float[Array, "rows vocab"], count: int) -> None:
        """Keep the `count` likeliest next tokens of each row, by the model, before any filter."""
        arrays = arrays_of(logits)
        log_probs, tokens = arrays.top(arrays.log_softmax(logits), min(count, logits.shape[1]))
        step = [
            tuple(zip(*row, strict=True))
            for row in zip(tokens.tolist(), log_probs.tolist(), strict=True)
        ]
        past = self.likeliest or [()] * len(step)
        self.likeliest = [(*before, now) for before, now in zip(past, step, strict=True)]


def leaves_in_place(rows: Int[Array, " new_rows"], present: int) -> bool:
    """Return True if selecting `rows`, (new_rows,), would change nothing."""
    if len(rows) != present:
        return False
    return bool((rows == arrays_of(rows).count(present, like=rows)).all())


class Candidates(NamedTuple):
    """One-token extensions of each search's rows, best first."""

    totals: Float[Array, "searches candidates"]
    parents: Int[Array, "searches candidates"]  # the row that each extends
    tokens: Int[Array, "searches candidates"]
    log_probs: Float[Array, "searches candidates"]  # of the token, by the model, unfiltered


Extension = tuple[float, int, int]  # a total, the row that is extended and the token


class Chooser(ABC):
    """Chooses from logits or, where a row's likeliest tokens decide, from those alone."""

    @abstractmethod
    def __call__(self, logits: Float[Array, "rows vocab"], running: Running) -> Candidates: ...

    def needed(self, generated: int) -> int | None:
        """Return number of each row's likeliest tokens that decide; None: the logits of all."""
        return None

    def among(
        self,
        log_probs: Float[Array, "rows candidates"],
        tokens: Int[Array, "rows candidates"],
        running: Running,
    ) -> Candidates:
        """Chooses among the likeliest `needed` tokens of each row, (rows, candidates)."""
        raise AssertionError("this chooser reads all logits")


def chooser_for(
    config: GenerationConfig, streams: Sequence[tuple[int, int]], arrays: Arrays
) -> Chooser:
    """Return the chooser that the settings ask for.

    Args:
        streams: as in `uniform_draws`, for sampling only.
        arrays: of the library that decodes, whose global generator gives a seed where none is set.
    """
    filters = filters_for(config)
    if config.do_sample:
        seed = arrays.random_seed() if config.seed is None else config.seed
        return Sample(filters, uniform_draws(seed, streams, config.max_new_tokens))
    if config.forced_phrases:
        return ConstrainedBeamSearch(filters, config)
    return BeamSearch(filters, config) if config.rows > 1 else Greedy(filters)


class Greedy(Chooser):
    """The likeliest token."""

    def __init__(self, filters: Sequence[Filter]):
        self.filters = filters

    def __call__(self, logits: Array, running: Running) -> Candidates:
        filtered = _filtered(self.filters, logits, running)
        no_totals = arrays_of(filtered).zeros(len(filtered), 1, like=filtered)
        best, _, tokens = likeliest(filtered, no_totals, 1)
        return _one_each(_log_probs(logits, tokens), running, tokens, possible=best > -math.inf)

    def needed(self, generated: int) -> int | None:
        return None if acting(self.filters, generated) else 1

    def among(self, log_probs: Array, tokens: Array, running: Running) -> Candidates:
        return _one_each(log_probs, running, tokens, possible=log_probs > -math.inf)


class Sample(Chooser):
    """A token drawn from the filtered distribution, by inversion: one uniform number a step.

    Args:
        filters: applied before drawing.
        draws: (searches, max_new_tokens) numbers in [0, 1); a search reads its own row only.
    """

    def __init__(self, filters: Sequence[Filter], draws: Array):
        self.filters = filters
        self.draws = draws

    def __call__(self, logits: Array, running: Running) -> Candidates:
        filtered, arrays = _filtered(self.filters, logits, running), arrays_of(logits)
        draws = arrays.array(self.draws, like=logits)[running.searches, running.generated, None]
        # In double precision the product stays below the last sum, and a token of probability
        # zero, whose sum equals the one before it, is never the first to exceed the product.
        sums = arrays.sums(arrays.softmax(filtered), double=True)
        tokens = (sums[:, :-1] <= draws * sums[:, -1:]).sum(-1)[:, None]  # the last at most
        possible = arrays.take(filtered, tokens) > -math.inf
        return _one_each(_log_probs(logits, tokens), running, tokens, possible=possible)


class BeamSearch(Chooser):
    """The likeliest extensions over all rows of a search, enough of them that every row goes on.

    Of (1 + number of end-of-sentence tokens) · rows candidates, at least as many as there are rows
    do not end. Filters act on log-probabilities, and what they leave is what is summed.
    """

    def __init__(self, filters: Sequence[Filter], config: GenerationConfig):
        self.filters = filters
        self.num_candidates = max(2, 1 + len(config.eos_ids)) * config.rows

    def __call__(self, logits: Array, running: Running) -> Candidates:
        log_probs = arrays_of(logits).log_softmax(logits)
        filtered = _filtered(self.filters, log_probs, running)
        totals, parents, tokens = likeliest(filtered, running.totals, self.num_candidates)
        return Candidates(totals, parents, tokens, log_probs[parents, tokens])

    def needed(self, generated: int) -> int | None:
        return None if acting(self.filters, generated) else self.num_candidates

    def among(self, log_probs: Array, tokens: Array, running: Running) -> Candidates:
        arrays, (searches, width) = arrays_of(log_probs), running.totals.shape
        count = log_probs.shape[1]
        sums = log_probs.reshape(searches, width, count) + running.totals[:, :, None]
        number = min(self.num_candidates, width * count)
        totals, places = arrays.top(sums.reshape(searches, -1), number)
        places = places + arrays.count(searches, like=tokens)[:, None] * (width * count)
        chosen = (part.reshape(-1)[places] for part in (tokens, log_probs))
        return Candidates(totals, places // count, *chosen)


class ConstrainedBeamSearch(BeamSearch):
    """Beam search for texts that have each phrase, by dynamic beam allocation (Post & Vilar 2018).

    Beside the likeliest extensions of all rows, each row's likeliest token and the next one of each
    missing phrase are candidates. Those that lack as many tokens of phrases are a bank, and the
    places of a search are dealt to the banks in turn, so that a phrase comes where it costs least.
    No text ends before it has all.
    """

    def __init__(self, filters: Sequence[Filter], config: GenerationConfig):
        super().__init__(filters, config)
        self.phrases, self.eos_ids, self.width = config.forced_phrases, config.eos_ids, config.width

    def needed(self, generated: int) -> int | None:
        return None

    def __call__(self, logits: Array, running: Running) -> Candidates:
        arrays, (searches, width) = arrays_of(logits), running.totals.shape
        log_probs = arrays.log_softmax(logits)
        start = running.history.shape[1] - running.generated
        pasts = [tuple(past) for past in running.history[:, start:].tolist()]
        missing = [[each for each in self.phrases if not is_there(each, past)] for past in pasts]
        early = arrays.array([bool(phrases) for phrases in missing], like=logits)
        every = arrays.count(logits.shape[1], like=logits)[:, None]
        ends = (every == arrays.array(self.eos_ids, like=logits)).any(-1)
        filtered = _filtered(self.filters, log_probs, running)
        filtered = arrays.filled(filtered, early[:, None] & ends, -math.inf)
        likely = likeliest(filtered, running.totals, self.num_candidates)
        parents, tokens, best = (part.tolist() for part in (*likely[1:], filtered.argmax(-1)))
        sums, extensions = running.totals.reshape(-1), list[list[Extension]]()
        for search in range(searches):
            pairs = {*zip(parents[search], tokens[search], strict=True)}
            for row in range(search * width, (search + 1) * width):
                next_ones = {v[reached(v, pasts[row])] for each in missing[row] for v in each}
                pairs |= {(row, token) for token in next_ones | {best[row]}}
            rows, ids = (list(each) for each in zip(*sorted(pairs), strict=True))
            totals = (sums[rows] + filtered[rows, ids]).tolist()
            extensions.append(self._dealt(zip(totals, rows, ids, strict=True), pasts, missing))
        most = max(map(len, extensions))
        table = [[*its, *[(-math.inf, 0, 0)] * (most - len(its))] for its in extensions]
        columns = ([[each[k] for each in its] for its in table] for k in range(3))
        totals, rows, ids = (arrays.array(column, like=logits) for column in columns)
        return Candidates(arrays.floats(totals), rows, ids, log_probs[rows, ids])

    def _dealt(
        self, extensions: Iterable[Extension], pasts: list[Ids], missing: list[list[Phrase]]
    ) -> list[Extension]:
        """Those that end, and as many others as a search has places; the best of each first."""
        banks = defaultdict[int, list[Extension]](list)
        for total, row, token in sorted(extensions, key=lambda each: -each[0]):
            if total > -math.inf:
                past = (*pasts[row], token)
                lacks = (min(len(v) - reached(v, past) for v in each) for each in missing[row])
                banks[sum(lacks)].append((total, row, token))
        ended, others = list[Extension](), list[Extension]()
        for each in chain.from_iterable(zip_longest(*(banks[lacks] for lacks in sorted(banks)))):
            if each is not None and len(others) < self.width:
                (ended if each[2] in self.eos_ids else others).append(each)
        return ended + sorted(others, key=lambda each: -each[0])


def uniform_draws(
    seed: int, streams: Sequence[tuple[int, int]], length: int
) -> Float[numpy.ndarray, "searches length"]:
    """Numbers in [0, 1), (searches, length): a row for each stream of sentence and sample number.

    A row depends on the seed and its own stream alone, so a sample is the same whatever else is
    in the batch and whichever library decodes, and sample 0 is the same however many are asked for.
    Philox (Salmon et al. 2011), whose numbers stay the same in every version of numpy.
    """
    sources = (numpy.random.SeedSequence((seed, *stream)) for stream in streams)
    bits = [numpy.random.Philox(source).random_raw(length) for source in sources]
    return (numpy.stack(bits) >> 11) * 2.0**-53


def likeliest(
    scores: Float[Array, "rows vocab"], totals: Float[Array, "searches width"], count: int
) -> tuple[Array, Array, Array]:
    """Return the `count` best of totals (searches, width) + scores (rows, vocab) in each search,
    over its rows and the whole vocabulary.

    Returns sums, rows and tokens, each (searches, candidates), best first; there are fewer than
    `count` when width · vocab is less. Exact, and some three times as fast as one topk on a CPU:
    the best tokens lie in the blocks with the best maxima, so only those blocks are sorted.
    """
    arrays, (searches, width), vocab = arrays_of(scores), totals.shape, scores.shape[1]
    if vocab % _BLOCK:
        scores = arrays.padded(scores, -vocab % _BLOCK, -math.inf)
    per_row = scores.shape[1] // _BLOCK
    blocks = scores.reshape(searches, width * per_row, _BLOCK)
    by_row = arrays.largest(blocks).reshape(searches, width, per_row) + totals[:, :, None]
    maxima = by_row.reshape(searches, -1)
    _, chosen = arrays.top(maxima, min(count, maxima.shape[1]), ordered=False)
    sums = arrays.take(blocks, chosen) + arrays.take(totals, chosen // per_row)[:, :, None]
    best, index = arrays.top(sums.reshape(searches, -1), min(count, width * vocab))
    place = arrays.take(chosen, index // _BLOCK) * _BLOCK + index % _BLOCK
    row, tokens = place // (per_row * _BLOCK), place % (per_row * _BLOCK)
    if searches > 1:
        row = row + arrays.count(searches, like=scores)[:, None] * width
    # Where fewer tokens are possible than asked for, a sum is -inf and its token may be padding.
    return best, row, tokens.clip(max=vocab - 1)


_BLOCK = 64


def _filtered(filters: Sequence[Filter], logits: Array, running: Running) -> Array:
    filtered = arrays_of(logits).floats(logits)
    for filter_ in filters:
        filtered = filter_(filtered, running.history, running.generated)
    return filtered


def _log_probs(logits: Array, tokens: Array) -> Array:
    """Return the model's own, of one token of each row: (rows, vocab) and (rows, 1) → (rows, 1)."""
    arrays = arrays_of(logits)
    return arrays.take(arrays.log_softmax(logits), tokens)


def _one_each(log_probs: Array, running: Running, tokens: Array, possible: Array) -> Candidates:
    """Candidates of searches that have one row and choose one token, scored by the model itself."""
    arrays = arrays_of(log_probs)
    totals = arrays.filled(running.totals + log_probs, ~possible, -math.inf)
    rows = arrays.count(len(tokens), like=tokens)[:, None]
    return Candidates(totals, rows, tokens, log_probs)
