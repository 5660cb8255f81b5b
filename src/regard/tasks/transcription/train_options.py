"""The options of training and evaluating it, and the columns of its data."""

from typing import ClassVar

from regard.options import option
from regard.training.options.evaluation import DecodingOptions, LineOptions, WorstOptions, column
from regard.training.options.files import FileOptions
from regard.training.options.run import data_option, limit_option, model_option, training_option


class SoundColumns(LineOptions):
    """Columns of sounds with what is said in them."""

    sound: str | None = column("The column of the sound files.", shown="sound, audio, file, …")
    text: str | None = column("The column of the texts.", shown="text, sentence, …")


class TranscriptionEvaluationOptions(SoundColumns, WorstOptions, DecodingOptions):
    """Options of evaluating a model that writes what is said."""

    batch_size: int = option(8, "Examples in a batch.", shown="by the task", min=1)
    language: str | None = option(None, "That is spoken in sounds.", shown="the model's own")
    task: str | None = option(
        None,
        "What is written of sounds.",
        shown="the model's own",
        metavar="transcribe|translate",
    )


class TranscriptionOptions(SoundColumns, FileOptions):
    """The options of `regard train transcription`."""

    evaluation: ClassVar = TranscriptionEvaluationOptions

    output: str = data_option("runs/transcription", "Folder of the run.", free=True)
    language: str | None = model_option(
        None, "That is spoken, such as en; of a model of several.", shown="the model's own"
    )
    translate: bool = model_option(False, "The texts are English translations of what is said.")
    batch_size: int = training_option(8, "Sounds in a batch.", min=1)
    dev_sounds: int = limit_option(100, "Dev sounds transcribed at each evaluation.", min=1)
