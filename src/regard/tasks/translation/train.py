"""Train a translator on a file of sentence pairs: read, clean, split, tokenize, fit, save."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from torch import nn

from regard.data.memories import MEMORIES
from regard.data.reader import suffix_of
from regard.engine.calibration import Calibration
from regard.errors import BadArgumentError
from regard.generation import GenerationConfig
from regard.models import AnyEncoderDecoder, RecurrentEncoderDecoder
from regard.models.configs.recurrent import RecurrentConfig
from regard.tasks.translation.certainty import Judged, of_language
from regard.tasks.translation.data import TranslationData, by_part, fill, pairs_of
from regard.tasks.translation.growing import with_subwords
from regard.tasks.translation.read import Pairs, held_files, languages_of, pair_files, tag
from regard.tasks.translation.score import (
    TranslationEvaluator,
    dev_figures,
    figures_of_all,
    read_test_set,
)
from regard.tasks.translation.task import Translator
from regard.tasks.translation.train_options import BEAMS, TrainingOptions
from regard.text.layouts import surround
from regard.training import Progress
from regard.training.card import CardText
from regard.training.examples import read_examples
from regard.training.prepared import Values
from regard.training.recipe import Say, Watch, learn
from regard.training.sequence_scores import spread
from regard.training.sequences import SequenceRecipe

if TYPE_CHECKING:
    from regard.models.configs.encoder_decoder import EncoderDecoderConfig

COUNTED = 100_000  # sources that the words of the language are counted in


class TranslationRecipe(SequenceRecipe[TrainingOptions, TranslationData, Translator]):
    """An encoder–decoder that learns from sentence pairs; see `Recipe`."""

    task = Translator
    data_class = TranslationData
    tag = "translation"
    evaluator = TranslationEvaluator
    metric = "bleu"
    shown: ClassVar = {"loss": "dev loss {:.3f}", "bleu": "BLEU {:5.2f}", "chrf": "chrF {:5.2f}"}

    def __init__(self, source: Pairs, options: TrainingOptions, *, say: Say, command: str):
        self.pairs = pair_files(source)
        self.languages = languages_of(self.pairs)  # the targets', where there are several
        if self.languages and options.target_language != TrainingOptions.target_language:
            raise BadArgumentError(
                "target_language is that of a model of one target; got"
                f" {options.target_language!r} with files of {', '.join(self.languages)}. Leave it"
                " out."
            )
        if len(self.pairs) == 1 and options.temperature != TrainingOptions.temperature:
            raise BadArgumentError(
                f"temperature weighs several files; got {options.temperature} with one. Leave it"
                " out, or give more files."
            )
        self.targets = self.languages or [options.target_language]
        self.title = f"{options.source_language} → {', '.join(self.targets)}"
        paths = [path for file in self.pairs for path in file.paths]
        super().__init__(paths, options, say=say, command=command)
        self.judged: Judged | None = None  # of the last evaluation, of one target language
        self._language: Calibration | None = None  # of the sources

    @property
    def names(self) -> list[str]:
        files = (file for file in self.pairs for _ in file.paths)
        return list(
            dict.fromkeys(
                file.title or name for file, name in zip(files, super().names, strict=True)
            )
        )

    def shown_figures(self) -> Mapping[str, str]:
        return {**self.shown, **{f"bleu_{each}": f"{each} {{:.2f}}" for each in self.languages}}

    @property
    def files(self) -> list[str]:
        options = self.options
        dev = held_files(options.dev, self.languages, self.pairs)
        test = held_files(options.test, self.languages)
        return [*self.source, *(path for file in chain(dev, test) for path in file.paths)]

    def open_base(self, name: str) -> Translator:
        translator = super().open_base(name)
        if self.languages:
            return self.with_targets(translator)
        if not translator.has_languages:
            return translator
        return for_languages(translator, self.options.source_language, self.options.target_language)

    def with_targets(self, translator: Translator) -> Translator:
        """Return the translator with a direction for each target language."""
        return translator.with_directions(
            {
                (
                    file.origin or self.options.source_language,
                    file.language,
                ): f"{tag(file.language)} "
                for file in self.pairs
            }
        )

    def made_by(self) -> dict[str, Any]:
        made_by = super().made_by()
        if self.languages:
            languages = [file.language for file in self.pairs]
            made_by |= {"languages": languages, "source_language": self.options.source_language}
        if len(self.pairs) > 1:
            made_by["read"] = [
                [file.weight, file.most, *(["reverse"] if file.reverse else [])]
                for file in self.pairs
            ]
        if any(suffix_of(Path(path)) in MEMORIES for path in self.files):
            made_by["sides"] = [self.options.source_language, self.options.target_language]
        if self.base is not None:
            around = [list(self.base.before), list(self.base.after)]
            made_by |= {"prefix": self.base.prefix, "around": around}
        return made_by

    def fill(self, folder: Path) -> tuple[str, Values]:
        return fill(self.pairs, self.options, folder, self.say, self.base)

    def model(self, data: TranslationData) -> AnyEncoderDecoder:
        if self.base is not None and any(data.new_subwords):
            # From here on, the base is one that has them.
            self.base = with_subwords(
                self.base, data.tokenizers, data.new_subwords, seed=self.options.seed
            )
        return super().model(data)

    def new_model(self, config: "EncoderDecoderConfig | RecurrentConfig") -> AnyEncoderDecoder:
        if isinstance(config, RecurrentConfig):
            return RecurrentEncoderDecoder(config)
        return super().new_model(config)

    def new_task(self, model: AnyEncoderDecoder, data: TranslationData) -> Translator:
        new = Translator(model, data.tokenizers, generation=GenerationConfig(**BEAMS))
        return self.with_targets(new) if self.languages else new

    def evaluate(self, model: nn.Module, data: TranslationData) -> dict[str, float]:
        translator, most = self.task_of(model, data), self.options.dev_sentences
        parts = by_part(data.dev)
        scored = {
            part: dev_figures(
                translator.between(target=part) if self.languages else translator,
                pairs,
                sentences=max(1, most // len(parts)),
            )
            for part, pairs in parts.items()
        }
        words = [judged for _, judged in scored.values()]
        self.judged = None if self.languages else Judged.joined(words)
        figures = {part: each for part, (each, _) in scored.items()}
        return figures_of_all(figures) if len(parts) > 1 else figures.popitem()[1]

    def save_task(
        self, model: nn.Module, data: TranslationData, figures: dict[str, float], folder: Path
    ) -> None:
        super().save_task(model, data, figures, folder)
        if self.judged is not None:
            if self._language is None:
                decode = data.tokenizers.source.decode
                rows = spread(range(len(data.train)), COUNTED)
                self._language = of_language([decode(data.train[row][0]) for row in rows])
            replace(self._language, unsure_below=self.judged.threshold()).save(folder)

    def test_sets(
        self, run: Path, part: str = "test"
    ) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        test = None if self.languages else self.options.test
        for language in self.languages or [""]:
            file = run / "data" / f"{part}.jsonl"
            if pairs := read_test_set(test) if test else pairs_of(read_examples(file), language):
                yield language, pairs

    def card(self, model: nn.Module, data: TranslationData, figures: dict[str, float]) -> CardText:
        subwords = cast(AnyEncoderDecoder, model).config.decoder_vocab_size
        facts = {
            "language": [self.options.source_language, *self.targets],
            "vocabulary": subwords,
            # Without the table of sinusoidal positions, which does not learn.
            "parameters": sum(p.numel() for p in model.parameters() if p.requires_grad),
        }
        results = [
            f"Dev set, {figures['sentences']:.0f} sentences, greedy: BLEU {figures['bleu']:.1f},"
            f" chrF {figures['chrf']:.1f}",
            f"Whole dev set: loss {figures['loss']:.3f} nats per token",
            *(
                f"{part}: BLEU {figures[f'bleu_{part}']:.1f}, chrF {figures[f'chrf_{part}']:.1f}"
                for part in by_part(data.dev)
                if f"bleu_{part}" in figures
            ),
            *([] if self.judged is None else self.judged.card(self.judged.threshold())),
        ]
        about = [f"Vocabulary: {subwords:,} subwords"]
        return CardText({"pairs": len(data.train)}, results, about, facts)

    def collapsed(self, figures: dict[str, float]) -> bool:
        return figures["sentences"] >= 50 and figures["distinct"] < 0.05


def for_languages(translator: Translator, source: str, target: str) -> Translator:
    """Return a translator of several languages for one direction, which its tokenizer then writes
    down.

    Raises:
        BadArgumentError: a language that it does not know.
    """
    chosen = translator.between(source, target)
    tokenizer = chosen.tokenizers.source
    if (chosen.before, chosen.after) != (translator.before, translator.after):
        before, after = tokenizer.tokens(chosen.before), tokenizer.tokens(chosen.after)
        surround(
            tokenizer.backend,
            " ".join([*before, "$A", *after]),
            " ".join([*before, "$A", "$B", *after]),
        )
    return chosen


def train_translation(
    pairs: Pairs,
    options: TrainingOptions,
    *,
    watch: Watch = lambda event, progress: None,
    say: Callable[[str], None] = lambda sentence: None,
    command: str = "",
    data: TranslationData | None = None,
) -> Progress:
    """Trains in `options.output`, or resumes the run that is there; the best model is in `model/`.

    Args:
        pairs: a file of sentence pairs, a source file and a target file as a tuple, or a list of
            files of pairs.
        watch: called as watch(event, progress), see `training.fit`.
        say: called with a sentence at a time on what was read, dropped, split and chosen.
        command: the command line, for the model card.
        data: the pairs as `prepare` returned them, to share with other runs; the run's own folder
            has them when not given.

    Raises:
        RegardError: as `learn`.
    """
    recipe = TranslationRecipe(pairs, options, say=say, command=command)
    return learn(recipe, watch=watch, data=data)
