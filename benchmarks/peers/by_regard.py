"""regard in int8."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import regard
from regard.checkpoints import open_checkpoint
from regard.engine.native.decodes import NativeEncoderDecoder
from regard.engine.native.loading import open_native
from regard.engine.native.reads import NativeReader
from regard.generation import GenerationConfig
from regard.tasks.translation.task import Translator


def opened(folder: Path, threads: int, workers: int) -> Callable[[dict[str, Any]], Any]:
    """See `engine.Open`."""
    return opened_as("int8", folder, threads, workers)


def opened_as(
    precision: str, folder: Path, threads: int, workers: int
) -> Callable[[dict[str, Any]], Any]:
    """As `opened`, in this precision."""
    if folder.name == "translator":
        # Without a number of threads, as many batches are decoded at the same time as there are
        # cores, by one thread each.
        each = threads if workers == 1 else None
        translator = Translator.load(folder).run_by("native", precision=precision, threads=each)
    elif (checkpoint := open_checkpoint(folder)).architecture == "SpeechEncoderDecoder":
        return transcriber(folder, precision, threads)
    else:
        assert workers == 1
        translator, config = None, checkpoint.config
        native: Any = open_native(checkpoint, precision, threads=threads)

    def translate(case: dict[str, Any]) -> list[str]:
        assert translator is not None
        options = dict(num_beams=case["beams"], max_new_tokens=case["new"])
        results = translator.run(case["texts"], batch_size=case["together"], **options)
        return [each.text for each in results]

    def write(case: dict[str, Any]) -> list[int]:
        lengths = []
        options = GenerationConfig(
            max_new_tokens=case["new"],
            num_beams=case.get("beams", 1),
            eos_token_id=[] if case.get("endless") else config.eos_id,
        )
        for first in range(0, len(case["ids"]), case["together"]):
            ids = np.array(case["ids"][first : first + case["together"]])
            if isinstance(native, NativeEncoderDecoder):
                start = np.full((len(ids), 1), config.start_id)
                found = native.generate(ids, start, options)
            else:
                found = native.generate(ids, options)
            lengths += [len(each[0].tokens) for each in found]
        return lengths

    def compute(case: dict[str, Any]) -> Any:
        if "texts" in case:
            return translate(case)
        if isinstance(native, NativeReader):
            return list(native(np.array(case["ids"])).shape)
        return write(case)

    return compute


def transcriber(folder: Path, precision: str, threads: int) -> Callable[[dict[str, Any]], Any]:
    """What writes down the English of sound files, one at a time."""
    task: Any = regard.load(folder).run_by("native", precision=precision, threads=threads)

    def transcribe(case: dict[str, Any]) -> list[str]:
        options = dict(language="en", max_new_tokens=case["new"])
        return [task.run([sound], **options)[0].transcription for sound in case["sounds"]]

    return transcribe
