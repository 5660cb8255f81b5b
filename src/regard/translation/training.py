"""Train a translator on a file of sentence pairs: read, clean, split, tokenize, fit, save."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch
from torch import Tensor, nn

from regard.data import Batch, Batches
from regard.generation import GenerationConfig
from regard.models import AnyEncoderDecoder
from regard.text import TokenizerPair
from regard.training import Objective, Progress, RunFolder, fit
from regard.training.precision import choose_device
from regard.training.trackers import require_tensorboard, tensorboard
from regard.translation.architectures import find_architecture
from regard.translation.card import write_card
from regard.translation.data import TranslationData, check_files, prepare
from regard.translation.evaluation import dev_figures, summed_loss
from regard.translation.options import FREE, TrainingOptions
from regard.translation.translator import Translator

Watch = Callable[[str, Progress], None]


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
        data: the pairs as `prepare` gave them, to share with other runs; the run's own folder
            has them when not given.

    Raises:
        BadArgumentError: a mistake in the options, or a run that this cannot resume.
        NotFoundError: a file of pairs is missing.
        DamagedFileError: a file of pairs, or of the run, cannot be read.
        UnavailableError: another process trains there, or nothing can be written.
    """
    if options.tensorboard:
        require_tensorboard()
    check_files(pairs, options)  # before anything is written
    run = RunFolder(Path(options.output), warn=say)
    with run.locked():
        return _train(pairs, options, run, watch, say, command, data)


def _train(
    pairs: str | tuple[str, str],
    options: TrainingOptions,
    run: RunFolder,
    watch: Watch,
    say: Callable[[str], None],
    command: str,
    data: TranslationData | None,
) -> Progress:
    device = choose_device(options.device)
    if data is None:
        data = prepare(pairs, options, run.path / "data", say=say)
    torch.manual_seed(options.seed)
    model = _untrained(options, data.tokenizers).to(device)
    count = sum(p.numel() for p in model.parameters() if p.requires_grad)
    say(f"model: {options.model_name()}, {count:,} parameters")
    config = options.training_config()
    objective = _objective(options, data, run.path / "model", command)
    batches = Batches(
        data.store,
        max_tokens=options.max_tokens,
        pad_id=model.config.pad_id,
        eos_id=model.config.eos_id,
        seed=options.seed,
    )
    if options.max_epochs is not None:
        steps = max(1, round(options.max_epochs * len(batches) / options.accumulate))
        config = replace(config, max_steps=min(steps, config.max_steps or steps))
    # Only now: what is refused above must leave no run that a corrected option contradicts.
    free = FREE - {"max_steps", "max_epochs"} if options.cooldown else FREE
    run.start(
        asdict(options) | {"data_sha256": data.sha256},
        free=free,
        threads=torch.get_num_threads() if device.type == "cpu" else None,
    )
    watchers = [watch, tensorboard(run.path)] if options.tensorboard else [watch]
    return fit(model, batches, objective, config, run, watch=_all(watchers))


def _untrained(options: TrainingOptions, tokenizers: TokenizerPair) -> AnyEncoderDecoder:
    """A model with random weights for these tokenizers."""
    target = tokenizers.target
    config = options.model_config(
        tokenizers.source.vocab_size,
        target_vocab_size=None if tokenizers.joint else target.vocab_size,
        pad_id=target.pad_id,
        eos_id=target.eos_id,
        start_id=target.pad_id,
    )
    return find_architecture(options.architecture).model(config)


def _all(watchers: Sequence[Watch]) -> Watch:
    def watch(event: str, progress: Progress) -> None:
        for watcher in watchers:
            watcher(event, progress)

    return watch


def _objective(
    options: TrainingOptions, data: TranslationData, folder: Path, command: str
) -> Objective[Batch]:
    def loss(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        assert isinstance(model, AnyEncoderDecoder)
        batch = batch.to(model.output_weight.device)
        loss = summed_loss(model, batch.source, batch.target, options.label_smoothing)
        return loss, batch.num_target_tokens

    def evaluate(model: nn.Module) -> dict[str, float]:
        assert isinstance(model, AnyEncoderDecoder)
        translator = Translator(model, data.tokenizers)
        return dev_figures(translator, data.dev, sentences=options.dev_sentences)

    def save(model: nn.Module, progress: Progress) -> None:
        assert isinstance(model, AnyEncoderDecoder)
        dtype = torch.float32 if options.precision == "fp32" else torch.bfloat16
        generation = GenerationConfig(num_beams=5)
        Translator(model, data.tokenizers, generation=generation).save(folder, dtype=dtype)
        write_card(folder, model, options, data, progress, command)

    return Objective(loss, evaluate, "bleu", save, _collapsed)


def _collapsed(figures: dict[str, float]) -> bool:
    return figures["sentences"] >= 50 and figures["distinct"] < 0.05
