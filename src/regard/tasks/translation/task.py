"""A trained translator: text in, text out, with the words each word attended to."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regard.checkpoints import Checkpoint, CheckpointLike, open_checkpoint
from regard.engine.batching import read_each
from regard.engine.defaults import Defaults, read_defaults
from regard.engine.engines import as_array
from regard.engine.handle import EncoderDecoderHandle
from regard.engine.text_to_text import Looked, TextToText
from regard.errors import (
    BadArgumentError,
    OtherLanguageError,
    UnsupportedError,
    check_choice,
    shortened,
)
from regard.generation import GenerationConfig, Hypothesis
from regard.inspection.alignment import STEPS, cross_attention
from regard.inspection.grouping import group_words
from regard.tasks.translation.capitals import Capitals
from regard.tasks.translation.glossary import Glossary
from regard.tasks.translation.languages import LEADING, Languages
from regard.tasks.translation.looked import LookedSentence
from regard.tasks.translation.passage import Passage, Reading
from regard.tasks.translation.passages import passages
from regard.tasks.translation.result import Translation, WrittenWord, best, of_passage, of_text
from regard.tasks.translation.spans import Span
from regard.text import TokenizerPair, normalize
from regard.text.normalize import check_unicode

if TYPE_CHECKING:
    from regard.models import AnyEncoderDecoder

FREQUENT = 10_000_000  # more than any vocabulary has pieces
LONG = 128  # tokens; few translators were trained on sentences of more
SHOWN = 3  # texts of a warning
TERM_BEAMS = 5  # of a part with a term of the glossary, at least


class Part(NamedTuple):
    """A text that is decoded, for a passage."""

    ids: list[int]
    passage: Passage


class Translator(TextToText):
    """Translates with an encoder–decoder model and its tokenizers, sentence by sentence.

    >>> translator = regard.load("en-de")
    >>> translator("Where is the station?")
    'Wo ist der Bahnhof?'
    >>> result = translator.run(["Where is the station?"], alignment="output")[0]
    >>> result.target_words, result.alignment.shape
    (['Wo', 'ist', 'der', 'Bahnhof?'], (4, 4))

    Args:
        model, tokenizers, settings: as `TextToText` takes them.
        directions: the defaults of each direction of a checkpoint that has several, such as T5's
            "translation_en_to_de", for `between`.
        language: the source's code, such as "en", whose abbreviations end no sentence.
    """

    result_class = Translation
    glossary: Glossary | None = None  # what terms are translated as
    refusing = False  # a text in another language ends the run, or its translation is empty
    whole = False  # a text is one sentence, as far as the model has positions

    def __init__(
        self,
        model: AnyEncoderDecoder | EncoderDecoderHandle,
        tokenizers: TokenizerPair,
        *,
        directions: Mapping[str, Defaults] | None = None,
        language: str = "en",
        name: str = "translator",
        **settings: Any,
    ):
        super().__init__(model, tokenizers, name=name, **settings)
        self.language = language
        self.languages = Languages.of(tokenizers.source, directions or {})

    @classmethod
    def load(
        cls,
        folder: CheckpointLike,
        *,
        name: str | None = None,
        lazily: bool = False,
    ) -> Translator:
        """Return the translator of a name (see `load`): model, tokenizers and decoding defaults.

        If the checkpoint has several directions, choose one with `between`.

        Args:
            lazily: leave the weights in their files until the model itself is asked for.
        """
        checkpoint = open_checkpoint(folder)
        handle = EncoderDecoderHandle.open(checkpoint, lazily=lazily)
        tasks = read_defaults(checkpoint)
        directions = {
            task: defaults for task, defaults in tasks.items() if task.startswith("translation")
        }
        if len(directions) > 1:
            chosen = replace(tasks[""], prefix=None)
        else:
            chosen = next(iter(directions.values()), tasks[""])
        name = name or checkpoint.name
        tokenizers = checkpoint.tokenizers
        stated = _stated_languages(checkpoint)
        marian = tokenizers.source.settings.get("source_lang")
        language = marian or (stated[0] if stated else "en")
        return cls(
            handle, tokenizers, directions=directions, language=language, name=name, **vars(chosen)
        )

    @property
    def has_languages(self) -> bool:
        """True if both languages must be specified: see `between`."""
        return self.languages.both

    def between(self, source: str | None = None, target: str | None = None) -> Translator:
        """Return the same translator for other languages, of a checkpoint that knows several.

        Args:
            source, target: as the checkpoint calls them ("de", "de_DE"); "de" is de_DE where only
                one begins so. What is not given stays as it is.

        Raises:
            BadArgumentError: an unknown language.
            UnsupportedError: a model of one pair of languages.
        """
        changes = self.languages.chosen(
            source,
            target,
            name=self.name,
            stated=_stated_languages(self.handle.source),
            generation=self.generation,
            around={"before": self.before, "after": self.after},
        )
        language = source.partition("_")[0].lower() if source else self.language
        return self.decoding_by(language=language, **changes)

    def with_options(self, **options: Any) -> tuple[Translator, dict[str, Any]]:
        languages = [options.pop(f"{side}_language", None) for side in ("source", "target")]
        task = self.between(*languages) if any(languages) else self
        for name in ("whole", "strict_language"):
            if options.pop(name, False):
                task = task.decoding_by(**{name: True})
        if (glossary := options.pop("glossary", None)) is not None:
            task = task.decoding_by(glossary=Glossary.of(glossary))
        for name in ("sentences", "words"):  # parts of a result that are always there
            options.pop(name, None)
        return super(Translator, task).with_options(**options)

    def saved_settings(self) -> dict[str, Any]:
        """Include each direction's prefix, as T5's config.json has it, if no language is chosen."""
        directions = self.languages.pairs if self.prefix is None else {}
        tasks = {
            f"translation_{source}_to_{target}": {"prefix": defaults.prefix}
            for (source, target), defaults in directions.items()
        }
        return super().saved_settings() | ({"task_specific_params": tasks} if tasks else {})

    def with_directions(self, prefixes: Mapping[tuple[str, str], str]) -> Translator:
        """Return the same translator with further directions, (source, target), none of which is
        chosen.

        Raises:
            UnsupportedError: a model that has languages of another kind, such as mBART's.
        """
        if self.languages.tokens:
            raise UnsupportedError(
                f"{self.name} has its own tokens for languages, so it cannot learn several targets"
                " at once. Train it on one, or give another base_model."
            )
        new = {
            direction: Defaults(self.generation, prefix, self.not_followed)
            for direction, prefix in prefixes.items()
        }
        directions = {**self.languages.pairs, **new}
        languages = replace(self.languages, pairs=directions, both=True)
        return self.decoding_by(languages=languages, prefix=None)

    def run(
        self,
        texts: Sequence[str],
        *,
        batch_size: int = 32,
        alignment: str | None = None,
        alignment_layer: int | None = None,
        force: bool = False,
        strict_language: bool = False,
        truncation: bool = False,
        glossary: str | os.PathLike[str] | Mapping[str, str] | None = None,
        progress: Callable[[int], None] = lambda done: None,
        **options: object,
    ) -> list[Translation]:
        """Translate texts; results do not depend on what else is in the list.

        A text is translated sentence by sentence, and all that is not translated stays as it is:
        white space, line ends, markup, addresses, code, placeholders. A sentence of more tokens
        than the model was trained for is translated in parts, if it has clauses.

        Args:
            batch_size: sentences decoded together.
            alignment: also read the word alignment from cross-attention, at the decoder's
                "output" or "input" step (`inspection.cross_attention`).
            alignment_layer: the decoder's layer that it is read from, counted from 0, negative from
                the end; the mean over all layers by default.
            force: also translate texts that are certainly in another language or script, as an
                evaluation does; the translations are guesses.
            strict_language: also refuse those that only seem to be in another language; by default
                they are translated, and have `language_doubt`.
            truncation: take a text for one sentence, and cut it if it is too long.
            glossary: a file of terms with their translations, or these; see `Glossary`.
            progress: called with the number of texts just finished.
            options: fields of GenerationConfig.

        Raises:
            OtherLanguageError: all texts are in another language (`check_readable`). One beside
                others has an empty translation.
            BadArgumentError: an unknown option, a glossary that contradicts itself, or a sentence
                without clauses of more tokens than the model has positions.
        """
        config = self.configured(options)
        if self.languages.both:
            self.languages.check_chosen(self.name, self.prefix, config)
        if alignment is not None:
            check_choice("alignment", alignment, STEPS)

        if glossary is not None:
            self = self.decoding_by(glossary=Glossary.of(glossary))
        if strict_language:
            self = self.decoding_by(strict_language=True)
        parts, refused = self._read(
            lambda text: list(self.parts(text, force=force, truncation=truncation)), texts
        )
        results = self.answers(
            [[part.ids for part in its] for its in parts],
            config,
            lambda sources, n_best: self._results(sources, n_best, alignment, alignment_layer),
            batch_size=batch_size,
            progress=progress,
        )
        joined = list(map(self._joined, texts, parts, results))
        for index in refused:
            joined[index] = best([Translation("", 0.0, finished=False, language_doubt=True)])
        if not (self.refusing or force):
            _warn(self.name, texts, [result.language_doubt for result in joined], refused)
        return joined

    def run_rows(self, rows: Sequence[tuple[str, ...]], **options: Any) -> list[Translation]:
        task = self.decoding_by(refusing=True)
        return task.run([text for (text,) in rows], **options)

    def _read(
        self, read: Callable[[str], list[Part]], texts: Sequence[str]
    ) -> tuple[list[list[Part]], set[int]]:
        """Return the parts of each text; and which have none, since they are in another
        language."""
        try:
            return read_each(read, texts), set()
        except OtherLanguageError as error:
            refused = {other.index: other for other in (error, *error.others)}
            of_language = all(isinstance(other, OtherLanguageError) for other in refused.values())
            if self.refusing or not of_language or len(refused) == len(texts):
                raise
            parts = [[] if k in refused else read(text) for k, text in enumerate(texts)]
            return parts, {k for k in refused if k is not None}

    def result(
        self,
        text: str,
        parts: Sequence[Part],
        found: Sequence[list[Hypothesis]],
        *,
        alignment: str | None = None,
        alignment_layer: int | None = None,
    ) -> Translation:
        """Return a text's result, from its parts and the n best answers to each; options as in
        `run`."""
        sources = [part.ids for part in parts]
        results = self._results(sources, found, alignment, alignment_layer) if parts else []
        return self._joined(text, parts, results)

    def source(self, part: Part) -> list[int]:
        return super().source(part.ids)

    def _results(
        self,
        sources: Sequence[list[int]],
        n_best: Sequence[list[Hypothesis]],
        alignment: str | None,
        layer: int | None,
    ) -> list[list[Translation]]:
        found = list(map(self.alternatives, n_best))
        if alignment is None:
            return found
        targets = [self.without_end(hypotheses[0].tokens) for hypotheses in n_best]
        return self._aligned(found, sources, targets, alignment, layer)

    def looked_at(self, text: str, sentence: int | None, *, whole: bool) -> Looked:
        if sentence is None and (whole or self.whole):
            return Looked(text)
        tag, its = self._named(text)
        if not its and (judged := self._judged(text, its)):
            self.check_readable(judged, self.encode(judged))
        if not its and text.strip():
            raise BadArgumentError(
                f"{shortened(text)!r} has nothing to translate: it stays as it is."
            )
        if not its:
            return Looked(text)
        number = 1 if sentence is None else sentence
        if not 1 <= number <= len(its):
            raise BadArgumentError(
                f"sentence must be from 1 to {len(its)}, as the text has them; got {number}."
            )
        notes = [f"sentence {number} of {len(its)}"] if len(its) > 1 else []
        if self.calibration.doubts(self._judged(text, its)):
            notes.append(
                f"the text seems to be in another language than {self.name} reads, so the"
                " translation may be a guess"
            )
        return LookedSentence.of(self, tag, its, number - 1, notes)

    def config_for(self, ids: Sequence[int], config: GenerationConfig) -> GenerationConfig:
        """Return the settings with the translations of the glossary's terms in a part of a text.

        They are shared out among beams, of which a part with a term has TERM_BEAMS at least.
        """
        text = self.tokenizers.source.decode(ids) if self.glossary else ""
        terms = self.glossary.found_in(text) if self.glossary else []
        encode = self.tokenizers.target.encode
        phrases = tuple(tuple(tuple(encode(each)) for each in variants) for variants in terms)
        if not phrases:
            return config
        beams = max(config.num_beams, TERM_BEAMS)
        return config.updated(forced_phrases=phrases, num_beams=beams)

    def parts_of(self, hypothesis: Hypothesis, ids: Sequence[int]) -> dict[str, Any]:
        below, log_probs = self.calibration.unsure_below, hypothesis.token_logprobs
        words = [
            (text, math.exp(sum([log_probs[place] for place in places])))
            for text, places in self.tokenizers.target.words(ids)
        ]
        return {"words": [WrittenWord(text, chance, chance < below) for text, chance in words]}

    def tidied(self, text: str) -> str:
        return normalize(text)

    @property
    def longest(self) -> int:
        """Tokens of a sentence that the model was trained for."""
        return min(self.room, self.max_source_length or LONG)

    def _named(self, text: str) -> tuple[str, list[Passage]]:
        """Return the target that a text names itself, and its sentences."""
        leading = LEADING.match(text)
        if leading and leading[1]:
            return f"{leading[1]} ", list(self.passages(text[leading.end() :]))
        return "", list(self.passages(text))

    def passages(self, text: str) -> Iterator[Passage]:
        """Yield what is translated of a text: its sentences, long ones in parts."""
        for passage in passages(text, self.language, self._reading):
            yield from self._short(passage)

    @property
    def _reading(self) -> Reading:
        """The reading of capitals, and of signs that the model has not learned."""
        terms = () if self.glossary is None else tuple(self.glossary.terms)
        capitals = Capitals(self.language, self._pieces, terms)
        return Reading(capitals, self.calibration.copied, self.calibration.letters)

    def _pieces(self, word: str) -> float:
        """Return the number of a word's pieces: less for a piece that was merged earlier, more for
        small letters of a word that is not frequent, which may be a name."""
        ids, small = self.tokenizers.source.encode(word), word.islower()
        is_odd = small and not self.calibration.is_frequent(word)
        return len(ids) + is_odd / 2 + (ids[0] / FREQUENT / (1 + small) if len(ids) == 1 else 0)

    def parts(self, text: str, *, force: bool = False, truncation: bool = False) -> Iterator[Part]:
        """Yield what is decoded: units of each sentence, or all with `truncation` or `whole`."""
        check_unicode(text)
        tidied, room = self.tidied(text) if truncation or self.whole else "", self.room
        if truncation or (self.whole and len(self.encode(tidied)) <= room):
            tag, sentences = "", [Passage(tidied, (Span(0, len(tidied)),))] if tidied else []
        else:
            tag, sentences = self._named(text)
        encoded = dict[str, list[int]]()  # most texts are a sentence: nothing is encoded twice
        if not force:
            plain = self._judged(text, sentences)
            encoded[plain] = self.encode(plain)
            self.check_readable(plain, encoded[plain], source_text=text)
        for passage in sentences:
            for unit in passage.units:
                whole = tag + self.tidied(unit)
                ids = encoded.get(whole) or self.encode(whole)
                if len(ids) > room and not truncation:
                    raise BadArgumentError(
                        f"a sentence may have {room} tokens with {self.name}; got one of"
                        f" {len(ids)} ({unit[:40]!r} …). Split it into shorter sentences."
                    )
                yield Part(self.cut(ids), passage)

    def _short(self, passage: Passage) -> Iterator[Passage]:
        """Yield a passage as long as the model was trained for; else its halves, if it has any.

        What has clauses is parted there. What has none loses words if it is translated at once.
        """
        # A token has a byte at least, so that most sentences need not be encoded twice.
        if len(passage.source.encode()) > self.longest and (
            (count := len(self.encode(self.tidied(passage.units[0])))) > self.longest
        ):
            halves = passage.halves(anywhere=count <= self.room)
            for half in halves or ():
                yield from self._short(half)
            if halves:
                return
            passage = replace(passage, is_long=True)
        yield passage

    def _joined(
        self, text: str, parts: Sequence[Part], results: Sequence[list[Translation]]
    ) -> Translation:
        """Return a text's result, from those of its parts; nothing at all for a blank text."""
        if not parts:
            doubt = self.calibration.doubts(self._judged(text, ()))
            text = text if self.tidied(text) else ""
            return best([Translation(text, 0.0, finished=True, language_doubt=doubt)])
        passages = {id(part.passage): part.passage for part in parts}
        units: dict[int, list[list[Translation]]] = {key: [] for key in passages}
        for part, n_best in zip(parts, results, strict=True):
            units[id(part.passage)].append(n_best)
        answered = [(passage, of_passage(passage, units[key])) for key, passage in passages.items()]
        result = of_text(parts[0].passage.text, answered)
        judged = self._judged(text, [*passages.values()])
        return result.changed(language_doubt=self.calibration.doubts(judged))

    def _judged(self, text: str, its: Sequence[Passage]) -> str:
        """Return what is judged of a text: what the model reads of it, and its words of letters of
        another language."""
        if not text.isascii() and (not its or its[0].reading.letters is not None):
            reading = replace(self._reading, letters=None)
            its = [*passages(its[0].text if its else text, self.language, reading)]
        return " ".join(passage.units[0] for passage in its)

    def _aligned(
        self,
        results: list[list[Translation]],
        sources: Sequence[list[int]],
        targets: list[list[int]],
        step: str,
        layer: int | None,
    ) -> list[list[Translation]]:
        model, around = self.engine.own(self.handle), len(self.before)
        aligned = []
        for row, (result, *others) in enumerate(results):
            ids, written = self._around([sources[row]])[0], targets[row]
            weights: Any = np.zeros((0, len(ids)), np.float32)
            if written:
                arrays = (self.engine.array(np.array([row_ids])) for row_ids in (ids, written))
                weights = cross_attention(model, *arrays, layer=layer, step=step).mean(1)[0]
            weights = weights[:, around:]  # of the text's own tokens
            source_words = self.tokenizers.source.words(sources[row])
            target_words = self.tokenizers.target.words(targets[row])
            grouped = group_words(
                weights,
                [word.indices for word in target_words],
                [word.indices for word in source_words],
            )
            result = result.changed(
                source_words=[word.text for word in source_words],
                target_words=[word.text for word in target_words],
                alignment=as_array(grouped),
            )
            aligned.append([result, *others])
        return aligned

    def alignment_caption(self, step: str, layer: int | None = None) -> str:
        """Return a caption of the numbers of `Translation.alignment`."""

        caption = "α of cross-attention"
        model = self.engine.own(self.handle)
        if not model.stepwise:
            config = model.config
            layers = f"{config.decoder_layers} layers × " if layer is None else ""
            caption += f", mean over {layers}{config.decoder_heads} heads"
            caption += "" if layer is None else f" of layer {layer}"
        caption += f", at the decoder's {step} step"
        if self.packed is not None:
            caption += f", by {self.computed_by}"
        return caption


def doubt_said(
    name: str, doubted: Sequence[str], count: int, total: int, strict: str = "strict_language=True"
) -> str:
    """Return the sentence on texts that seem to be in another language than the model's.

    Args:
        doubted: the first of them.
        count: of all of them.
        total: of all texts.
        strict: the option that refuses them.
    """
    first = ", ".join(repr(shortened(text)) for text in doubted[:SHOWN])
    return (
        f"{count:,} of {total:,} texts ({count / total:.1%}) seem to be in another language than"
        f" {name} reads, such as {first}. Their translations may be guesses; {strict} leaves"
        " them out."
    )


def _warn(name: str, texts: Sequence[str], doubts: Sequence[bool], refused: set[int]) -> None:
    doubted = [text for k, text in enumerate(texts) if doubts[k] and k not in refused]
    if doubted:
        warnings.warn(doubt_said(name, doubted, len(doubted), len(texts)), stacklevel=4)
    if refused:
        first = ", ".join(repr(shortened(texts[k])) for k in sorted(refused)[:SHOWN])
        warnings.warn(
            f"{len(refused):,} of {len(texts):,} texts are in another language than {name} reads,"
            f" such as {first}. Their translations are empty.",
            stacklevel=4,
        )


def _stated_languages(checkpoint: Checkpoint | None) -> list[str]:
    """Return the languages that a model's card states, the source's first."""
    stated = None if checkpoint is None else checkpoint.card.get("language")
    return [str(language) for language in stated] if isinstance(stated, list) else []
