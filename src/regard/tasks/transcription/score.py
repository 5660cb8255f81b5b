"""Sounds with what is said in them, and scores of models that write it: word error rate."""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.data import Column, Role
from regard.errors import BadArgumentError
from regard.letters import signs
from regard.packages import optional_package
from regard.tasks.transcription.audio import sound_seconds
from regard.tasks.transcription.task import Transcriber
from regard.tasks.transcription.train_options import TranscriptionEvaluationOptions
from regard.text import normalize
from regard.training.evaluation import Evaluator, Progress, Report, no_progress, write_texts
from regard.training.examples import Example
from regard.training.file_tables import read_file_table
from regard.training.resampling import Scored

SOUND = ("sound", "audio", "file", "path", "file_name", "wav", "audio_path")
RATES = ("wer", "plain_wer", "cer")


def read_spoken(path: str, *, sound: Column | None = None, **reading: Any) -> Iterator[Example]:
    """Return the sound files of a table with their texts, a row at a time."""
    file = Role("sound", SOUND, sound, text=True)
    return read_file_table(path, file, sound_seconds, **reading)


def plain(text: str) -> str:
    """Return a text without case, punctuation and symbols."""
    return "".join(
        " " if unicodedata.category(sign[0])[0] in "PS" else sign for sign in signs(text.casefold())
    )


@dataclass(frozen=True, eq=False)
class TranscriptionEvaluation(Scored):
    """The texts of sounds, and the errors in them."""

    predicted: list[str]
    errors: NDArray[np.int64]  # (sounds, RATES)
    sizes: NDArray[np.int64]  # (sounds, RATES), of what was said, in words or characters
    note = "words are as written, between spaces"

    @classmethod
    def of(cls, texts: Sequence[str], references: Sequence[str]) -> "TranscriptionEvaluation":
        """Return the fewest words, or characters, to put in, take out or replace (Levenshtein
        1966)."""
        distance, pairs = require_rapidfuzz(), []
        for said, expected in zip(texts, references, strict=True):
            both = [" ".join(normalize(text).split()) for text in (said, expected)]
            words, bare = ([text.split() for text in texts] for texts in (both, map(plain, both)))
            pairs.append((words, bare, both))
        errors = [[distance(*both) for both in row] for row in pairs]
        sizes = [[len(expected) for _, expected in row] for row in pairs]
        return cls([*texts], np.array(errors), np.array(sizes))

    def __len__(self) -> int:
        return len(self.predicted)

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """Return the errors over these sounds, which may repeat, each over what was said in all."""
        errors, sizes = self.errors[rows].sum(0), np.maximum(self.sizes[rows].sum(0), 1)
        return dict(zip(RATES, (errors / sizes).tolist(), strict=True))

    @property
    def wrong(self) -> NDArray[np.float64]:
        """The errors of words of each sound over its words, (sounds,)."""
        errors: NDArray[np.float64] = self.errors[:, 0] / np.maximum(self.sizes[:, 0], 1)
        return errors

    def worst(self, count: int) -> list[int]:
        """Return the sounds with the most wrong words, of those with any."""
        order = np.argsort(-self.wrong, kind="stable")[:count]
        return [int(row) for row in order if self.wrong[row]]


class TranscriptionEvaluator(
    Evaluator[
        TranscriptionEvaluationOptions, Transcriber, Sequence[Example], TranscriptionEvaluation
    ]
):
    """Evaluation of models that write what is said."""

    unit = "sounds"
    doing = "transcribing"
    reader = staticmethod(read_spoken)

    def score(
        self, task: Transcriber, data: Sequence[Example], *, progress: Progress = no_progress
    ) -> TranscriptionEvaluation:
        """Transcribe the sounds and compare with what was said."""
        require_rapidfuzz()
        if not data:
            raise BadArgumentError("evaluating needs at least one sound; got none.")
        settings = self.options.chosen("language", "task") | self.options.decoding()
        results = task.run([example.text for example in data], progress=progress, **settings)
        texts = [result.transcription for result in results]
        return TranscriptionEvaluation.of(texts, [example.pair or "" for example in data])

    def compared(self, result: TranscriptionEvaluation) -> str:
        return "wer"

    def example(
        self, result: TranscriptionEvaluation, row: int, data: Sequence[Example]
    ) -> dict[str, Any]:
        said, expected = result.predicted[row], data[row].pair
        wer = result.wrong[row].item()
        return {"line": data[row].line, "wer": wer, "text": said, "expected": expected}

    def write(self, report: Report) -> None:
        write_texts(self.options.output, report.result.predicted)


def require_rapidfuzz() -> Callable[..., Any]:
    """rapidfuzz's distance. Raises UnavailableError where the package is not installed."""
    with optional_package("rapidfuzz", "scoring transcriptions needs"):
        from rapidfuzz.distance import Levenshtein
    return Levenshtein.distance
