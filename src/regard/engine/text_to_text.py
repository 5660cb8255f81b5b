"""An encoder–decoder with its tokenizers: a text's ids, batches by length, decoding, text again."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import math
import os
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, overload

import numpy as np

from regard import checkpoints
from regard.engine.batching import by_length
from regard.engine.calibration import UNCALIBRATED, Calibration
from regard.engine.handle import EncoderDecoderHandle
from regard.engine.task import Task, check_known, check_text
from regard.errors import BadArgumentError, DamagedFileError, OtherLanguageError, shortened
from regard.files import write_json
from regard.generation import GenerationConfig, Hypothesis
from regard.lazy import torch
from regard.text import Tokenizer, TokenizerPair

if TYPE_CHECKING:
    from torch import Tensor

    from regard.engine.handle import IdConfig
    from regard.engine.result import Written
    from regard.inspection import Trace
    from regard.inspection.hiding import Looks, SwitchedOff
    from regard.inspection.trace_data import TraceData
    from regard.inspection.writing import Found
    from regard.models import AnyEncoderDecoder

T = TypeVar("T")


@dataclass
class Looked:
    """The object of a trace: a text, or a part of it as the model reads it."""

    text: str
    notes: list[str] = field(default_factory=list)

    def written(
        self, hypotheses: Sequence[Hypothesis], config: GenerationConfig
    ) -> Sequence[Found]:
        """Return the hypotheses as they are looked at; those of a search as it was set."""
        return hypotheses

    def show(self, trace: TraceData, *, forced: bool) -> None:
        """Make the trace say what the text says; the target may be a caller's."""


class TextToText(Task):
    """The base of translating and summarizing.

    A text is read as the checkpoint's tokenizer has it: behind `prefix`, between the special
    tokens `before` and `after`.

    Args:
        model: in evaluation mode; or a handle, which may load it later.
        tokenizers: of source and target; may be one and the same.
        generation: the defaults of decoding; ids that it does not name are the model's.
        prefix: put before every text, such as T5's "summarize: "; None: not chosen yet.
        max_source_length: tokens that it was trained to read of a text, where these are fewer than
            the model has positions; special tokens count.
        not_followed: generation settings in the checkpoint that are not supported, for a warning.
        calibration: what was measured of it on a dev set.
        name: what to call it in messages.
    """

    handle: EncoderDecoderHandle
    result_class: ClassVar[type[Any]]
    strict_language = False  # a text that only seems to be in another language is refused, too
    task: ClassVar[str] = ""  # whose settings config.json gets, and is asked for

    def __init__(
        self,
        model: AnyEncoderDecoder | EncoderDecoderHandle,
        tokenizers: TokenizerPair,
        *,
        generation: GenerationConfig | None = None,
        prefix: str | None = "",
        max_source_length: int | None = None,
        not_followed: Sequence[str] = (),
        calibration: Calibration = UNCALIBRATED,
        name: str = "model",
    ):
        handle = EncoderDecoderHandle.of(model)
        config = handle.config
        tokenizers = tokenizers.for_tables(config.vocab_size, config.decoder_vocab_size)
        self.tokenizers = tokenizers
        self.name = name
        self.prefix = prefix
        self.max_source_length = max_source_length
        self.not_followed = tuple(not_followed)
        self.calibration = calibration
        self.before, self.after = _special_around(tokenizers.source)
        self._set(handle, generation or GenerationConfig())

    @property
    def default_precision(self) -> str:
        return self.calibration.precision

    def _set(self, handle: EncoderDecoderHandle, generation: GenerationConfig) -> None:
        """Set the handle and the defaults of decoding: each has what the other lacks."""
        self.generation = with_ids(generation, handle.config)
        assert self.generation.decoder_start_token_id is not None
        self.handle = handle.starting_from(self.generation.decoder_start_token_id)

    @property
    def model(self) -> AnyEncoderDecoder:
        """The model itself, whatever computes; loaded when it is first asked for."""
        model: AnyEncoderDecoder = self.handle.model
        return model

    def with_options(self, **options: Any) -> tuple[Self, dict[str, Any]]:
        task, prefix = self, options.pop("prefix", None)
        if prefix is not None:
            task = copy.copy(self)
            task.prefix = prefix
        options.pop("tokens", None)
        return task, options

    @property
    def device(self) -> torch.device:
        """Device of the model; `.model.to(device)` moves it."""
        return self.model.output_weight.device  # each batch asks: no walk over all modules

    @property
    def positions(self) -> int:
        """Tokens that the model reads or writes at most; no end where positions are relative."""
        most = self.handle.config.max_positions
        return sys.maxsize if most is None else most

    @property
    def room(self) -> int:
        """Tokens that a text may have, those around it not counted."""
        most = min(self.positions, self.max_source_length or sys.maxsize)
        return most - len(self.before) - len(self.after)

    def cut(self, ids: Sequence[int]) -> list[int]:
        """Ids of a text, cut where there is no room for all."""
        return list(self.tokenizers.source.cut(ids, self.room))

    def save(self, folder: str | os.PathLike[str], *, dtype: torch.dtype | None = None) -> None:
        """Write what `load` reads, in Hugging Face's layout.

        Args:
            dtype: of the written weights; float32 by default.
        """
        folder, settings = Path(folder), self.saved_settings()
        checkpoints.save_pretrained(
            self.model, folder, dtype=dtype or torch.float32, settings=settings
        )
        self.tokenizers.save(folder)
        write_json(folder / "generation_config.json", self.generation.to_dict())
        self.calibration.save(folder)

    def saved_settings(self) -> dict[str, Any]:
        """Return settings for config.json beside the model's own."""
        settings: dict[str, Any] = {"prefix": self.prefix} if self.prefix else {}
        if self.task:
            longest = self.max_source_length
            own = {} if longest is None else {"max_source_length": longest}
            settings["task_specific_params"] = {self.task: own}
        return settings

    @overload  # a str is itself a sequence of str, which the two signatures cannot say
    def __call__(self, text: str, **options: object) -> str: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, text: Sequence[str], **options: object) -> list[str]: ...
    def __call__(self, text: str | Sequence[str], **options: object) -> str | list[str]:
        """One text → its answer; a list → a list. Options as in `run`."""
        if isinstance(text, str):
            return str(self.run([text], **options)[0].text)
        return [result.text for result in self.run(text, **options)]

    @abstractmethod
    def run(self, texts: Sequence[str], **options: Any) -> Sequence[Any]:
        """Return a result with a `text` for each text, whatever else is in the list."""

    def trace(
        self,
        text: str,
        *,
        target: str | None = None,
        hypothesis: int = 0,
        without: Sequence[int | str] = (),
        looks: Looks = (),
        sentence: int | None = None,
        keep: str = "auto",
        force: bool = False,
        **options: object,
    ) -> Trace:
        """Answers a text and keeps what every attention layer was given: see `Trace`.

        Decoding runs untouched; the maps are of one pass over the hypothesis that is looked at.

        Args:
            target: an answer to look at instead of the model's own.
            hypothesis: which of the beams' results, best first.
            without: what is switched off when the answer is written and when it is looked at:
                positions of the source, special tokens counted, that no other position sees; heads
                such as "decoder.layers.1.cross:1"; and edges such as
                "decoder.layers.1.cross:1:7:10", from query 7 to key 10.
            looks: what a step looks at instead, in every head of every layer of cross-attention:
                {4: 8}, the position of the source that the row 4 of the maps sees alone; {"Tasse":
                "tea"}, by the words of the answer and of the text; {"decoder.layers.1.cross:1:4":
                8}, in one head.
            sentence: which of a text's to look at, from 1, where each is translated by itself; the
                first by default, or all as one beside a target.
            keep: where queries, keys and values stay: "memory", "disk" or "auto".
            force: as `run` takes it.
            options: fields of GenerationConfig; forced_beginning makes the
                answer begin with these ids.

        Raises:
            BadArgumentError: an empty text, one with more tokens than the model has positions, one
                in another language, a hypothesis, a sentence or a part that there is not.
            UnsupportedError: `without` or `looks` of a recurrent model.
        """
        from regard.inspection.models import beginning, switched_off, trace_written

        config = self.configured(options)
        looked = self.looked_at(text, sentence, whole=target is not None)
        ids = self.encode(read := self.tidied(looked.text))
        check_text(ids, self.room, self.name)
        if not force:
            self.check_readable(read, ids)

        def whole() -> Trace:
            choice = dict(target=target, hypothesis=hypothesis, without=without, sentence=sentence)
            return self.trace(text, **choice, force=force, **options)  # type: ignore[arg-type]

        source, engine = np.array(self._around([ids])), self.engine
        model = engine.seen(self.handle)
        off = switched_off(model, without, {"source": source.shape[1]}, looks, whole)
        blanked = self._blanked(ids, off)
        # Where it is not looked at itself, the native engine computes all.
        decoding = self if blanked or engine.looks else self.run_by("torch")

        def after(begins: Sequence[int]) -> list[Hypothesis]:
            settings = config.with_all_found().updated(forced_beginning=tuple(begins) or None)
            return decoding._decoded([blanked or ids], settings, [0], 1)[0]

        forced = config.forced_beginning or ()
        begins = forced
        if target is None:
            begins = beginning(model, off, 1, forced, lambda first: after(first)[0].tokens)

        def found() -> Sequence[Found]:
            if target is not None:
                return [Hypothesis(self._written(target), math.nan, (), finished=True)]
            its = after(begins)
            return its if begins or off.parts else looked.written(its, config)

        trace = trace_written(
            model,
            found,
            lambda written: {"source": source, "target": written},
            hypothesis=hypothesis,
            searched=target is None,
            prompt=1,
            forced=len(forced),
            tokenizer=self.tokenizers,
            without=off,
            unseen=blanked is not None,
            notes=[*looked.notes, *decoding.engine_notes()],
            name=self.name,
            text=text,
            keep=keep,
        )
        assert trace.generation is not None
        below = self.calibration.unsure_below
        trace.generation = dataclasses.replace(trace.generation, unsure_below=below)
        looked.show(trace, forced=target is not None)
        return trace

    def _blanked(self, ids: Sequence[int], off: SwitchedOff) -> list[int] | None:
        """Return the ids with padding for the words that are off: no other position sees it either,
        so every engine writes what it writes without the words. None where more than words is
        off."""
        from regard.inspection.hiding import Position

        blanked = list(ids)
        for part in off.parts:
            place = part.position - len(self.before) if isinstance(part, Position) else -1
            if part[0] != "source" or not 0 <= place < len(ids):
                return None
            blanked[place] = self.handle.config.pad_id
        return blanked

    def looked_at(self, text: str, sentence: int | None, *, whole: bool) -> Looked:
        """Return the part of a text that a trace is of.

        Args:
            whole: all of it, if no sentence is named.
        """
        if sentence is not None:
            raise BadArgumentError(
                f"{self.name} reads a text as a whole; got sentence = {sentence}. Leave it out."
            )
        return Looked(text)

    def tidied(self, text: str) -> str:
        """Return the text as it is encoded; nothing of a blank one."""
        return text if text.strip() else ""

    def configured(self, options: dict[str, Any]) -> GenerationConfig:
        """Return the defaults with a caller's options, as far as the model has positions; what
        repeats itself is cut."""
        config = self.generation.updated(**{"cut_repetition": True} | options)
        # Start and every token: reading the last one too is what alignment looks at.
        most = self.positions - 1
        return config if config.max_new_tokens <= most else config.updated(max_new_tokens=most)

    def encode(self, text: str) -> list[int]:
        """Ids of a text behind the prefix, without special tokens; none of an empty text."""
        return self.tokenizers.source.encode(f"{self.prefix or ''}{text}") if text else []

    def check_readable(self, text: str, ids: Sequence[int], *, source_text: str = "") -> None:
        """Refuses a text that the model could only guess at.

        Args:
            ids: what the text is encoded as.
            source_text: what the sentence names, of which the text is what is judged.

        Raises:
            OtherLanguageError: the vocabulary has no piece for most of its characters (see
                `Tokenizer.unknown_share`), or its words are of another language (see
                `Calibration`).
        """
        source = self.tokenizers.source
        if not source.unknown_ids.isdisjoint(ids):
            check_known(text, source, self.name)
        doubts = self.calibration.doubts if self.strict_language else self.calibration.is_foreign
        if doubts(text):
            raise OtherLanguageError(
                f"{shortened(source_text or text)!r} is in another language than {self.name} reads."
                " Give a text in that one, another model, or force=True."
            )

    def read(self, text: str) -> list[int]:
        """Ids of a text as the model reads it, without the special tokens around it."""
        return self.encode(self.tidied(text))

    @abstractmethod
    def parts(self, text: str, *, force: bool = False) -> Iterator[Any]:
        """Parts of a text that are decoded, each as it is found; a blank text has none.

        A part is its ids, without special tokens, or has them.

        Args:
            force: leave out `check_readable`, which may refuse the text.
        """

    @abstractmethod
    def result(self, text: str, parts: Sequence[Any], found: Sequence[list[Hypothesis]]) -> Written:
        """Return a text's result, from its parts and the n best answers to each."""

    def source(self, part: Any) -> list[int]:
        """Ids of a part with special tokens around it, as the model reads it."""
        return self._around([part])[0]

    def batch(self, sources: Sequence[Sequence[int]]) -> Tensor:
        """Such ids with the special tokens around them and padding, (batch, source length)."""
        return torch.from_numpy(self.handle.padded(self._around(sources))).to(self.device)

    def _around(self, sources: Sequence[Sequence[int]]) -> list[list[int]]:
        return [[*self.before, *ids, *self.after] for ids in sources]

    def expected(self, text: str) -> list[int]:
        """Return the ids that decoding would write to give this text, the end included.

        What the checkpoint makes every text begin with, such as mBART-50's language, is there too.
        """
        forced, target = self.generation.forced_bos_token_id, self.tokenizers.target
        begin = _special_around(target)[0] if forced is None else (forced,)
        return [*begin, *target.encode(text), self.generation.eos_ids[0]]

    def _written(self, target: str) -> tuple[int, ...]:
        """Return the ids of an answer that a caller wrote."""
        text = self.tidied(target)
        if not text.strip():
            raise BadArgumentError("the target is empty; give a sentence, or leave the target out.")
        ids, limit = self.expected(text), self.positions
        if len(ids) > limit:
            more = len(ids) - len(self.tokenizers.target.encode(text))
            raise BadArgumentError(
                f"a target may have {limit - more} tokens with {self.name}; got {len(ids) - more}."
            )
        return tuple(ids)

    def answers(
        self,
        parts: Sequence[Sequence[list[int]]],
        config: GenerationConfig,
        results: Callable[[list[list[int]], list[list[Hypothesis]]], list[T]],
        *,
        batch_size: int,
        progress: Callable[[int], None],
    ) -> list[list[T]]:
        """Answers every part of every text; see `by_length`.

        Args:
            parts: of each text, the ids of its parts.
            results: the ids of a batch and the n best answers to each → a result for each.
        """
        number, engine = itertools.count(), self.engine
        # The numbers set the random numbers of the parts apart.
        numbered = [[(next(number), ids) for ids in its_parts] for its_parts in parts]

        def answer(batch: list[tuple[int, list[int]]]) -> list[T]:
            numbers, sources = [each for each, _ in batch], [ids for _, ids in batch]
            return results(sources, self._decoded(sources, config, numbers, batch_size))

        return by_length(
            numbered,
            answer,
            length=lambda item: len(item[1]),
            batch_size=engine.at_once(sum(map(len, parts)), config, batch_size),
            workers=engine.workers,
            progress=progress,
        )

    def _decoded(
        self,
        sources: Sequence[Sequence[int]],
        config: GenerationConfig,
        numbers: Sequence[int],
        batch_size: int,
    ) -> list[list[Hypothesis]]:
        """Return the n best answers to each source."""
        own = [self.config_for(ids, config) for ids in sources]
        found: list[Any] = [None] * len(sources)
        for each in dict.fromkeys(id(settings) for settings in own):
            rows = [row for row, settings in enumerate(own) if id(settings) == each]
            source = self.handle.padded(self._around([sources[row] for row in rows]))
            start = np.full((len(source), 1), config.decoder_start_token_id, np.int64)
            its = [numbers[row] for row in rows]
            answers = self.engine.generate(source, start, own[rows[0]], its, batch_size)
            for row, n_best in zip(rows, answers, strict=True):
                found[row] = n_best
        return found

    def answers_to(self, texts: Sequence[str], config: GenerationConfig) -> list[str]:
        """Return the best answer to each text, which is read as it is."""
        sources = [self.encode(self.tidied(text)) for text in texts]
        found = self._decoded(sources, config, range(len(sources)), 1) if sources else []
        return [self.spelled(n_best[0].tokens) for n_best in found]

    def spelled(self, tokens: Sequence[int]) -> str:
        """Return the text of generated ids."""
        return self.tokenizers.target.decode(self.without_end(tokens))

    def config_for(self, ids: Sequence[int], config: GenerationConfig) -> GenerationConfig:
        """Return the settings that one part of a text, by its ids, is decoded by."""
        return config

    def alternatives(self, hypotheses: Sequence[Hypothesis]) -> list[Any]:
        """Hypotheses as results."""
        target = self.tokenizers.target
        return [
            self.result_class(
                target.decode(ids),
                each.score,
                each.finished,
                tokens=target.tokens(ids),
                ids=list(each.tokens),
                **self.parts_of(each, ids),
            )
            for each in hypotheses
            for ids in [self.without_end(each.tokens)]
        ]

    def parts_of(self, hypothesis: Hypothesis, ids: Sequence[int]) -> dict[str, Any]:
        """Further fields of a hypothesis's result, whose ids but the last are these."""
        return {}

    def without_end(self, tokens: Sequence[int]) -> list[int]:
        """Return generated ids but the one that ends them.

        A vocabulary padded to a round number has ids that are no token: they write nothing.
        """
        known = self.tokenizers.target.vocab_size
        tokens = [token for token in tokens if token < known]
        return tokens[:-1] if tokens and tokens[-1] in self.generation.eos_ids else tokens

    def with_model(self, model: AnyEncoderDecoder) -> Self:
        """Return the same task by other weights: a model of the same kind and vocabulary."""
        other = copy.copy(self)
        other._set(EncoderDecoderHandle.of(model), self.generation)
        return other

    def decoding_by(self, **changes: object) -> Self:
        """Return the same model with other attributes, such as the defaults of `generation`."""
        other = copy.copy(self)
        vars(other).update(changes)
        other._set(self.handle, other.generation)
        return other


def _special_around(tokenizer: Tokenizer) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the special tokens that the tokenizer puts before and after a text."""
    encoding = tokenizer.inputs("a")
    inside = [place for place, text in enumerate(encoding.sequence_ids) if text is not None]
    if not inside:
        raise DamagedFileError('the tokenizer makes no token of "a". Copy the model again.')
    return tuple(encoding.ids[: inside[0]]), tuple(encoding.ids[inside[-1] + 1 :])


def with_ids(generation: GenerationConfig, config: IdConfig) -> GenerationConfig:
    """Return the settings with the ids of a model's config that they lack."""
    ids = {
        "eos_token_id": config.eos_id,
        "pad_token_id": config.pad_id,
        "decoder_start_token_id": config.start_id,
    }
    missing = {name: id_ for name, id_ in ids.items() if getattr(generation, name) is None}
    return generation.updated(**missing)
