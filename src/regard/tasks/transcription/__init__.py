"""Sounds to what is said in them."""

from typing import TYPE_CHECKING

from regard.lazy import modules
from regard.tasks.declaration import Input, Kind, Training

if TYPE_CHECKING:
    from regard.tasks.transcription import (
        command,
        options,
        route,
        score,
        task,
        train,
        train_options,
    )
else:
    command, options, route, score, task, train, train_options = modules(
        __name__, "command", "options", "route", "score", "task", "train", "train_options"
    )

TASK = Kind(
    "automatic-speech-recognition",
    "a model that writes what is said",
    "to transcribe sounds",
    "a Whisper model (WhisperForConditionalGeneration)",
    ("evaluate", "look", "serve"),
    task=lambda: task.Transcriber,
    model="SpeechEncoderDecoder",
    verb="transcribe",
    help="Write what is said in sounds.\n\nThe names of sound files (WAV, FLAC, OGG, MP3) in,"
    " one line of text for each out. With --timestamps, a line for each segment and its times.",
    inputs=(Input("sound", "the name of a sound file"),),
    options=lambda: options.TranscriptionOptions,
    decoding=("Decoding",),
    result=lambda: task.Transcription,
    batch_size=1,
    shard=10,
    route=lambda: route.ROUTE,
    command=lambda: command.Transcribe,
    training=Training(
        "transcription",
        "Train a model further that writes what is said, on sounds with texts.",
        "Sound files with texts: TSV, CSV, JSON lines, Parquet; also .gz.",
        lambda: train.TranscriptionRecipe,
        lambda: train_options.TranscriptionOptions,
        lambda: score.TranscriptionEvaluator,
        columns=("sound", "text"),
        figures="errors of words and characters",
    ),
)
