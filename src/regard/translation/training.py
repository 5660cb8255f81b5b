"""Train a translator on a file of sentence pairs: read, clean, split, tokenize, fit, save."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from torch import nn

from regard.errors import BadArgumentError
from regard.generation import GenerationConfig
from regard.models import AnyEncoderDecoder
from regard.recipes.recipe import Say, Watch, learn
from regard.recipes.sequences import SequenceRecipe
from regard.text.layouts import surround
from regard.training import Progress
from regard.translation.architectures import find_architecture
from regard.translation.card import write_card
from regard.translation.data import TranslationData, files_of, prepare
from regard.translation.evaluation import (
    TranslationEvaluator,
    dev_figures,
    figures_of_all,
    read_test_set,
)
from regard.translation.files import Pairs, languages_of, pair_files, tag
from regard.translation.growing import with_subwords
from regard.translation.options import TrainingOptions
from regard.translation.parts import held_in
from regard.translation.translator import Translator


class TranslationRecipe(SequenceRecipe[TrainingOptions, TranslationData, Translator]):
    """An encoder–decoder that learns from sentence pairs; see `Recipe`."""

    task = Translator
    evaluator = TranslationEvaluator
    metric = "bleu"
    shown: ClassVar = {"loss": "dev loss {:.3f}", "bleu": "BLEU {:5.2f}", "chrf": "chrF {:5.2f}"}

    def __init__(self, source: Pairs, options: TrainingOptions, *, say: Say, command: str):
        self.pairs = source
        train = pair_files(source, options.weights)
        self.languages = languages_of(train)  # the targets', where there are several
        if self.languages and options.target_language != TrainingOptions.target_language:
            raise BadArgumentError(
                "target_language is that of a model of one target; got"
                f" {options.target_language!r} with files of {', '.join(self.languages)}. Leave it"
                " out."
            )
        if not self.languages and options.temperature != TrainingOptions.temperature:
            raise BadArgumentError(
                f"temperature weighs several target languages; got {options.temperature} with one."
                " Leave it out, or give files as de=FILE hi=FILE."
            )
        paths = [path for file in train for path in file.paths]
        super().__init__(paths, options, say=say, command=command)

    def shown_figures(self) -> Mapping[str, str]:
        return {**self.shown, **{f"bleu_{each}": f"{each} {{:.2f}}" for each in self.languages}}

    @property
    def files(self) -> list[str]:
        return files_of(self.pairs, self.options)

    def open_base(self, name: str) -> Translator:
        translator = super().open_base(name)
        if self.languages:
            return self.with_targets(translator)
        if not translator.has_languages:
            return translator
        return for_languages(translator, self.options.source_language, self.options.target_language)

    def with_targets(self, translator: Translator) -> Translator:
        """The translator with a direction for each target language."""
        prefixes = {language: f"{tag(language)} " for language in self.languages}
        return translator.with_directions(self.options.source_language, prefixes)

    def prepare(self, folder: Path) -> TranslationData:
        return prepare(self.pairs, self.options, folder, say=self.say, base=self.base)

    def model(self, data: TranslationData) -> AnyEncoderDecoder:
        if self.base is not None and any(data.new_subwords):
            # From here on, the base is one that has them.
            self.base = with_subwords(
                self.base, data.tokenizers, data.new_subwords, seed=self.options.seed
            )
        return super().model(data)

    def new_model(self, config: Any) -> AnyEncoderDecoder:
        return find_architecture(self.options.architecture).model(config)

    def new_task(self, model: AnyEncoderDecoder, data: TranslationData) -> Translator:
        new = Translator(model, data.tokenizers, generation=GenerationConfig(num_beams=5))
        return self.with_targets(new) if self.languages else new

    def evaluate(self, model: nn.Module, data: TranslationData) -> dict[str, float]:
        translator, most = self.task_of(model, data), self.options.dev_sentences
        if not self.languages:
            return dev_figures(translator, data.dev, sentences=most)
        return figures_of_all(
            {
                language: dev_figures(
                    translator.between(self.options.source_language, language),
                    pairs,
                    sentences=max(1, most // len(self.languages)),
                )
                for language, pairs in data.dev_of.items()
            }
        )

    def test_sets(self, run: Path) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        test = None if self.languages else self.options.test
        for language in self.languages or [""]:
            file = run / "data" / "test.tsv"
            if pairs := read_test_set(test) if test else held_in(file, language):
                yield language, pairs

    def write_card(
        self, model: nn.Module, data: TranslationData, progress: Progress, folder: Path
    ) -> None:
        assert isinstance(model, AnyEncoderDecoder)
        write_card(folder, model, self.options, data, progress, self.command)

    def collapsed(self, figures: dict[str, float]) -> bool:
        return figures["sentences"] >= 50 and figures["distinct"] < 0.05


def for_languages(translator: Translator, source: str, target: str) -> Translator:
    """A translator of several languages for one direction, which its tokenizer then writes down.

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
