"""The options of training, each with its only default and its help.

The commands are made from these classes, so nothing here imports torch before an option is used.
"""

from dataclasses import Field, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from regard.errors import BadArgumentError, check_choice, unknown

if TYPE_CHECKING:
    from regard.training import TrainingConfig


def option(
    default: Any,
    help: str,
    *,
    shown: str | None = None,
    flag: str | None = None,
    metavar: str | None = None,
    min: float | None = None,
    max: float | None = None,
    free: bool = False,
    panel: str = "Training",
) -> Any:
    """A field of a class of options.

    Args:
        default: None leaves the choice to the recipe.
        shown: what --help shows for a default that is computed: "split off".
        flag: on the command line, where it differs from the field's name.
        metavar: what --help shows for its value: "tiny|small".
        min, max: bounds that the command checks.
        free: a resumed run may change it: no step's result depends on it.
        panel: the part of --help that lists it.
    """
    about = dict(help=help, shown=shown, flag=flag, metavar=metavar, min=min, max=max)
    return field(default=default, metadata={**about, "free": free, "panel": panel})


def data_option(default: Any, help: str, **more: Any) -> Any:
    return option(default, help, panel="Data", **more)


def model_option(default: Any, help: str, **more: Any) -> Any:
    return option(default, help, panel="Model", **more)


def limit_option(default: Any, help: str, **more: Any) -> Any:
    return option(default, help, panel="Evaluation and limits", free=True, **more)


@dataclass(frozen=True)
class RunOptions:
    """What every training run can be asked.

    Raises:
        BadArgumentError: a value out of range.
    """

    output: str = data_option("runs/model", "The run's folder.", free=True)
    dev: str | None = data_option(
        None, "A file like the data, to choose the best model by.", shown="split off", free=True
    )
    license: str = data_option("unknown", "The weights' license, for the model card.", free=True)
    data_note: str = data_option(
        "", "What the data is, for the model card.", shown="the file", free=True
    )
    max_tokens: int = option(4096, "Tokens in a batch, padding counted.", min=1)
    accumulate: int = option(1, "Batches in a step.", min=1)
    learning_rate: float | None = option(None, "At its peak.", shown="preset's")
    warmup: int | None = option(1000, "Steps up to the peak.", min=0)
    schedule: str = option(
        "inverse-sqrt",
        "How the rate falls after the peak; linear and cosine reach 0 at the last step.",
        metavar="inverse-sqrt|linear|cosine",
    )
    cooldown: int = option(0, "Last steps of --max-steps, down to a rate of 0.", min=0)
    weight_decay: float = option(0.0, "AdamW's, on matrices.", min=0)
    max_steps: int | None = limit_option(None, "Stop after this many steps.", min=1)
    max_epochs: float | None = limit_option(None, "Stop after this many epochs.", min=0)
    max_minutes: float | None = limit_option(None, "Stop after this many minutes.", min=0)
    evaluate_every: int | None = limit_option(
        250, "Steps from one evaluation to the next.", flag="--eval-every", min=1
    )
    average: int = limit_option(
        5, "Newest checkpoints whose mean is the model; in a cooldown, only its own.", min=1
    )
    patience: int = limit_option(
        10, "Stop after this many evaluations without a better one; 0: never.", min=0
    )
    device: str = option("auto", "Where to compute.", metavar="auto|cpu|cuda", free=True)
    precision: str = option("auto", "Of the computation.", metavar="auto|fp32|bf16")
    seed: int = option(1, "The same seed gives the same run.")
    tensorboard: bool = option(False, "Also write TensorBoard's event files.", free=True)

    def __post_init__(self) -> None:
        """Checked here, before an hour of reading data, and again where they are used."""
        if self.max_epochs is not None and not self.max_epochs > 0:
            raise BadArgumentError(f"max_epochs must be above 0; got {self.max_epochs}.")
        self.training_config(epoch=1000)

    def peak_rate(self) -> float:
        """The learning rate at the end of the warm-up."""
        return 1e-3 if self.learning_rate is None else self.learning_rate

    def epochs(self) -> float | None:
        """After how many epochs to stop; None: never for that reason."""
        return self.max_epochs

    def warmup_steps(self, last: int) -> int:
        """The steps up to the peak, of a run that ends at step `last`."""
        return round(0.06 * last) if self.warmup is None else self.warmup

    def betas(self) -> tuple[float, float]:
        """Of AdamW: as Attention Is All You Need, section 5.3."""
        return 0.9, 0.98

    def training_config(self, *, epoch: int) -> "TrainingConfig":
        """What the training loop needs of the options.

        Args:
            epoch: steps in an epoch. Limits in epochs, and a warm-up and evaluations that were left
                to the recipe, are counted in it.
        """
        from regard.training import TrainingConfig

        steps = self.max_steps
        if (epochs := self.epochs()) is not None:
            in_epochs = max(1, round(epochs * epoch))
            steps = in_epochs if steps is None else min(steps, in_epochs)
        return TrainingConfig(
            learning_rate=self.peak_rate(),
            warmup=self.warmup_steps(steps or epoch),
            schedule=self.schedule,
            cooldown=self.cooldown,
            weight_decay=self.weight_decay,
            betas=self.betas(),
            accumulate=self.accumulate,
            evaluate_every=self.evaluate_every or max(1, min(epoch // 2, 1000)),
            average=self.average,
            patience=self.patience,
            max_steps=steps,
            max_minutes=self.max_minutes,
            precision=self.precision,
            seed=self.seed,
        )

    def free(self) -> set[str]:
        """The options that may change when the run is resumed.

        A rate that falls towards the last step depends on where that is.
        """
        free = {each.name for each in fields(self) if each.metadata["free"]}
        falls = self.cooldown or self.schedule in ("linear", "cosine")
        return free - {"max_steps", "max_epochs"} if falls else free

    @classmethod
    def settings(cls) -> dict[str, "Field[Any]"]:
        """The options by name."""
        return {each.name: each for each in fields(cls)}


@dataclass(frozen=True)
class TunedOptions(RunOptions):
    """What training a model with a head can be asked, from random weights or from a trained one."""

    test: str | None = data_option(
        None, "A file like the data, to score the finished model on.", shown="split off", free=True
    )
    base_model: str | None = model_option(
        None, "Continue from this model: a folder or hub:org/name.", flag="--from"
    )
    dropout: float | None = model_option(None, "On every sub-layer.", shown="the model's")
    train_layers: int | None = model_option(
        None, "Train the last layers and the head only; 0: the head.", shown="all", min=0
    )
    layer_decay: float = option(
        1.0, "The rate of each layer over that of the layer above it.", min=0, max=1
    )
    batch_size: int = option(32, "Most texts in a batch.", min=1)
    warmup: int | None = option(None, "Steps up to the peak.", shown="6 % of all", min=0)
    schedule: str = option(
        "linear",
        "How the rate falls after the peak; linear and cosine reach 0 at the last step.",
        metavar="inverse-sqrt|linear|cosine",
    )
    weight_decay: float = option(0.01, "AdamW's, on matrices.", min=0)
    max_epochs: float | None = limit_option(
        None, "Stop after this many epochs.", shown="3 from a trained model, else 10", min=0
    )
    evaluate_every: int | None = limit_option(
        None,
        "Steps from one evaluation to the next.",
        shown="half an epoch, at most 1000",
        flag="--eval-every",
        min=1,
    )
    average: int = limit_option(1, "Newest checkpoints whose mean is the model.", min=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base_model is None and self.train_layers is not None:
            raise BadArgumentError(
                "train_layers keeps the other layers of a trained model as they are. Give"
                " base_model, or leave train_layers out."
            )
        if not 0 < self.layer_decay <= 1:
            raise BadArgumentError(
                f"layer_decay must be above 0 and at most 1; got {self.layer_decay}."
            )

    def epochs(self) -> float | None:
        if self.max_epochs is not None or self.max_steps is not None:
            return self.max_epochs
        return 10 if self.base_model is None else 3


@dataclass(frozen=True)
class EncoderOptions(TunedOptions):
    """What training an encoder can be asked."""

    preset: str = model_option(
        "mini", "Size of a model from random weights.", metavar="tiny|mini|small|medium|base|large"
    )
    lora_rank: int = model_option(
        0, "Train low-rank adapters (LoRA) of this rank, and the head.", shown="no adapters", min=0
    )
    lora_alpha: float | None = model_option(
        None, "What adapters are multiplied by, over their rank.", shown="twice the rank", min=0
    )
    lora_targets: str = model_option(
        "attention", "The projections that have adapters.", metavar="attention|all"
    )
    vocab_size: int | None = data_option(
        None, "Subwords of a new vocabulary.", shown="from the amount of text", min=1
    )
    max_length: int = data_option(
        256, "Longer texts, in tokens, are cut, as the finished model will cut them.", min=8
    )

    def __post_init__(self) -> None:
        self.model_settings(8)
        super().__post_init__()
        if self.lora_rank and (self.base_model is None or self.train_layers is not None):
            raise BadArgumentError(
                "lora_rank trains adapters of a trained model, whose layers stay as they are. Give"
                " base_model, and leave train_layers out."
            )
        if self.lora_targets not in LORA_TARGETS:
            raise unknown("lora_targets", self.lora_targets, LORA_TARGETS)

    def peak_rate(self) -> float:
        """By default what trained well: smaller for wider models, and for a trained one."""
        if self.learning_rate is not None:
            return self.learning_rate
        if self.base_model is None:
            return SCRATCH_RATES[self.preset]
        return 1e-3 if self.lora_rank else 1e-4

    def model_settings(self, vocab_size: int) -> Any:
        """The config of a new model without a head.

        Raises:
            BadArgumentError: an unknown preset.
        """
        from regard.models import encoder_preset

        changes = {} if self.dropout is None else {"dropout": self.dropout}
        return encoder_preset(self.preset, vocab_size, **changes)


DEFAULT_VISION = "mini"  # the preset of a vision Transformer from random weights
# The projections that have adapters, by the names of their modules.
LORA_TARGETS = {
    "attention": ("query", "key", "value", "output"),
    "all": ("query", "key", "value", "output", "inner", "outer", "gate"),
}

# Peak learning rates of vision Transformers from random weights. That of mini trained well; the
# others fall with the width and are not measured.
VISION_RATES = {
    "mini": 2e-3, "micro": 1e-3, "tiny": 5e-4, "small": 3e-4, "base": 1e-4, "large": 1e-4,
    "huge": 5e-5,
}  # fmt: skip
# Peak learning rates that trained well from random weights.
SCRATCH_RATES = {
    "tiny": 1e-3, "mini": 5e-4, "small": 3e-4, "medium": 2e-4, "base": 1e-4, "large": 5e-5,
}  # fmt: skip


@dataclass(frozen=True)
class ClassificationOptions(EncoderOptions):
    """The options of `regard train classification`."""

    output: str = data_option("runs/classification", "The run's folder.", free=True)
    text: str | None = data_option(None, "The column of the texts.", shown="text, sentence, …")
    pair: str | None = data_option(
        None, "The column of second texts, for a model of pairs.", shown="none"
    )
    label: str | None = data_option(None, "The column of the labels.", shown="label, labels, …")
    separator: str | None = data_option(
        None, "Between the labels of one text; JSON has lists.", shown="one label a text"
    )
    class_weights: bool = option(False, "Weigh each label by the inverse of how often it occurs.")


@dataclass(frozen=True)
class ImageClassificationOptions(TunedOptions):
    """What training a classifier of images can be asked."""

    output: str = data_option("runs/image-classification", "The run's folder.", free=True)
    dev: str | None = data_option(
        None, "Images like the data, to choose the best model by.", shown="split off", free=True
    )
    test: str | None = data_option(
        None, "Images like the data, to score the finished model on.", shown="split off", free=True
    )
    image_size: int | None = data_option(
        None,
        "Resize to this height and width, in pixels.",
        shown="the images', or the model's",
        min=4,
    )
    preset: str | None = model_option(
        None,
        "Size of a model from random weights.",
        shown=DEFAULT_VISION,
        metavar="mini|micro|tiny|small|base|large|huge",
    )
    patch_size: int | None = model_option(
        None, "Height and width of a patch, in pixels.", shown="4 to 14 patches a side", min=1
    )
    channels: int | None = model_option(
        None,
        "Of a model from random weights. A model of 1 sees gray; programs that read every picture"
        " in color, such as transformers' pipeline, need 3.",
        shown="3",
        metavar="1|3",
    )
    shift: float = option(
        0.07, "Augmentation: move an image by up to this part of its side.", min=0, max=1
    )
    rotate: float = option(
        10.0, "Augmentation: rotate it by up to this many degrees.", min=0, max=180
    )
    scale: float = option(
        0.1, "Augmentation: enlarge or reduce it by up to this part.", min=0, max=1
    )
    flip: bool = option(False, "Augmentation: mirror every second image, left to right.")
    class_weights: bool = option(False, "Weigh each label by the inverse of how often it occurs.")
    batch_size: int = option(64, "Most images in a batch.", min=1)
    max_tokens: int = option(
        16384, "Most tokens in a batch: a token for each patch and one for the class.", min=1
    )
    weight_decay: float = option(0.05, "AdamW's, on matrices.", min=0)
    evaluate_every: int | None = limit_option(
        None,
        "Steps from one evaluation to the next.",
        shown="an epoch, at most 1000",
        flag="--eval-every",
        min=1,
    )

    def __post_init__(self) -> None:
        for name in ("image_size", "preset", "patch_size", "channels"):
            if self.base_model is not None and getattr(self, name) is not None:
                raise BadArgumentError(
                    f"{name} is that of the trained model; leave it out, or base_model."
                )
        if self.channels not in (None, 1, 3):
            raise BadArgumentError(f"channels must be 1 or 3; got {self.channels}.")
        for name, most in (("shift", 1), ("rotate", 180), ("scale", 1)):
            if not 0 <= (value := getattr(self, name)) <= most:
                raise BadArgumentError(f"{name} must be from 0 to {most}; got {value}.")
        if self.base_model is None:
            self.model_settings(())
        super().__post_init__()

    def peak_rate(self) -> float:
        """By default what trained well: smaller for wider models, and for a trained one."""
        if self.learning_rate is not None:
            return self.learning_rate
        return 1e-4 if self.base_model else VISION_RATES[self.model_name]

    def training_config(self, *, epoch: int) -> "TrainingConfig":
        config = super().training_config(epoch=epoch)
        every = self.evaluate_every or min(epoch, 1000)
        return replace(config, evaluate_every=every)

    @property
    def model_name(self) -> str:
        """The preset of a model from random weights."""
        return self.preset or DEFAULT_VISION

    def model_settings(self, labels: tuple[str, ...], **changes: Any) -> Any:
        """The config of a new model for these labels; without any, of one without a head.

        Raises:
            BadArgumentError: an unknown preset.
        """
        from regard.models import vision_preset

        if self.dropout is not None:
            changes["dropout"] = self.dropout
        head = "classification" if labels else "none"
        return vision_preset(self.model_name, head=head, labels=labels, **changes)


@dataclass(frozen=True)
class SequenceOptions(RunOptions):
    """What training an encoder–decoder can be asked, from random weights or from a trained one."""

    test: str | None = data_option(
        None, "A file like the data, to score the finished model on.", shown="split off", free=True
    )
    vocab_size: int | None = data_option(None, "Subwords.", shown="from the amount of text", min=1)
    base_model: str | None = model_option(
        None, "Continue from this model: a shipped name, a folder or hub:org/name.", flag="--from"
    )
    preset: str = model_option("tiny", "Size.", metavar="tiny|small|base|big")
    norm: str = model_option(
        "pre", "Before or after each sub-layer (the paper).", metavar="pre|post"
    )
    dropout: float | None = model_option(None, "On every sub-layer.", shown="preset's")
    label_smoothing: float = option(0.1, "Share taken from the target.", min=0, max=1)

    def __post_init__(self) -> None:
        self.model_config(8)
        super().__post_init__()
        if not 0 <= self.label_smoothing < 1:
            raise BadArgumentError(
                f"label_smoothing must be at least 0 and below 1; got {self.label_smoothing}."
            )
        for name in self.of_new_models() if self.base_model is not None else ():
            if getattr(self, name) != self.settings()[name].default:
                raise BadArgumentError(
                    f"{name} describes a new model; got {name} = {getattr(self, name)!r} with"
                    f" base_model {self.base_model!r}, which has its own. Leave one of them out."
                )

    @classmethod
    def of_new_models(cls) -> tuple[str, ...]:
        """The options that a trained model has settled."""
        return ("preset", "norm", "vocab_size")

    def peak_rate(self) -> float:
        """The learning rate at the end of the warm-up, by default the preset's."""
        if self.learning_rate is not None:
            return self.learning_rate
        return SEQUENCE_RATES[self.preset] if self.base_model is None else 1e-4

    def model_config(self, vocab_size: int, **changes: Any) -> Any:
        """The config of the new model that the options describe, with any other changes.

        Raises:
            BadArgumentError: an unknown preset, or a value out of range.
        """
        from regard.models import preset

        changes = {"norm": self.norm} | changes
        if self.dropout is not None:
            changes["dropout"] = self.dropout
        return preset(self.preset, vocab_size, **changes)

    def model_name(self) -> str:
        """The model in a few words: "transformer tiny, norm pre"."""
        if self.base_model is not None:
            return f"encoder–decoder from {self.base_model}"
        return f"transformer {self.preset}, norm {self.norm}"


# Peak learning rates that trained well from random weights.
SEQUENCE_RATES = {"tiny": 5e-3, "small": 2e-3, "base": 7e-4, "big": 5e-4}


@dataclass(frozen=True)
class SummarizationOptions(SequenceOptions):
    """The options of `regard train summarization`."""

    output: str = data_option("runs/summarization", "The run's folder.", free=True)
    document: str | None = data_option(
        None, "The column of the documents.", shown="document, article, text, …"
    )
    summary: str | None = data_option(
        None, "The column of the summaries; JSON has lists.", shown="summary, highlights, …"
    )
    max_source_length: int = data_option(
        1024, "Longer documents, in tokens, are cut, as the finished model will cut them.", min=8
    )
    max_length: int = data_option(128, "Longer summaries, in tokens, are not trained on.", min=1)
    warmup: int | None = option(
        None, "Steps up to the peak.", shown="1000; 6 % of all with --from", min=0
    )
    max_epochs: float | None = limit_option(
        None, "Stop after this many epochs.", shown="3 with --from", min=0
    )
    evaluate_every: int | None = limit_option(
        None,
        "Steps from one evaluation to the next.",
        shown="half an epoch, at most 1000",
        flag="--eval-every",
        min=1,
    )
    dev_documents: int = limit_option(200, "Summarized at each evaluation.", min=1)

    def __post_init__(self) -> None:
        for name, least in (("max_source_length", 8), ("max_length", 1), ("dev_documents", 1)):
            if getattr(self, name) < least:
                raise BadArgumentError(
                    f"{name} must be at least {least}; got {getattr(self, name)}."
                )
        super().__post_init__()

    def epochs(self) -> float | None:
        if self.max_epochs is not None or self.max_steps is not None or self.base_model is None:
            return self.max_epochs
        return 3

    def warmup_steps(self, last: int) -> int:
        new = self.base_model is None
        return 1000 if self.warmup is None and new else super().warmup_steps(last)

    def model_config(self, vocab_size: int, **changes: Any) -> Any:
        longest = max(self.max_source_length, self.max_length + 1)
        return super().model_config(vocab_size, **({"max_positions": longest} | changes))


@dataclass(frozen=True)
class LanguageModelOptions(RunOptions):
    """The options of `regard train language-model`."""

    output: str = data_option("runs/language-model", "The run's folder.", free=True)
    dev: str | None = data_option(
        None, "Text to choose the best model by.", shown="held out", free=True
    )
    dev_fraction: float = data_option(
        0.1, "Held out: the end of a text; of 20 documents or more, whole ones.", min=0, max=1
    )
    text: str | None = data_option(None, "The column of the texts, in records.", shown="text, …")
    tokenizer: str | None = data_option(
        None,
        "What a token is.",
        shown="subwords, or the model's",
        metavar="characters|bytes|subwords",
    )
    vocab_size: int | None = data_option(
        None, "Most subwords.", shown="from the amount of text", min=1
    )
    base_model: str | None = model_option(
        None, "Continue from this GPT-2 or Llama: a folder or hub:org/name.", flag="--from"
    )
    preset: str = model_option(
        "tiny", "Size of a model from random weights.", metavar="tiny|mini|small|gpt2|…"
    )
    d_model: int | None = model_option(None, "Width.", shown="preset's", min=1)
    layers: int | None = model_option(None, "How many.", shown="preset's", min=1)
    heads: int | None = model_option(None, "In each layer.", shown="preset's", min=1)
    dropout: float | None = model_option(None, "On every sub-layer.", shown="0, or the model's")
    block: int = option(
        256, "Tokens that are read together; a new model has as many positions.", min=2
    )
    batch_size: int | None = option(
        None, "Blocks in a batch, at most --max-tokens.", shown="by --max-tokens", min=1
    )
    warmup: int | None = option(None, "Steps up to the peak.", shown="6 % of all", min=0)
    schedule: str = option(
        "cosine",
        "How the rate falls after the peak; cosine to a tenth, linear to 0.",
        metavar="inverse-sqrt|linear|cosine",
    )
    weight_decay: float = option(0.1, "AdamW's, on matrices.", min=0)
    beta2: float = option(0.99, "AdamW's, of the mean of squares.", min=0, max=1)
    max_epochs: float | None = limit_option(
        None, "Stop after this many epochs.", shown="3 from a trained model, else 10", min=0
    )
    evaluate_every: int | None = limit_option(
        None,
        "Steps from one evaluation to the next.",
        shown="half an epoch, at most 1000",
        flag="--eval-every",
        min=1,
    )
    average: int = limit_option(1, "Newest checkpoints whose mean is the model.", min=1)
    dev_tokens: int = limit_option(65_536, "Most dev tokens of an evaluation.", min=1)
    sample_tokens: int = limit_option(
        200, "Tokens that are written at each evaluation, also to samples.txt; 0: none.", min=0
    )

    def __post_init__(self) -> None:
        self.model_settings(300)
        super().__post_init__()
        if not 0 < self.dev_fraction < 1:
            raise BadArgumentError(
                f"dev_fraction must be above 0 and below 1; got {self.dev_fraction}."
            )
        if not 0 <= self.beta2 < 1:
            raise BadArgumentError(f"beta2 must be at least 0 and below 1; got {self.beta2}.")
        if self.block > self.max_tokens:
            raise BadArgumentError(
                f"max_tokens must be at least block, {self.block}; got {self.max_tokens}."
            )
        own = ("d_model", "layers", "heads", "tokenizer", "vocab_size")
        if self.base_model is not None:
            for name in own:
                if getattr(self, name) is not None:
                    raise BadArgumentError(
                        f"{name} is of a model from random weights; base_model has its own. Leave"
                        " one of them out."
                    )

    def rows(self) -> int:
        """Blocks in a batch."""
        return min(self.batch_size or self.max_tokens, self.max_tokens // self.block)

    def betas(self) -> tuple[float, float]:
        return 0.9, self.beta2

    def epochs(self) -> float | None:
        if self.max_epochs is not None or self.max_steps is not None:
            return self.max_epochs
        return 10 if self.base_model is None else 3

    def peak_rate(self) -> float:
        """By default smaller for wider models, and for a trained one."""
        if self.learning_rate is not None:
            return self.learning_rate
        if self.base_model is not None:
            return 1e-4
        return min(2e-3, 0.4 / int(self.model_settings(300).d_model))

    def model_settings(self, vocab_size: int, **changes: Any) -> Any:
        """The config of a new model.

        Raises:
            BadArgumentError: an unknown preset, or a width that the heads do not divide.
        """
        from regard.models.decoder import DECODER_PRESETS, decoder_preset

        own = {"d_model": self.d_model, "num_layers": self.layers, "num_heads": self.heads}
        changes |= {name: value for name, value in own.items() if value is not None}
        if self.dropout is not None:
            changes["dropout"] = self.dropout
        if self.d_model is not None and self.preset in DECODER_PRESETS:
            preset = DECODER_PRESETS[self.preset]
            changes["d_ff"] = round(self.d_model * preset["d_ff"] / preset["d_model"])
        config = decoder_preset(self.preset, vocab_size, max_positions=self.block, **changes)
        if config.d_model % config.num_heads:
            raise BadArgumentError(
                f"d_model must be a multiple of heads; got {config.d_model} and"
                f" {config.num_heads}. Change one of them."
            )
        return config


@dataclass(frozen=True)
class MaskedLanguageModelOptions(EncoderOptions):
    """The options of `regard train masked-language-model`."""

    output: str = data_option("runs/masked-language-model", "The run's folder.", free=True)
    dev: str | None = data_option(
        None, "Text to choose the best model by.", shown="held out", free=True
    )
    dev_fraction: float = data_option(
        0.1, "Held out: the end of a text; of 20 documents or more, whole ones.", min=0, max=1
    )
    text: str | None = data_option(None, "The column of the texts, in records.", shown="text, …")
    masked: float = option(0.15, "Share of the tokens to predict, as whole words.", min=0, max=1)
    max_length: int = data_option(128, "Most tokens that are read together.", min=8)
    dev_tokens: int = limit_option(65_536, "Most dev tokens of an evaluation.", min=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.not_used():
            if getattr(self, name) != self.settings()[name].default:
                raise BadArgumentError(
                    f"{name} is not an option of a masked language model. Leave it out."
                )
        for name in ("dev_fraction", "masked"):
            if not 0 < getattr(self, name) < 1:
                raise BadArgumentError(
                    f"{name} must be above 0 and below 1; got {getattr(self, name)}."
                )

    @classmethod
    def not_used(cls) -> frozenset[str]:
        """The options of other encoders that this task does not have."""
        return frozenset({"test", "lora_rank", "lora_alpha", "lora_targets"})


@dataclass(frozen=True)
class QuestionAnsweringOptions(EncoderOptions):
    """The options of `regard train question-answering`."""

    output: str = data_option("runs/question-answering", "The run's folder.", free=True)
    question: str | None = data_option(None, "The column of the questions.", shown="question, …")
    context: str | None = data_option(
        None, "The column of the texts that may hold the answers.", shown="context, passage, …"
    )
    answer: str | None = data_option(
        None, "The column of the answers; an empty one: there is none.", shown="answer, answers, …"
    )
    start: str | None = data_option(
        None,
        "The column of the answers' first characters in the context, from 0.",
        shown="start, answer_start",
    )
    max_length: int = data_option(
        384, "Tokens of a window, question and special tokens counted.", min=16
    )
    doc_stride: int = data_option(
        128, "Tokens that a window of a long context shares with the one before it.", min=0
    )
    max_answer_len: int = option(30, "Longest answer that is predicted, in tokens.", min=1)


@dataclass(frozen=True)
class EmbeddingOptions(EncoderOptions):
    """The options of `regard train embedding`."""

    output: str = data_option("runs/embedding", "The run's folder.", free=True)
    text: str | None = data_option(None, "The column of the texts.", shown="text, sentence1, …")
    pair: str | None = data_option(
        None, "The column of the texts that belong to them.", shown="pair, sentence2, …"
    )
    score: str | None = data_option(
        None,
        "The column of how similar the two are; then cosines are trained to be the scores.",
        shown="score, similarity",
    )
    score_scale: float | None = data_option(
        None, "The score of two equal texts.", shown="1, or the highest if above 1"
    )
    pooling: str | None = model_option(
        None,
        "How the tokens' states become one vector.",
        shown="the model's, else mean",
        metavar="mean|cls|max",
    )
    batch_size: int = option(64, "Most pairs in a batch: each has all others as negatives.", min=2)
    temperature: float = option(0.05, "What the cosines are divided by before the softmax.", min=0)
    symmetric: bool = option(False, "Also look for each first text among those of the second.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pooling is not None:
            from regard.tasks.embedding import POOLING

            check_choice("pooling", self.pooling, POOLING)
        if not self.temperature > 0:
            raise BadArgumentError(f"temperature must be above 0; got {self.temperature}.")
        if self.score_scale is not None and not self.score_scale > 0:
            raise BadArgumentError(f"score_scale must be above 0; got {self.score_scale}.")
        if self.batch_size < 2:
            raise BadArgumentError(
                f"batch_size must be at least 2, for a pair needs another; got {self.batch_size}."
            )
        if self.train_layers == 0:
            raise BadArgumentError(
                "train_layers must be at least 1, for an embedding model has no head; got 0."
            )
