"""Train a translator on a file of sentence pairs: read, clean, split, tokenize, fit, save."""

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor, nn

from regard.data import Batch, Batches
from regard.generation import GenerationConfig
from regard.models import AnyEncoderDecoder
from regard.recipes.recipe import Recipe, Watch, learn
from regard.training import Progress
from regard.translation.architectures import find_architecture
from regard.translation.card import write_card
from regard.translation.data import TranslationData, files_of, prepare
from regard.translation.evaluation import dev_figures, summed_loss
from regard.translation.options import TrainingOptions
from regard.translation.translator import Translator


class TranslationRecipe(Recipe[TrainingOptions, TranslationData]):
    """An encoder–decoder that learns from sentence pairs; see `Recipe`."""

    metric = "bleu"
    shown: ClassVar = {"loss": "dev loss {:.3f}", "bleu": "BLEU {:5.2f}", "chrf": "chrF {:5.2f}"}

    @property
    def pairs(self) -> str | tuple[str, str]:
        """A file of pairs, or a source file and a target file."""
        return self.source[0] if len(self.source) == 1 else (self.source[0], self.source[1])

    @property
    def files(self) -> list[str]:
        return files_of(self.pairs, self.options)

    def prepare(self, folder: Path) -> TranslationData:
        return prepare(self.pairs, self.options, folder, say=self.say)

    def model(self, data: TranslationData) -> AnyEncoderDecoder:
        tokenizers, target = data.tokenizers, data.tokenizers.target
        config = self.options.model_config(
            tokenizers.source.vocab_size,
            target_vocab_size=None if tokenizers.joint else target.vocab_size,
            pad_id=target.pad_id,
            eos_id=target.eos_id,
            start_id=target.pad_id,
        )
        return find_architecture(self.options.architecture).model(config)

    def describe(self, model: nn.Module) -> str:
        return self.options.model_name()

    def batches(self, data: TranslationData, model: nn.Module) -> Batches:
        assert isinstance(model, AnyEncoderDecoder)
        return Batches(
            data.store,
            max_tokens=self.options.max_tokens,
            pad_id=model.config.pad_id,
            eos_id=model.config.eos_id,
            seed=self.options.seed,
        )

    def loss(self, model: nn.Module, batch: Batch) -> tuple[Tensor, int, int]:
        assert isinstance(model, AnyEncoderDecoder)
        batch = batch.to(model.output_weight.device)
        loss = summed_loss(model, batch.source, batch.target, self.options.label_smoothing)
        return loss, batch.num_target_tokens, batch.num_target_tokens

    def evaluate(self, model: nn.Module, data: TranslationData) -> dict[str, float]:
        assert isinstance(model, AnyEncoderDecoder)
        translator = Translator(model, data.tokenizers)
        return dev_figures(translator, data.dev, sentences=self.options.dev_sentences)

    def save(
        self, model: nn.Module, data: TranslationData, progress: Progress, folder: Path
    ) -> None:
        assert isinstance(model, AnyEncoderDecoder)
        dtype = torch.float32 if self.options.precision == "fp32" else torch.bfloat16
        generation = GenerationConfig(num_beams=5)
        Translator(model, data.tokenizers, generation=generation).save(folder, dtype=dtype)
        write_card(folder, model, self.options, data, progress, self.command)

    def collapsed(self, figures: dict[str, float]) -> bool:
        return figures["sentences"] >= 50 and figures["distinct"] < 0.05


def train_translation(
    pairs: str | tuple[str, str],
    options: TrainingOptions,
    *,
    watch: Watch = lambda event, progress: None,
    say: Callable[[str], None] = lambda sentence: None,
    command: str = "",
    data: TranslationData | None = None,
) -> Progress:
    """Trains in `options.output`, or resumes the run that is there; the best model is in `model/`.

    Args:
        pairs: a file of sentence pairs, or a source file and a target file.
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
