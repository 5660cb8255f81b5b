"""CTranslate2, int8: a model of Hugging Face's layout is converted once, beside it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ctranslate2
from ctranslate2.converters import TransformersConverter
from tokenizers import Tokenizer


def opened(folder: Path, threads: int, workers: int) -> Callable[[dict[str, Any]], Any]:
    """See `engine.Open`."""
    converted = folder / "ctranslate2"
    if not converted.is_dir():
        TransformersConverter(str(folder)).convert(str(converted), quantization="int8")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    settings = dict(compute_type="int8", intra_threads=threads, inter_threads=workers)
    writes = (converted / "source_vocabulary.json").exists() or (
        converted / "shared_vocabulary.json"
    ).exists()
    model: Any = (ctranslate2.Translator if writes else ctranslate2.Generator)(
        str(converted), **settings
    )

    def translated(tokens: list[list[str]], case: dict[str, Any]) -> list[list[str]]:
        found = model.translate_batch(
            tokens,
            beam_size=case["beams"],
            max_batch_size=case["together"],
            max_decoding_length=case["new"],
        )
        return [each.hypotheses[0] for each in found]

    def compute(case: dict[str, Any]) -> Any:
        if "texts" in case:
            encoded = [each.tokens for each in tokenizer.encode_batch(case["texts"])]
            written = translated(encoded, case)
            ids = [[tokenizer.token_to_id(token) for token in each] for each in written]
            return tokenizer.decode_batch(ids)
        tokens = [[tokenizer.id_to_token(token) for token in each] for each in case["ids"]]
        if writes:
            return [len(each) for each in translated(tokens, case)]
        found = model.generate_batch(
            tokens,
            max_length=case["new"],
            max_batch_size=case["together"],
            include_prompt_in_result=False,
        )
        return [len(each.sequences_ids[0]) for each in found]

    return compute
