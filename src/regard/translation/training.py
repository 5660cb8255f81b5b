"""Train a translator on a file of sentence pairs: read, clean, split, tokenize, fit, save."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from regard.data import Batch, Batches
from regard.errors import BadArgumentError
from regard.generation import GenerationConfig
from regard.models import AnyEncoderDecoder, EncoderDecoder
from regard.text import normalise
from regard.training import (
    Objective,
    Progress,
    RunFolder,
    TrainingConfig,
    corpus_scores,
    cross_entropy,
    fit,
)
from regard.training.board import require_tensorboard, tensorboard
from regard.training.precision import choose_device
from regard.translation.architectures import build, configure, describe, learning_rate
from regard.translation.card import write_card
from regard.translation.data import TranslationData, check_files, prepare
from regard.translation.translator import Translator


@dataclass(frozen=True)
class TrainingOptions:
    """What `regard train translation` can be told; None leaves the choice to the preset."""

    output: str = "runs/translation"
    source_language: str = "source"
    target_language: str = "target"
    license: str = "unknown"  # of the weights, for the model card
    data_note: str = ""  # what the data is and whose, for the model card
    architecture: str = "transformer"  # a name in tasks.architectures.ARCHITECTURES
    preset: str = "tiny"
    norm: str = "pre"  # a Transformer's
    cell: str = "gru"  # a recurrent model's
    attention: str = "bahdanau"  # a recurrent model's
    dropout: float | None = None
    vocab_size: int | None = None  # None: from the amount of text
    separate_vocabularies: bool = False
    dev: str | None = None  # a file of pairs; None: split off
    test: str | None = None  # a file of pairs to keep out of training; None: split off with dev
    max_length: int = 256  # tokens on a side; longer training pairs are left out and counted
    max_tokens: int = 4096  # padded target tokens in a batch
    accumulate: int = 1
    learning_rate: float | None = None
    warmup: int = 1000
    cooldown: int = 0  # steps before max_steps over which the rate falls to zero
    label_smoothing: float = 0.1
    weight_decay: float = 0.0
    max_steps: int | None = None
    max_epochs: float | None = None
    max_minutes: float | None = None
    evaluate_every: int = 250
    dev_sentences: int = 500  # translated at each evaluation for BLEU and chrF
    average: int = 5
    patience: int = 10
    device: str = "auto"  # "cuda" where there is one, else "cpu"
    precision: str = "auto"
    seed: int = 1
    tensorboard: bool = False

    def __post_init__(self) -> None:
        # Checked here, before an hour of reading data, and again where they are used.
        model = configure(self, 8)
        _training_config(self)
        longest = model.max_positions - 1  # one position is for the end of sentence
        if not 0 < self.max_length <= longest:
            raise BadArgumentError(
                f"max_length must be from 1 to {longest}; got {self.max_length}."
            )
        if self.max_epochs is not None and not self.max_epochs > 0:
            raise BadArgumentError(f"max_epochs must be above 0; got {self.max_epochs}.")
        if not 0 <= self.label_smoothing < 1:
            raise BadArgumentError(
                f"label_smoothing must be at least 0 and below 1; got {self.label_smoothing}."
            )
        if self.dev_sentences <= 0:
            raise BadArgumentError(f"dev_sentences must be above 0; got {self.dev_sentences}.")


# A resumed run may change what no step's result depends on: limits, names, how it is evaluated, and
# where files stand (their contents are checked).
FREE = {"output", "dev", "test", "max_steps", "max_epochs", "max_minutes", "patience"}
FREE |= {"evaluate_every", "dev_sentences", "average", "tensorboard"}
FREE |= {"source_language", "target_language", "license", "data_note", "device"}

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
        say: told, a sentence at a time, what was read, dropped, split and chosen.
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
    model = build(options, data.tokenizers).to(device)
    count = sum(p.numel() for p in model.parameters() if p.requires_grad)
    say(f"model: {describe(options)}, {count:,} parameters")
    config = _training_config(options)
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


def _all(watchers: Sequence[Watch]) -> Watch:
    def watch(event: str, progress: Progress) -> None:
        for watcher in watchers:
            watcher(event, progress)

    return watch


def _training_config(options: TrainingOptions) -> TrainingConfig:
    shared = {field.name for field in fields(TrainingConfig)}
    values = {name: value for name, value in asdict(options).items() if name in shared}
    values["learning_rate"] = learning_rate(options)
    return TrainingConfig(**values)


def _objective(
    options: TrainingOptions, data: TranslationData, folder: Path, command: str
) -> Objective[Batch]:
    def loss(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        assert isinstance(model, AnyEncoderDecoder)
        batch = batch.to(model.output_weight.device)
        loss = _loss(model, batch.source, batch.target, options.label_smoothing)
        return loss, batch.num_target_tokens

    def evaluate(model: nn.Module) -> dict[str, float]:
        assert isinstance(model, AnyEncoderDecoder)
        translator = Translator(model, data.tokenizers)
        return evaluate_translator(translator, data.dev, sentences=options.dev_sentences)

    def save(model: nn.Module, progress: Progress) -> None:
        assert isinstance(model, AnyEncoderDecoder)
        dtype = torch.float32 if options.precision == "fp32" else torch.bfloat16
        generation = GenerationConfig(num_beams=5)
        Translator(model, data.tokenizers, generation=generation).save(folder, dtype=dtype)
        write_card(folder, model, options, data, progress, command)

    return Objective(loss, evaluate, "bleu", save, _collapsed)


def _loss(
    model: AnyEncoderDecoder, source: Tensor, target: Tensor, label_smoothing: float
) -> Tensor:
    """Summed loss over the real target tokens; padded positions never reach the projection."""
    hidden = model.hidden(source, target).flatten(0, 1)
    target = target.flatten()
    real = (target != model.config.pad_id).nonzero()[:, 0]
    hidden, weight = hidden.index_select(0, real), model.output_weight
    if isinstance(model, EncoderDecoder) and model.logits_bias is not None:
        # The bias is the weight of one more state, which is always 1.
        hidden = functional.pad(hidden, (0, 1), value=1.0)
        weight = torch.cat([weight, model.logits_bias[:, None]], dim=1)
    return cross_entropy(hidden, weight, target[real], label_smoothing=label_smoothing)


def evaluate_translator(
    translator: Translator, pairs: Sequence[tuple[str, str]], *, sentences: int
) -> dict[str, float]:
    """What a training run watches: the loss on all pairs; BLEU, chrF and the share of distinct
    outputs of greedy decoding on `sentences` of them, spread evenly: files are often sorted."""
    count = min(sentences, len(pairs))
    scored = [pairs[k * len(pairs) // count] for k in range(count)]
    # A young model rarely ends a sentence; nothing is learnt from how long it would go on.
    longest = max(map(len, translator.tokenizers.target.encode_batch([t for _, t in scored])))
    results = translator.run(
        [source for source, _ in scored], batch_size=128, num_beams=1, max_new_tokens=longest + 10
    )
    hypotheses = [result.text for result in results]
    scores = corpus_scores(hypotheses, [target for _, target in scored])
    return {
        "loss": mean_loss(translator, pairs),
        "bleu": scores.bleu,
        "chrf": scores.chrf,
        "distinct": len(set(hypotheses)) / len({source for source, _ in scored}),
        "sentences": float(len(scored)),
    }


@torch.inference_mode()
def mean_loss(translator: Translator, pairs: Sequence[tuple[str, str]]) -> float:
    """Cross-entropy per target token, end of sentence included, in nats, without smoothing.

    Source and target are asked as the checkpoint wants them: prefix, special tokens, languages.
    """
    sources = [translator.encode(normalise(source)) for source, _ in pairs]
    targets = [torch.tensor(translator.expected(normalise(target))) for _, target in pairs]
    pad_id = translator.model.config.pad_id
    order = sorted(range(len(pairs)), key=lambda k: len(targets[k]))
    loss, tokens = 0.0, 0
    for start in range(0, len(order), 64):
        chosen = order[start : start + 64]
        source = translator.batch([sources[k] for k in chosen])
        target = pad_sequence([targets[k] for k in chosen], True, pad_id).to(translator.device)
        loss += _loss(translator.model, source, target, label_smoothing=0.0).item()
        tokens += sum(len(targets[k]) for k in chosen)
    return loss / tokens


def _collapsed(figures: dict[str, float]) -> bool:
    return figures["sentences"] >= 50 and figures["distinct"] < 0.05
