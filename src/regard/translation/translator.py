"""A trained translator: text in, text out, with the words each word attended to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints import CheckpointLike, open_checkpoint
from regard.errors import BadArgumentError, UnsupportedError, check_choice
from regard.generation import Hypothesis
from regard.tasks.batching import read_each
from regard.tasks.defaults import Defaults, read_defaults
from regard.tasks.handle import EncoderDecoderHandle
from regard.tasks.result import Float32, Written, array, asked, inside
from regard.tasks.text_to_text import TextToText
from regard.text import TokenizerPair, normalize
from regard.translation.languages import Languages

if TYPE_CHECKING:
    from regard.models import AnyEncoderDecoder


@dataclass(frozen=True)
class Translation(Written):
    """The translation of one text."""

    translation: str
    score: float
    finished: bool  # False where max_new_tokens cut it off
    tokens: list[str] = asked()
    alternatives: list[Translation] = asked()  # n best, this one first
    source_words: list[str] = asked("alignment")
    target_words: list[str] = asked("alignment")
    # (target words, source words)
    alignment: NDArray[np.float32] | None = array(list[list[Float32]] | None, default=None)
    ids: list[int] = inside(default_factory=list)  # as generated, the end included


class Translator(TextToText):
    """Translates with an encoder–decoder model and its tokenizers.

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
    """

    result_class = Translation

    def __init__(
        self,
        model: AnyEncoderDecoder | EncoderDecoderHandle,
        tokenizers: TokenizerPair,
        *,
        directions: Mapping[str, Defaults] | None = None,
        name: str = "translator",
        **settings: Any,
    ):
        super().__init__(model, tokenizers, name=name, **settings)
        self.languages = Languages.of(tokenizers.source, directions or {})

    @classmethod
    def load(
        cls,
        folder: CheckpointLike,
        *,
        name: str | None = None,
        lazily: bool = False,
        engine: str | None = None,
    ) -> Translator:
        """The translator of a name (see `load`): model, tokenizers and decoding defaults.

        If the checkpoint has several directions, choose one with `between`.

        Args:
            lazily: leave the weights in their files until the model itself is asked for, where it
                has been packed before; an engine implies it.
            engine: as `run_by` takes it; None: the model itself.
        """
        checkpoint = open_checkpoint(folder)
        handle = EncoderDecoderHandle.open(checkpoint, lazily=lazily or engine is not None)
        tasks = read_defaults(checkpoint)
        directions = {task: each for task, each in tasks.items() if task.startswith("translation")}
        if len(directions) > 1:
            chosen = replace(tasks[""], prefix=None)
        else:
            chosen = next(iter(directions.values()), tasks[""])
        name = name or checkpoint.name
        tokenizers = checkpoint.tokenizers
        translator = cls(handle, tokenizers, directions=directions, name=name, **vars(chosen))
        return translator if engine is None else translator.run_by(engine)

    @property
    def has_languages(self) -> bool:
        """True if both languages must be specified: see `between`."""
        return self.languages.both

    def between(self, source: str | None = None, target: str | None = None) -> Translator:
        """The same translator for other languages, of a checkpoint that knows several.

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
            generation=self.generation,
            around={"before": self.before, "after": self.after},
        )
        return self.decoding_by(**changes)

    def with_options(self, **options: Any) -> tuple[Translator, dict[str, Any]]:
        languages = [options.pop(f"{side}_language", None) for side in ("source", "target")]
        task = self.between(*languages) if any(languages) else self
        return super(Translator, task).with_options(**options)

    def saved_settings(self) -> dict[str, Any]:
        """Include each direction's prefix, as T5's config.json has it, if no language is chosen."""
        directions = self.languages.pairs if self.prefix is None else {}
        tasks = {
            f"translation_{source}_to_{target}": {"prefix": defaults.prefix}
            for (source, target), defaults in directions.items()
        }
        return super().saved_settings() | ({"task_specific_params": tasks} if tasks else {})

    def with_directions(self, source: str, prefixes: Mapping[str, str]) -> Translator:
        """The same translator with further directions, by target, none of which is chosen.

        Raises:
            UnsupportedError: a model that has languages of another kind, such as mBART's.
        """
        if self.languages.tokens:
            raise UnsupportedError(
                f"{self.name} has its own tokens for languages, so it cannot learn several targets"
                " at once. Train it on one, or give another base_model."
            )
        new = {
            (source, target): Defaults(self.generation, prefix, self.not_followed)
            for target, prefix in prefixes.items()
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
        any_script: bool = False,
        truncation: bool = False,
        progress: Callable[[int], None] = lambda done: None,
        **options: Any,
    ) -> list[Translation]:
        """Translates texts; results do not depend on what else is in the list.

        Args:
            batch_size: texts decoded together.
            alignment: also read the word alignment from cross-attention, at the decoder's
                "output" or "input" step (`inspection.cross_attention`).
            alignment_layer: the decoder's layer that it is read from, counted from 0, negative from
                the end; the mean over all layers by default.
            any_script: also translate texts whose characters the vocabulary mostly lacks, as an
                evaluation does; the translations are guesses.
            truncation: cut a text that is too long, where otherwise it is translated in parts.
            progress: called with the number of texts just finished.
            options: fields of GenerationConfig.

        Raises:
            BadArgumentError: an unknown option, a text whose characters the vocabulary mostly
                lacks, or a sentence with more tokens than the model has positions. A longer text of
                several sentences is translated sentence by sentence.
        """
        config = self.configured(options)
        if self.languages.both:
            self.languages.check_chosen(self.name, self.prefix, config)
        if alignment is not None:
            from regard.inspection import STEPS

            check_choice("alignment", alignment, STEPS)

        parts = self.answers(
            read_each(
                lambda text: list(self.parts(text, any_script=any_script, truncation=truncation)),
                texts,
            ),
            config,
            lambda sources, n_best: self._results(sources, n_best, alignment, alignment_layer),
            batch_size=batch_size,
            progress=progress,
        )
        return [_join(each) for each in parts]

    def result(
        self,
        parts: Sequence[list[int]],
        found: Sequence[list[Hypothesis]],
        *,
        alignment: str | None = None,
        alignment_layer: int | None = None,
    ) -> Translation:
        """A text's result, from its parts and the n best answers to each; options as in `run`."""
        if not parts:
            return _join([])
        return _join(self._results(parts, found, alignment, alignment_layer))

    def _results(
        self,
        sources: Sequence[list[int]],
        n_best: Sequence[list[Hypothesis]],
        alignment: str | None,
        layer: int | None,
    ) -> list[Translation]:
        found = [_best(self.alternatives(hypotheses)) for hypotheses in n_best]
        if alignment is None:
            return found
        targets = [self.without_end(hypotheses[0].tokens) for hypotheses in n_best]
        return self._aligned(found, sources, targets, alignment, layer)

    def tidied(self, text: str) -> str:
        return normalize(text)

    def parts(
        self, text: str, *, any_script: bool = False, truncation: bool = False
    ) -> Iterator[list[int]]:
        """Yield as many parts as the model's positions make necessary; one with `truncation`."""
        text = self.tidied(text)
        whole = self.encode(text)
        if not any_script:
            self.check_script(text, whole)
        if truncation or len(whole) <= self.room:
            if whole:
                yield whole[: self.room]
            return
        del whole  # a server splits many long texts at a time
        part, ids_of_part = "", list[int]()
        for sentence in _sentences(text):
            ids = self.encode(sentence)
            if len(ids) > self.room:
                raise BadArgumentError(
                    f"a sentence may have {self.room} tokens with {self.name}; got one of"
                    f" {len(ids)} ({sentence[:40]!r} …). Split it into shorter sentences."
                )
            together = self.encode(f"{part} {sentence}")
            if ids_of_part and len(together) <= self.room // 4:
                part, ids_of_part = f"{part} {sentence}", together
                continue
            if ids_of_part:
                yield ids_of_part
            part, ids_of_part = sentence, ids
        yield ids_of_part

    def _aligned(
        self,
        results: list[Translation],
        sources: Sequence[list[int]],
        targets: list[list[int]],
        step: str,
        layer: int | None,
    ) -> list[Translation]:
        from regard.data import pad
        from regard.inspection import cross_attention, group_words

        ids = self.handle.config
        target = pad(targets, pad_id=ids.pad_id, eos_id=ids.eos_id)[0].to(self.device)
        target = target[:, :-1]  # the end of the longest belongs to no word
        weights = cross_attention(self.model, self.batch(sources), target, layer=layer, step=step)
        weights = weights.mean(1)[:, :, len(self.before) :]  # over heads; of the text's own tokens
        aligned = []
        for row, result in enumerate(results):
            source_words = self.tokenizers.source.words(sources[row])
            target_words = self.tokenizers.target.words(targets[row])
            grouped = group_words(
                weights[row],
                [word.indices for word in target_words],
                [word.indices for word in source_words],
            )
            aligned.append(
                replace(
                    result,
                    source_words=[word.text for word in source_words],
                    target_words=[word.text for word in target_words],
                    alignment=grouped.float().cpu().numpy(),
                )
            )
        return aligned

    def alignment_caption(self, step: str, layer: int | None = None) -> str:
        """Return a caption of the numbers of `Translation.alignment`."""

        caption = "α of cross-attention"
        if not self.model.stepwise:
            config = self.model.config
            layers = f"{config.decoder_layers} layers × " if layer is None else ""
            caption += f", mean over {layers}{config.decoder_heads} heads"
            caption += "" if layer is None else f" of layer {layer}"
        caption += f", at the decoder's {step} step"
        if self.packed is not None:
            caption += f", of the model's own weights; the text is by {self.computed_by}"
        return caption


def _sentences(text: str) -> Iterator[str]:
    begin = 0
    for space in re.finditer(r"(?<=[.!?।…])\s+", text):
        yield text[begin : space.start()]
        begin = space.end()
    yield text[begin:]


def _best(n_best: list[Translation]) -> Translation:
    return replace(n_best[0], alternatives=n_best)


def _join(parts: list[Translation]) -> Translation:
    """Return one result from those of a text's parts; nothing at all for an empty text.

    Each alternative joins those of its rank: the text's second best the second best of every part.
    """
    if len(parts) == 1:
        return parts[0]
    alignment = None
    if parts and all(part.alignment is not None for part in parts):
        alignment = _block_diagonal(
            [part.alignment for part in parts if part.alignment is not None]
        )
    ranks = list(zip(*(part.alternatives for part in parts), strict=False)) or [()]
    return replace(
        _best([_joined(rank) for rank in ranks]),
        source_words=[word for part in parts for word in part.source_words],
        target_words=[word for part in parts for word in part.target_words],
        alignment=alignment,
    )


def _joined(parts: Sequence[Translation]) -> Translation:
    return Translation(
        " ".join(part.text for part in parts),
        sum(part.score for part in parts),
        all(part.finished for part in parts),
        tokens=[token for part in parts for token in part.tokens],
        ids=[id_ for part in parts for id_ in part.ids],
    )


def _block_diagonal(blocks: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    whole = np.zeros(np.sum([block.shape for block in blocks], axis=0), dtype=np.float32)
    row = column = 0
    for block in blocks:
        whole[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return whole
