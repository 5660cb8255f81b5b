"""A model that writes, in the native engine: arrays in, hypotheses or logits out.

Greedy and beam search run in the engine as a whole; what samples, streams or ends by a function of
Python is the search of `generation`, which asks the engine for logits. No text changes a bit of
another: the engine computes every row by sums of its own, in one order.
"""

import itertools
from collections.abc import Callable, Sequence
from ctypes import byref, c_int64, c_void_p
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.engine.native import interface, library
from regard.engine.native.library import Threads, int32, is_listened_to, pointer_to
from regard.engine.native.texts import Ints, Limits, check_length, padded_on_the_right
from regard.errors import BadArgumentError
from regard.generation import GenerationConfig, Hypothesis, generate
from regard.generation.filters import NO_TOKEN, BadWords, filters_for
from regard.generation.loop import check_prompt
from regard.generation.search import check_possible
from regard.progress import report

SECONDS = 0.1  # that a search computes before Python goes on
ROWS, LOGITS = 256, 2**25  # hypotheses that are computed together, and their logits, at most
EARLY_STOPPING = (False, True, "never")


class NativeWriter:
    """A model that writes.

    Args:
        pointer: of the library's model, which ends with this object.
        vocab: of what it writes.
        width: d_model.
        threads: that share a batch's texts, or one text.
    """

    def __init__(self, pointer: int, limits: Limits, vocab: int, width: int, threads: Threads):
        self._library, self.pointer = library.library(), pointer
        self.limits, self.vocab, self._width, self.threads = limits, vocab, width, threads
        library.freeing(self, self._library.regard_close, pointer)

    def check(self, status: int, reason: str | None = None) -> None:
        """Raise the error that a function of the library reports; see `library.check`."""
        too_long = lambda length: check_length(length, self.limits.max_positions)  # noqa: E731
        library.check(status, too_long, reason)

    def logits(self, states: NDArray[np.float32], *, threads: int = 1) -> NDArray[np.float32]:
        """States, (length, d_model) → the logits of what follows, (length, vocab)."""
        logits = np.empty((len(states), self.vocab), np.float32)
        with self.threads.of_call() as least:
            status = self._library.regard_head(
                *(self.pointer, pointer_to(states), len(states)),
                *(max(threads, least), pointer_to(logits)),
            )
        self.check(status)
        return logits

    def _searched(
        self, ids: Ints, config: GenerationConfig, start: int, batch_size: int
    ) -> list[list[Hypothesis]]:
        """Search greedily or with beams, in the engine alone; a text that ends makes room for the
        next."""
        if not len(ids):
            return []
        settings, _arrays = settings_of(config, start, self.vocab)
        texts, search, done = int32(ids), c_void_p(), c_int64()
        rows = max(1, min(batch_size * config.rows, ROWS, LOGITS // self.vocab))
        with self.threads.of_call() as threads:
            try:
                self.check(
                    self._library.regard_search_open(
                        *(self.pointer, pointer_to(texts), *texts.shape, byref(settings)),
                        *(threads, rows, byref(search)),
                    )
                )
                while done.value < len(ids):  # signals are handled, and work is stopped, between
                    self.check(self._library.regard_search_run(search, SECONDS, byref(done)))
                    report("generating", done.value, len(ids))
                hypotheses = interface.Hypotheses()
                self.check(self._library.regard_search_read(search, byref(hypotheses)))
                return hypotheses_of(hypotheses)
            finally:
                self._library.regard_search_close(search)


class NativeEncoderDecoder(NativeWriter):
    """An encoder–decoder."""

    def generate(
        self,
        source: Ints,
        prompt: Ints,
        config: GenerationConfig,
        numbers: Sequence[int] | None = None,
        *,
        batch_size: int = ROWS,
    ) -> list[list[Hypothesis]]:
        """Return the best hypotheses for each source, (batch, source length).

        Args:
            prompt, config, numbers: as `generation.generate` takes them.
            batch_size: sources that a thread decodes together, at most, where `is_searched`.
        """
        source = self.limits.sources(source)
        if (
            is_listened_to()
            or not is_searched(config)
            or prompt.shape[1] != 1
            or (len(prompt) > 1 and (prompt != prompt[:1]).any())
        ):
            return generate(self.start(source), prompt, config, sentence_numbers=numbers)
        start = int(prompt[0, 0]) if len(prompt) else 0
        return self._searched(source, config, start, batch_size)

    def states_beside(self, source: Ints, target: Ints) -> NDArray[np.float32]:
        """Return the last states, (1, target length, d_model), of one target as its tokens are
        read, (1, target length), beside its source, (1, source length)."""
        self.limits.check(source)
        check_length(target.shape[1], self.limits.max_positions)
        read, written = int32(source[0]), int32(target[0])
        states = np.empty((len(written), self._width), np.float32)
        with self.threads.of_call() as threads:
            status = self._library.regard_read_pair(
                *(self.pointer, pointer_to(read), len(read), pointer_to(written), len(written)),
                *(threads, pointer_to(states)),
            )
        self.check(status)
        return states[None]

    def start(self, source: Ints) -> "Batch":
        """Encode source ids, (batch, source length), for generation to decode step by step."""
        source = self.limits.sources(source)
        slots = Slots(self)
        return Batch(self, slots, slots.add(source) if len(source) else [])


class NativeSpeech(NativeWriter):
    """An encoder of sounds with a decoder of their text.

    Args:
        shape: of a spectrogram, (mel_bins, frames).
    """

    def __init__(self, shape: tuple[int, int], *others: Any):
        super().__init__(*others)
        self._shape = shape

    def states_beside(self, source: NDArray[np.float32], target: Ints) -> NDArray[np.float32]:
        """Return the last states, (1, target length, d_model), of one text as its tokens are read,
        (1, target length), beside its spectrogram, (1, mel_bins, frames)."""
        check_length(target.shape[1], self.limits.max_positions)
        frames, read = self._frames(source), int32(target[0])
        states = np.empty((len(read), self._width), np.float32)
        with self.threads.of_call() as threads:
            status = self._library.regard_read_sound(
                *(self.pointer, pointer_to(frames), pointer_to(read), len(read)),
                *(threads, pointer_to(states)),
            )
        self.check(status)
        return states[None]

    def start(self, source: NDArray[np.float32]) -> "Batch":
        """Encode spectrograms, (batch, mel_bins, frames), for generation to decode step by
        step."""
        slots = Slots(self)
        return Batch(self, slots, slots.add_sounds(self._frames(source)))

    def _frames(self, source: NDArray[np.float32]) -> NDArray[np.float32]:
        """(batch, mel_bins, frames) → (batch, frames, mel_bins)."""
        if source.shape[1:] != self._shape:
            raise BadArgumentError(
                f"a spectrogram must be (batch, mel_bins, frames) with {self._shape} after batch;"
                f" got {source.shape}. Pad or cut the sound."
            )
        return np.ascontiguousarray(source.transpose(0, 2, 1), np.float32)


class NativeDecoder(NativeWriter):
    """A language model."""

    def generate(
        self,
        prompt: Ints,
        config: GenerationConfig,
        *,
        prompt_mask: NDArray[np.bool_] | None = None,
        sentence_numbers: Sequence[int] | None = None,
        ends: Callable[[Sequence[int]], bool] | None = None,
        batch_size: int = ROWS,
    ) -> list[list[Hypothesis]]:
        """Return the best hypotheses for each prompt, (batch, prompt); the arguments are those of
        `generation.generate` and, `batch_size`, of `NativeEncoderDecoder.generate`."""
        if is_listened_to() or not is_searched(config) or ends is not None:
            return generate(
                self.start(prompt_mask),
                prompt,
                config,
                prompt_mask=prompt_mask,
                sentence_numbers=sentence_numbers,
                ends=ends,
            )
        check_prompt(prompt, prompt_mask, sentence_numbers)
        tokens, read = self.prompts(prompt, prompt_mask)
        return self._searched(np.where(read, tokens, NO_TOKEN), config, NO_TOKEN, batch_size)

    def start(self, attention_mask: NDArray[np.bool_] | None = None) -> "Batch":
        """Return the rows by which generation reads a prompt, (rows, length), and decodes.

        Args:
            attention_mask: (rows, length), False for padding, on either side.
        """
        return Batch(self, Slots(self), attention_mask=attention_mask)

    def hidden(
        self, ids: Ints, documents: Ints | None = None, *, threads: int = 1
    ) -> NDArray[np.float32]:
        """Return the last states, (batch, length, d_model), of texts that are read and not
        continued.

        Args:
            ids: (batch, length).
            documents: (batch, length), as `Decoder.hidden` of the model takes them.
            threads: that share the documents.
        """
        self.limits.check(ids)
        begins = np.ones(ids.shape, bool)
        begins[:, 1:] = False if documents is None else documents[:, 1:] != documents[:, :-1]
        firsts = np.flatnonzero(begins)
        lengths = int32(np.diff(firsts, append=ids.size))
        tokens, positions = int32(ids), int32(np.arange(ids.size) - np.repeat(firsts, lengths))
        states = np.empty((*ids.shape, self._width), np.float32)
        with self.threads.of_call() as least:
            status = self._library.regard_read_texts(
                *(self.pointer, pointer_to(tokens), pointer_to(positions), None, ids.size),
                *(pointer_to(lengths), len(lengths), max(threads, least), pointer_to(states)),
            )
        self.check(status)
        return states

    def prompts(
        self, prompt: Ints, mask: NDArray[np.bool_] | None
    ) -> tuple[Ints, NDArray[np.bool_]]:
        """Prompts with their padding behind them, (rows, longest), and where they are tokens."""
        mask = np.ones(prompt.shape, bool) if mask is None else mask
        tokens, lengths = padded_on_the_right(prompt, mask)
        self.limits.check(tokens)
        return tokens, np.arange(tokens.shape[1]) < lengths[:, None]


@dataclass(eq=False)
class Slot:
    """The place of a text."""

    index: int


class Slots:
    """Places of texts that come and go between two steps, each of as many rows as it needs."""

    def __init__(self, model: NativeWriter):
        self._model, self._library = model, library.library()
        threads = model.threads.take()
        library.freeing(self, model.threads.give)
        self._pointer = self._library.regard_begin(model.pointer, threads)
        if not self._pointer:
            library.refuse(interface.MEMORY)
        library.freeing(self, self._library.regard_end, self._pointer)

    def add(self, source: Ints, mask: NDArray[np.int32] | None = None) -> list[Slot]:
        """Encode sources, (batch, source length), and give each a slot; padding is the model's
        pad_id. A text of a language model has no source: its length is 0."""
        ids, numbers = int32(source), np.empty(len(source), np.int32)
        self._model.check(
            self._library.regard_add(
                self._pointer, pointer_to(ids), *ids.shape, pointer_to(numbers)
            )
        )
        return [Slot(number) for number in numbers.tolist()]

    def add_sounds(self, frames: NDArray[np.float32]) -> list[Slot]:
        """Encode sounds, (batch, frames, mel_bins), and give each a slot."""
        numbers = np.empty(len(frames), np.int32)
        self._model.check(
            self._library.regard_add_sounds(
                self._pointer, pointer_to(frames), len(frames), pointer_to(numbers)
            )
        )
        return [Slot(number) for number in numbers.tolist()]

    def remove(self, slot: Slot) -> None:
        """Frees a slot."""
        self._model.check(self._library.regard_remove(self._pointer, slot.index))

    def select(self, slot: Slot, rows: Ints) -> None:
        """Make copies of these rows the rows of a slot."""
        chosen = int32(rows)
        status = self._library.regard_select(
            self._pointer, slot.index, pointer_to(chosen), len(chosen)
        )
        self._model.check(status)

    def read(
        self,
        slots: Sequence[Slot],
        tokens: Ints,
        lengths: Ints | None = None,
        *,
        with_logits: bool,
        count: int,
    ) -> tuple[Any, Any, Any]:
        """Read tokens in each row of these slots, (tokens,) in their order: the next logits,
        (rows, vocab), and the `count` likeliest tokens' log-probabilities and ids, (rows, count);
        empty where they are not asked for.

        Args:
            lengths: how many tokens each row reads, (rows,); None: one.
        """
        read = int32(np.ones(len(tokens), int) if lengths is None else lengths)
        rows, count = len(read), min(count, self._model.vocab)
        logits = np.empty((rows if with_logits else 0, self._model.vocab), np.float32)
        log_probs = np.empty((rows, count), np.float32)
        best = np.empty((rows, count), np.int32)
        numbers = np.array([slot.index for slot in slots], np.int32)
        ids = int32(tokens)
        status = self._library.regard_step(
            self._pointer,
            pointer_to(numbers),
            len(numbers),
            pointer_to(ids),
            pointer_to(read),
            rows,
            pointer_to(logits) if with_logits else None,
            count,
            pointer_to(log_probs) if count else None,
            pointer_to(best) if count else None,
        )
        self._model.check(status)
        return logits, log_probs, best.astype(np.int64)


class Batch:
    """Texts that begin together, and leave when they are done: generation's `RankingDecoder`.

    Args:
        taken: slots of the texts; none yet, where they begin with a prompt.
        attention_mask: of that prompt, as `NativeDecoder.start` takes it.
    """

    def __init__(
        self,
        model: NativeWriter,
        slots: Slots,
        taken: Sequence[Slot] = (),
        attention_mask: NDArray[np.bool_] | None = None,
    ):
        self._model, self._slots, self._mask = model, slots, attention_mask
        self._rows = [(slot, 0) for slot in taken]

    @property
    def slots_taken(self) -> list[Slot]:
        """Slots of its rows, in the order of the engine."""
        slots = {slot.index: slot for slot, _ in self._rows}
        return [slots[index] for index in sorted(slots)]

    def step(self, tokens: Ints) -> NDArray[np.float32]:
        """Append tokens, (rows,) or (rows, new), and returns the next logits, (rows, vocab)."""
        logits: NDArray[np.float32] = self._read(tokens, with_logits=True, count=0)[0]
        return logits

    def likeliest(self, tokens: Ints, count: int) -> tuple[NDArray[np.float32], Ints]:
        """Append tokens as `step` does, and returns the log-probabilities of the `count` likeliest
        next tokens and their ids, (rows, count) each, likeliest first."""
        _, log_probs, best = self._read(tokens, with_logits=False, count=count)
        return log_probs, best

    def select(self, rows: Ints) -> None:
        """Keep, repeats or reorders rows; `rows` holds indices of current rows, (new rows,)."""
        chosen = [self._rows[row] for row in rows.tolist()]
        parents: dict[int, list[int]] = {slot.index: [] for slot, _ in self._rows}
        slots = {slot.index: slot for slot, _ in self._rows}
        self._rows = []
        for slot, row in chosen:
            self._rows.append((slot, len(parents[slot.index])))
            parents[slot.index].append(row)
        for index, those in parents.items():
            if those:
                self._slots.select(slots[index], np.array(those))
            else:
                self._slots.remove(slots[index])

    def _read(self, tokens: Ints, **asked: Any) -> tuple[Any, Any, Any]:
        """Return the engine has the rows of a text side by side."""
        tokens = tokens.reshape(len(tokens), -1)
        read = np.ones(tokens.shape, bool)
        if not self._rows and isinstance(self._model, NativeDecoder):
            tokens, read = self._model.prompts(tokens, self._mask)
            taken = self._slots.add(np.empty((len(tokens), 0), np.int64))
            self._rows = [(slot, 0) for slot in taken]
        order = sorted(range(len(self._rows)), key=lambda row: self._rows[row][0].index)
        tokens, read = tokens[order], read[order]
        arrays = self._slots.read(self.slots_taken, tokens[read], read.sum(1), **asked)
        back = np.argsort(order)
        logits, log_probs, best = arrays
        return logits[back] if len(logits) else logits, log_probs[back], best[back]


def is_searched(config: GenerationConfig) -> bool:
    """Return True if texts are searched in the engine as a whole."""
    with_times = config.timestamps_from is not None
    rules = (config.forced_phrases, config.suppress_tokens, config.begin_suppress_tokens)
    keeps = config.top_logprobs is not None
    return not (config.do_sample or with_times or keeps or any(rules))


def hypotheses_of(found: interface.Hypotheses) -> list[list[Hypothesis]]:
    """Copy of the library's hypotheses, of each text.

    Raises:
        BadArgumentError: no token was possible.
    """
    counts, lengths, scores, finished, ids, log_probs = (
        list(getattr(found, name)[: getattr(found, size)])
        for name, size in (
            ("counts", "texts"),
            ("lengths", "hypotheses"),
            ("scores", "hypotheses"),
            ("finished", "hypotheses"),
            ("ids", "tokens"),
            ("log_probs", "tokens"),
        )
    )
    ends = list(itertools.accumulate(lengths))
    hypotheses = iter(
        Hypothesis(
            tuple(ids[end - length : end]),
            score,
            tuple(log_probs[end - length : end]),
            bool(is_finished),
        )
        for end, length, score, is_finished in zip(ends, lengths, scores, finished, strict=True)
    )
    check_possible(counts)
    return [list(itertools.islice(hypotheses, count)) for count in counts]


@lru_cache(maxsize=256)
def settings_of(config: GenerationConfig, start: int, vocab: int) -> tuple[Any, list[Any]]:
    """Return the library's settings, and the arrays that they point to."""
    words: tuple[tuple[int, ...], ...] = ()
    for rule in filters_for(config):
        if hasattr(rule, "check"):
            rule.check(vocab)
        if isinstance(rule, BadWords):
            words = rule.words
    lists = {
        "eos_ids": config.eos_ids,
        "forced_beginning": config.forced_beginning or (),
        "bad_words": tuple(itertools.chain(*words)),
        "bad_word_lengths": tuple(map(len, words)),
    }
    arrays = {name: np.array(values, np.int32) for name, values in lists.items()}
    names = {field[0] for field in interface.Generation._fields_}
    same = {name: value for name, value in vars(config).items() if name in names}
    nothing = {"forced_bos_token_id": -1, "forced_eos_token_id": -1}
    same |= {name: value for name, value in nothing.items() if same[name] is None}
    same |= {name: pointer_to(array) for name, array in arrays.items()}
    settings = interface.Generation(
        **same
        | dict(
            start_id=start,
            seed=0,  # what samples is no search of the engine here
            early_stopping=EARLY_STOPPING.index(config.early_stopping),
            eos_count=len(config.eos_ids),
            beginning_count=len(lists["forced_beginning"]),
            bad_word_count=len(words),
        )
    )
    return settings, list(arrays.values())
