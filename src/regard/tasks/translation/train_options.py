"""The options of training a translator; those that it shares with all tasks are `RunOptions`'."""

from typing import TYPE_CHECKING, Any, ClassVar

from regard import models
from regard.errors import BadArgumentError
from regard.options import option
from regard.training.options.evaluation import DecodingOptions, LineOptions
from regard.training.options.run import data_option, limit_option, model_option
from regard.training.options.sequences import SequenceOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from regard.models.configs.encoder_decoder import EncoderDecoderConfig
    from regard.models.configs.recurrent import RecurrentConfig

# The options of each architecture that no other has, each a field of its config.
OWN = {
    "transformer": ("norm", "encoder_layers", "decoder_layers"),
    "recurrent": ("cell", "attention"),
}
# Peak learning rates that trained well from random weights; smaller for wider models.
RECURRENT_RATES = {"tiny": 3e-3, "small": 2e-3, "base": 1e-3}

BEAMS: dict[str, Any] = {"num_beams": 5}  # a new translator's search, and that of every evaluation


class TranslationEvaluationOptions(LineOptions, DecodingOptions):
    """Options of evaluating a translator."""

    num_beams: int | None = option(
        BEAMS["num_beams"],
        "Hypotheses kept at each step; 1 is greedy.",
        shown="5; a summarizer's own",
        panel="Decoding",
        min=1,
    )
    source_language: str | None = option(
        None,
        "Source language, for a model of several languages, such as de or de_DE.",
        shown="model's",
    )
    target_language: str | None = option(
        None, "Target language, for a model of several languages.", shown="model's"
    )
    prefix: str | None = option(
        None,
        "Text to put before every sentence, such as T5's 'translate English to German: '.",
        shown="model's",
    )
    calibrate: str | None = option(
        None,
        "Measure on this test set which words the model is unsure of and whether int8 loses little,"
        " and on the sources of this file, best those it was trained on, what its language looks"
        " like; keep all of it beside the model's weights.",
        metavar="FILE",
    )

    def check(self) -> None:
        super().check()
        if self.calibrate is not None and self.compare is not None:
            raise BadArgumentError("`calibrate` is of one model; leave `compare` out.")


class TrainingOptions(LineOptions, SequenceOptions):
    """The options of `regard train translation`; None leaves the choice to the preset.

    Raises:
        BadArgumentError: a value out of range, an unknown name, or another architecture's option.
    """

    evaluation: ClassVar = TranslationEvaluationOptions

    output: str = data_option("runs/translation", "Folder of the run.", free=True)
    dev: str | None = data_option(
        None,
        "A file like the data, or two, dev.en,dev.de, to choose the best model by.",
        shown="split off",
        free=True,
    )
    test: str | None = data_option(
        None,
        "A file like the data, or two, to score the finished model on.",
        shown="split off",
        free=True,
    )
    source_language: str = data_option(
        "source", "For the model card; of a --from model of several, the one to train.", free=True
    )
    target_language: str = data_option("target", "Likewise.", free=True)
    temperature: float = data_option(
        1.0,
        "Of several target languages, or else of several files: above 1, the smaller are read more"
        " often.",
        above=0,
    )
    joined: float = data_option(
        0.0,
        "Share of pairs that are read again behind one or two others, as a paragraph.",
        min=0,
        max=1,
    )
    names: float = data_option(
        0.0,
        "How often a pair with a name is read again with other names, which teaches to copy them.",
        min=0,
        below=100,
    )
    typed: float = data_option(
        0.0,
        "Share of pairs that are read again as people type them: in small letters, without the full"
        " stop, with a typing error.",
        min=0,
        max=1,
    )
    new_subwords: int | None = data_option(
        None,
        "With --from: subwords for a script that the model lacks.",
        shown="as the data needs",
        min=0,
    )
    fold_quotes: bool = data_option(
        False, "Read and write quotation marks of every shape as \" and '."
    )
    separate_vocabularies: bool = data_option(False, "One for each side, for unlike scripts.")
    max_length: int = data_option(256, "Longer pairs, in tokens, are left out.", min=1)
    encoder_layers: int | None = model_option(
        None, "Layers of the encoder.", shown="preset's", min=1
    )
    decoder_layers: int | None = model_option(
        None, "Layers of the decoder.", shown="preset's", min=1
    )
    architecture: str = model_option("transformer", "Kind of model.", choices=tuple(OWN))
    cell: str = model_option("gru", "Cell of a recurrent model.", metavar="gru|lstm")
    attention: str = model_option(
        "bahdanau", "Attention of a recurrent model.", metavar="none|bahdanau|luong"
    )
    dev_sentences: int = limit_option(500, "Dev sentences translated at each evaluation.", min=1)

    def check(self) -> None:
        super().check()
        longest = self.model_config(8).max_positions - 1  # one is for the end of sentence
        if self.base_model is None and self.max_length > longest:
            raise BadArgumentError(
                f"max_length must be at most {longest} with this preset; got {self.max_length}."
            )
        if self.new_subwords is not None and self.base_model is None:
            raise BadArgumentError(
                f"new_subwords are added to those of base_model; got {self.new_subwords} without"
                " one. Give base_model, or leave them out."
            )

    @classmethod
    def of_new_models(cls) -> tuple[str, ...]:
        own = ("separate_vocabularies", "fold_quotes", "architecture")
        return (*super().of_new_models(), *own, *OWN["transformer"][1:], *OWN["recurrent"])

    def model_config(
        self, vocab_size: int, **changes: object
    ) -> "EncoderDecoderConfig | RecurrentConfig":
        """Return the config of the model that the options describe, with any other changes.

        Raises:
            BadArgumentError: an unknown preset, or another architecture's option.
        """
        for name, options in OWN.items():
            for other in options if name != self.architecture else ():
                if getattr(self, other) != getattr(TrainingOptions, other):
                    raise BadArgumentError(
                        f"{other} is an option of architecture {name!r}; got {other} ="
                        f" {getattr(self, other)!r} with {self.architecture!r}. Leave it out."
                    )
        changes |= self.chosen(*OWN[self.architecture], "dropout")
        named: dict[str, Callable[..., EncoderDecoderConfig | RecurrentConfig]] = {
            "transformer": models.preset,
            "recurrent": models.recurrent_preset,
        }
        return named[self.architecture](self.preset, vocab_size, **changes)

    def usual_rate(self) -> float:
        recurrent = self.base_model is None and self.architecture == "recurrent"
        return RECURRENT_RATES[self.preset] if recurrent else super().usual_rate()

    def model_name(self) -> str:
        """Return the model in a few words: "transformer tiny, norm pre"."""
        if self.base_model is not None:
            return super().model_name()
        own = [
            f"{name.replace('_', ' ')} {value}"
            for name, value in self.chosen(*OWN[self.architecture]).items()
        ]
        return ", ".join([f"{self.architecture} {self.preset}", *own])


class LadderOptions(TrainingOptions):
    """Options of `regard ladder`, which all rungs share."""

    output: str = data_option("runs/ladder", "The folder of runs, table and picture.", free=True)
