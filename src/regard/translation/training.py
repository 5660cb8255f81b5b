"""Train a translator on a file of sentence pairs: read, clean, split, tokenize, fit, save."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from torch import nn

from regard.generation import GenerationConfig
from regard.models import AnyEncoderDecoder
from regard.recipes.recipe import Say, Watch, learn
from regard.recipes.sequences import SequenceRecipe
from regard.text.layouts import surround
from regard.training import Progress
from regard.translation.architectures import find_architecture
from regard.translation.card import write_card
from regard.translation.data import TranslationData, prepare
from regard.translation.evaluation import dev_figures
from regard.translation.files import Pairs, pair_files
from regard.translation.growing import with_subwords
from regard.translation.options import TrainingOptions
from regard.translation.translator import Translator


class TranslationRecipe(SequenceRecipe[TrainingOptions, TranslationData, Translator]):
    """An encoder–decoder that learns from sentence pairs; see `Recipe`."""

    task = Translator
    metric = "bleu"
    shown: ClassVar = {"loss": "dev loss {:.3f}", "bleu": "BLEU {:5.2f}", "chrf": "chrF {:5.2f}"}

    def __init__(self, source: Pairs, options: TrainingOptions, *, say: Say, command: str):
        self.pairs = source
        train = [path for file in pair_files(source, options.weights) for path in file.paths]
        super().__init__(train, options, say=say, command=command)

    def open_base(self, name: str) -> Translator:
        translator = super().open_base(name)
        if not translator.has_languages:
            return translator
        return for_languages(translator, self.options.source_language, self.options.target_language)

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
        return Translator(model, data.tokenizers, generation=GenerationConfig(num_beams=5))

    def evaluate(self, model: nn.Module, data: TranslationData) -> dict[str, float]:
        translator = self.task_of(model, data)
        return dev_figures(translator, data.dev, sentences=self.options.dev_sentences)

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
