"""regard, packed for ONNX Runtime in int8; `opened_as` also for the native engine."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from regard.checkpoints import from_pretrained
from regard.generation import GenerationConfig, generate
from regard.runtime.native.decodes import NativeDecoder, NativeEncoderDecoder
from regard.runtime.native.loading import open_native
from regard.runtime.packed import PackedDecoder, PackedEncoderDecoder, PackedReader
from regard.runtime.packing import pack
from regard.translation.translator import Translator


def opened(folder: Path, threads: int, workers: int) -> Callable[[dict[str, Any]], Any]:
    """See `engine.Open`."""
    return opened_as("int8", folder, threads, workers)


def opened_as(
    precision: str, folder: Path, threads: int, workers: int, *, engine: str = "onnx"
) -> Callable[[dict[str, Any]], Any]:
    """As `opened`, in this precision, by this engine."""
    if folder.name == "translator":
        # Without a number of threads, as many batches are decoded at the same time as there are
        # cores, by one thread each.
        each = threads if workers == 1 else None
        translator = Translator.load(folder).run_by(engine, precision=precision, threads=each)
    else:
        assert workers == 1
        translator = None
        model = from_pretrained(folder)
        opening = {"onnx": pack, "native": open_native}[engine]
        packed = opening(model, precision, threads=threads)

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
            if isinstance(packed, PackedEncoderDecoder | NativeEncoderDecoder):
                start = np.full((len(ids), 1), model.config.start_id)
                found = packed.generate(ids, start, config)
            elif isinstance(packed, NativeDecoder):
                found = packed.generate(ids, config)
            else:
                assert isinstance(packed, PackedDecoder)
                found = generate(packed.start(), ids, config)
            lengths += [len(each[0].tokens) for each in found]
        return lengths

    def compute(case: dict[str, Any]) -> Any:
        if "texts" in case:
            return translate(case)
        if isinstance(packed, PackedReader):
            return list(packed(np.array(case["ids"])).shape)
        return write(case)

    return compute
