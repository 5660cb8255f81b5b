"""Sounds to the text of what is said in them, with times: Whisper (Radford et al. 2022).

A sound that is longer than the model reads at once is read by windows: the next begins where the
last segment that was finished ends (section 3.8).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from regard.arrays import arrays_of, as_numpy, without_gradients
from regard.checkpoints import CheckpointLike, open_checkpoint
from regard.engine.batching import by_length, read_each
from regard.engine.handle import ModelHandle
from regard.engine.result import Result, asked, inside
from regard.engine.task import Task
from regard.engine.text_to_text import with_ids
from regard.errors import BadArgumentError, DamagedFileError, UnsupportedError
from regard.generation import Decoder, GenerationConfig, Hypothesis, generate
from regard.lines import one_line
from regard.tasks.transcription.audio import (
    Floats,
    Sound,
    Spectrogram,
    read_sound,
    read_spectrogram,
)
from regard.tasks.transcription.beginnings import Beginnings, read_beginnings
from regard.text import Tokenizer

if TYPE_CHECKING:
    from regard.inspection import Trace
    from regard.models import SpeechEncoderDecoder

# A window is skipped that is likely to hold no speech, if its text is less likely than this.
UNSURE = -1.0


@dataclass(frozen=True)
class Segment(Result):
    """A part of what is said."""

    start: float  # in seconds
    end: float
    text: str

    def line(self) -> str:
        return one_line(self.text)


@dataclass(frozen=True)
class Transcription(Result):
    """Text of what is said in one sound."""

    transcription: str
    finished: bool  # False where a limit cut it off
    language: str | None = None  # of a model of several
    segments: list[Segment] = asked("timestamps")
    ids: list[int] = inside(default_factory=list)

    def line(self) -> str:
        return one_line(self.transcription)


class Part(NamedTuple):
    """Tokens of a segment, and the states of the window between which it lies."""

    start: int
    end: int
    ids: list[int]


class Transcriber(Task):
    """Writes down what is said in a sound, or its translation into English.

    Args:
        model: in evaluation mode; or a handle, which may load it later.
        tokenizer: the one that the model was trained with.
        spectrogram: of a sound, as the model reads it.
        generation: the defaults of decoding; ids that it does not name are the model's.
        beginnings: the tokens of languages, tasks and times.
        not_followed: generation settings in the checkpoint that are not supported, for a warning.
        name: what to call it in messages.
    """

    def __init__(
        self,
        model: SpeechEncoderDecoder | ModelHandle,
        tokenizer: Tokenizer,
        spectrogram: Spectrogram,
        *,
        generation: GenerationConfig | None = None,
        beginnings: Beginnings | None = None,
        not_followed: Sequence[str] = (),
        name: str = "transcriber",
    ):
        self.handle = ModelHandle.of(model)
        config = self.handle.config
        _check_kind(self.handle.architecture, name)
        shape = spectrogram.mel_bins, spectrogram.frames
        if shape != (config.mel_bins, config.frames):
            raise DamagedFileError(
                f"spectrograms must be {(config.mel_bins, config.frames)} (mel_bins, frames) for"
                f" {name}; its preprocessor_config.json says {shape}. Copy it again."
            )
        tokenizer = tokenizer.for_table(config.vocab_size)
        self.tokenizer, self.spectrogram, self.name = tokenizer, spectrogram, name
        self.beginnings = beginnings or Beginnings()
        self.not_followed = tuple(not_followed)
        self.generation = with_ids(
            generation or GenerationConfig(max_new_tokens=config.max_positions), config
        )

    @classmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None, lazily: bool = False) -> Self:
        """Return the model in `folder`, with its tokenizer, spectrograms and defaults of
        decoding."""
        checkpoint = open_checkpoint(folder)
        name = name or checkpoint.name
        _check_kind(checkpoint.architecture, name)
        handle = ModelHandle.of_checkpoint(checkpoint, lazily=lazily)
        tokenizer, longest = checkpoint.tokenizers.source, handle.config.max_positions
        vocabulary = tokenizer.backend.get_vocab()
        return cls(
            handle,
            tokenizer,
            read_spectrogram(checkpoint.files),
            **read_beginnings(checkpoint, longest, vocabulary),
            name=name,
        )

    def with_options(self, **options: Any) -> tuple[Self, dict[str, Any]]:
        self.beginnings.chosen(options.get("language"), options.get("task"), self.name)
        if options.get("timestamps"):
            self._check_times("timestamps")
        return self, options

    def __call__(self, sound: Sound | list[Sound], **options: Any) -> str | list[str]:
        """One sound → its text; a list → a list. Options as in `run`."""
        if isinstance(sound, list):
            return [result.transcription for result in self.run(sound, **options)]
        return self.run([sound], **options)[0].transcription

    def run(
        self,
        sounds: Sequence[Sound],
        *,
        language: str | None = None,
        task: str | None = None,
        timestamps: bool = False,
        no_speech: float = 0.6,
        batch_size: int = 1,
        progress: Callable[[int], None] = lambda done: None,
        **options: object,
    ) -> list[Transcription]:
        """Texts of what is said in sounds: files, their contents, or samples.

        Args:
            language: that is spoken, such as "en"; None: the likeliest at the beginning.
            task: "transcribe", or "translate" into English.
            timestamps: also find the segments, with their times.
            no_speech: a window is left out that is likelier than this to hold no speech, if its
                text is unlikely.
            batch_size: sounds that are read at a time, each by a thread of its own.
            progress: called with the number of sounds just finished.
            options: fields of GenerationConfig.

        Raises:
            BadArgumentError: a language, a task or times that the model does not have; a sound that
                is empty, or too long.
            DamagedFileError: a file that is not a sound file.
        """
        config = self.generation.updated(**options)
        if config.rows > config.num_beams or config.alternatives > 1:
            raise BadArgumentError(
                f"a sound has one transcription; got alternatives={config.alternatives}."
            )
        if timestamps:
            self._check_times("timestamps")

        def compute(batch: list[Sound]) -> list[Transcription]:
            begin = self.beginnings.chosen(language, task, self.name)
            samples = read_each(lambda sound: read_sound(sound, self.spectrogram.rate), batch)
            return [
                self._transcribed(spoken, config, [*begin], timestamps, no_speech)
                for spoken in samples
            ]

        results = by_length(
            [[sound] for sound in sounds],
            compute,
            batch_size=1,
            workers=min(self.engine.workers, batch_size),
            progress=progress,
        )
        return [result for [result] in results]

    def trace(
        self,
        sound: Sound,
        *,
        target: str | None = None,
        language: str | None = None,
        task: str | None = None,
        timestamps: bool = False,
        keep: str = "auto",
        **options: object,
    ) -> Trace:
        """Write what is said in the first window of a sound, and keep what every attention layer
        was given: see `Trace`. The positions of the source are seconds.

        Args:
            target: a text to look at instead of the model's own.
            language, task, timestamps: as for `run`.
            keep: where queries, keys and values stay: "memory", "disk" or "auto".
            options: fields of GenerationConfig.

        Raises:
            BadArgumentError: as `run`.
        """
        from regard.inspection.models import NOTHING, trace_written
        from regard.inspection.naming import of_sound

        samples = read_sound(sound, self.spectrogram.rate)
        piece = self.spectrogram(samples)[None, :, : self.spectrogram.frames]
        if timestamps:
            self._check_times("timestamps")
        config = self.generation.updated(**options)
        begin = self.beginnings.chosen(language, task, self.name)
        engine = self.engine
        best = self._written(piece, config, begin, timestamps, 1.0)
        zero = self.beginnings.no_timestamps
        prompt = [*begin, *([] if timestamps or zero is None else [zero])]

        def found() -> list[Hypothesis]:
            tokens = best.tokens if target is None else self._read(target, len(prompt))
            return [Hypothesis((*prompt, *tokens), best.score, (), best.finished)]  # type: ignore[arg-type]

        trace = trace_written(
            engine.seen(self.handle),
            found,
            lambda written: {"source": piece, "target": written},
            hypothesis=0,
            searched=target is None,
            prompt=1,
            forced=len(prompt),
            tokenizer=self.tokenizer,
            without=NOTHING,
            notes=self.engine_notes(),
            name=self.name,
            text=os.fspath(sound) if isinstance(sound, str | os.PathLike) else "",
            keep=keep,
        )
        trace.axes["source"] = of_sound(trace.axes["source"], samples, 2 * self.spectrogram.hop)
        if (seconds := len(samples) / self.spectrogram.rate) > self.spectrogram.seconds:
            trace.notes.append(
                f"of {seconds:.1f} seconds, the first {self.spectrogram.seconds} are looked at"
            )
        return trace

    def _read(self, text: str, before: int) -> list[int]:
        """Return the ids of a text that a caller wrote, and the end, behind so many others."""
        ids, room = self.tokenizer.encode(text), self.handle.config.max_positions - before - 2
        if not ids or len(ids) > room:
            raise BadArgumentError(
                f"a target may have 1 to {room} tokens with {self.name}; got {len(ids)}."
            )
        return [*ids, self.generation.eos_ids[0]]

    def _transcribed(
        self,
        samples: Floats,
        config: GenerationConfig,
        begin: list[int | None],
        timestamps: bool,
        no_speech: float,
    ) -> Transcription:
        bands, window = self.spectrogram(samples), self.spectrogram.frames
        is_long, finished, ids = bands.shape[1] > window, True, list[int]()
        if is_long:
            self._check_times(f"a sound of more than {self.spectrogram.seconds} seconds")
        segments, at, frames = list[Segment](), 0, max(1, len(samples) // self.spectrogram.hop)
        while at < frames:
            size = min(window, bands.shape[1] - at)
            piece = np.zeros((1, len(bands), window), np.float32)
            piece[0, :, :size] = bands[:, at : at + size]
            text = self._written(piece, config, begin, timestamps or is_long, no_speech)
            parts, step = self._parts(self._without_end(text.tokens, config), size)
            for part in parts if text.tokens else ():
                start, end = (round(self._seconds(at + 2 * x), 2) for x in part[:2])
                if said := self._text(part.ids).strip():
                    segments.append(Segment(start, end, said))
                ids += part.ids
            finished = finished and text.finished
            at += step
        language = next((k for k, id_ in self.beginnings.languages.items() if id_ in begin), None)
        whole = self._text(ids).strip()
        return Transcription(whole, finished, language, segments if timestamps else [], ids)

    @without_gradients
    def _written(
        self,
        piece: Floats,
        config: GenerationConfig,
        begin: list[int | None],
        with_times: bool,
        no_speech: float,
    ) -> Hypothesis:
        """Return the text of one window, (1, mel_bins, frames); no tokens where there is no speech.
        A language that is not known takes its place in `begin`."""
        engine, silence = self.engine, 0.0

        def read(ids: Sequence[int | None]) -> Hypothesis:
            return engine.array(np.array([ids]))

        decoder: Decoder = engine.start(engine.array(piece))
        zero = self.beginnings.no_timestamps
        start = config.decoder_start_token_id
        logits = as_numpy(decoder.step(read([start])))[0]
        if zero is not None:
            silence = float(arrays_of(logits).softmax(logits)[zero - 1])
        if None in begin:
            ids = [*self.beginnings.languages.values()]
            begin[begin.index(None)] = ids[int(logits[ids].argmax())]
        prompt = [*begin, *([] if with_times or zero is None else [zero])]
        if not prompt:  # nothing follows the start, which must be read again
            prompt, decoder = [start], engine.start(engine.array(piece))
        room = self.handle.config.max_positions - len(prompt) - (prompt != [start])
        config = config.updated(max_new_tokens=min(config.max_new_tokens, room))
        if with_times:
            assert zero is not None, "times were checked"
            config = config.updated(timestamps_from=zero + 1)
        [[best]] = generate(decoder, read(prompt), config)
        mean = sum(best.token_logprobs) / len(best.tokens)
        if silence > no_speech and mean < UNSURE:
            return Hypothesis((), 0.0, (), finished=True)
        return best

    def _parts(self, ids: Sequence[int], length: int) -> tuple[list[Part], int]:
        """Return the segments of a window's text, and the frames of the window, of so many, behind
        which the next one begins."""
        zero = self.beginnings.no_timestamps
        first = len(ids) if zero is None else zero + 1
        is_time = [zero is not None and id_ > zero for id_ in ids]
        # Behind the first of two times a segment begins.
        ends = [k for k, pair in enumerate(pairwise(is_time), 1) if all(pair)]
        times = [id_ - first for id_, its in zip(ids, is_time, strict=True) if its]
        if not ends:
            last = times[-1] if times and times[-1] > 0 else length // 2
            return [Part(0, last, [*ids])], length
        closes = is_time[-2:] == [False, True]
        if closes:
            ends.append(len(ids))
        parts = [
            Part(ids[a] - first, ids[b - 1] - first, [*ids[a:b]])
            for a, b in zip([0, *ends], ends, strict=False)
        ]
        return parts, length if closes else max(2, 2 * (ids[ends[-1] - 1] - first))

    def _check_times(self, what: str) -> None:
        if self.beginnings.no_timestamps is None:
            raise UnsupportedError(
                f"{what} needs a model that writes times, and the generation_config.json of"
                f" {self.name} names no no_timestamps_token_id. Cut the sound, or give another"
                " model."
            )

    def _without_end(self, tokens: Sequence[int], config: GenerationConfig) -> Sequence[int]:
        return tokens[:-1] if tokens and tokens[-1] in config.eos_ids else tokens

    def _seconds(self, frames: int) -> float:
        return frames * self.spectrogram.hop / self.spectrogram.rate

    def _text(self, ids: Sequence[int]) -> str:
        """Return the text of tokens, without times."""
        zero = self.beginnings.no_timestamps or self.tokenizer.vocab_size
        return self.tokenizer.decode(id_ for id_ in ids if id_ < zero)


def _check_kind(architecture: str, name: str) -> None:
    if architecture != "SpeechEncoderDecoder":
        raise UnsupportedError(
            f"{name} must be a model that reads sounds (Whisper); it is of another kind,"
            f" {architecture}."
        )
