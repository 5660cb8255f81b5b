"""Texts to their translations."""

from typing import TYPE_CHECKING

from regard.lazy import modules
from regard.tasks.declaration import TEXT, WRITES, Kind, Training

if TYPE_CHECKING:
    from regard.tasks.translation import (
        command,
        options,
        result,
        route,
        score,
        task,
        train,
        train_options,
    )
else:
    command, options, result, route, score, task, train, train_options = modules(
        __name__, "command", "options", "result", "route", "score", "task", "train", "train_options"
    )

TASK = Kind(
    "translation",
    "a translator",
    "to translate",
    "en-de, en-hi, de-en, or a Marian, BART, mBART, M2M100, NLLB, T5 or Pegasus model",
    WRITES,
    task=lambda: task.Translator,
    model="EncoderDecoder",
    also=("summarization", "text2text-generation"),
    verb="translate",
    help="Translate sentences.\n\nOne line in, one line out: an empty line stays empty, and"
    " in a pipe each answer is written as soon as its line arrives. A line that cannot"
    " be translated is named, and its answer is empty; the exit code is then 2.",
    inputs=TEXT,
    options=lambda: options.TranslationOptions,
    decoding=("Decoding",),
    result=lambda: result.Translation,
    route=lambda: route.ROUTE,
    command=lambda: command.Translate,
    training=Training(
        "translation",
        "Train a translator on sentence pairs.",
        "Files of sentence pairs: TSV, CSV, JSON lines, Parquet; also .gz. Of several target"
        " languages, de=FILE hi=FILE.",
        lambda: train.TranslationRecipe,
        lambda: train_options.TrainingOptions,
        lambda: score.TranslationEvaluator,
        columns=("source", "target"),
        figures="BLEU, chrF (sacreBLEU's, with the signatures that make them comparable),"
        " loss and speed",
    ),
)

RECURRENT = Kind(
    "recurrent-translation",
    "a recurrent translator",
    "to translate",
    "en-de, en-hi, de-en, or a Marian, BART, mBART, M2M100, NLLB, T5 or Pegasus model",
    ("translate", "evaluate", "look", "studio"),
    task=lambda: task.Translator,
    model="RecurrentEncoderDecoder",
    also=("translation", "summarization", "text2text-generation"),
)
