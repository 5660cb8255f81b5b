"""regard in int8."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from regard.checkpoints import from_pretrained
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
    else:
        assert workers == 1
        translator = None
        model = from_pretrained(folder)
        native: Any = open_native(model, precision, threads=threads)

    def translate(case: dict[str, Any]) -> list[str]:
        assert translator is not None
        options = dict(num_beams=case["beams"], max_new_tokens=case["new"])
        results = translator.run(case["texts"], batch_size=case["together"], **options)
        return [each.text for each in results]

    def write(case: dict[str, Any]) -> list[int]:
        lengths = []
        config = GenerationConfig(
            max_new_tokens=case["new"],
            num_beams=case.get("beams", 1),
            eos_token_id=model.config.eos_id,
        )
        for first in range(0, len(case["ids"]), case["together"]):
            ids = np.array(case["ids"][first : first + case["together"]])
            if isinstance(native, NativeEncoderDecoder):
                start = np.full((len(ids), 1), model.config.start_id)
                found = native.generate(ids, start, config)
            else:
                found = native.generate(ids, config)
            lengths += [len(each[0].tokens) for each in found]
        return lengths

    def compute(case: dict[str, Any]) -> Any:
        if "texts" in case:
            return translate(case)
        if isinstance(native, NativeReader):
            return list(native(np.array(case["ids"])).shape)
        return write(case)

    return compute
