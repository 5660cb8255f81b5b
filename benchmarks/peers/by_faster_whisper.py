"""faster-whisper, by CTranslate2, in int8."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from ctranslate2 import StorageView
from faster_whisper import WhisperModel

BEGINNING = ("<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>")


def opened(folder: Path, threads: int, workers: int) -> Callable[[dict[str, Any]], Any]:
    """See `engine.Open`."""
    return opened_as("int8", folder, threads, workers)


def opened_as(
    kind: str, folder: Path, threads: int, workers: int
) -> Callable[[dict[str, Any]], Any]:
    """As `opened`, computing in this kind of numbers."""
    assert workers == 1
    model = WhisperModel(str(folder), device="cpu", compute_type=kind, cpu_threads=threads)

    def transcribe(case: dict[str, Any]) -> list[str]:
        texts = []
        for sound in case["sounds"]:
            segments, _ = model.transcribe(
                sound, language="en", beam_size=1, temperature=0.0, without_timestamps=True,
                max_new_tokens=case["new"], condition_on_previous_text=False,
            )  # fmt: skip
            texts.append("".join(segment.text for segment in segments).strip())
        return texts

    def read(spectrogram: str) -> str:
        beginning = [model.hf_tokenizer.token_to_id(token) for token in BEGINNING]
        [result] = model.model.generate(
            StorageView.from_array(np.load(spectrogram)[None]), [beginning], beam_size=1
        )
        return str(model.hf_tokenizer.decode(result.sequences_ids[0])).strip()

    def compute(case: dict[str, Any]) -> list[str]:
        # Its own spectrograms are not quite those of OpenAI and transformers.
        files = case.get("spectrograms")
        return transcribe(case) if files is None else [read(file) for file in files]

    return compute
