"""llama.cpp by its Python bindings, matrices in Q8_0."""

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llama_cpp as llama
import numpy as np
from gguf_models import converted

KIND = "Q8_0"
_SILENT = llama.llama_log_callback(lambda level, text, data: None)


def opened(folder: Path, threads: int, workers: int) -> Callable[[dict[str, Any]], Any]:
    """See `engine.Open`."""
    return opened_as(KIND, folder, threads, workers)


def opened_as(
    kind: str, folder: Path, threads: int, workers: int
) -> Callable[[dict[str, Any]], Any]:
    """As `opened`, with matrices of this kind; a GGUF file has its own."""
    assert workers == 1
    context, read = reader_of(converted(folder, kind) if folder.is_dir() else folder, threads)

    def compute(case: dict[str, Any]) -> list[int]:
        assert case["together"] == len(case["ids"])
        llama.llama_memory_clear(llama.llama_get_memory(context), True)
        tokens = np.array(case["ids"])
        length, written = tokens.shape[1], 1
        chosen = read(tokens, 0)
        while written < case["new"]:
            chosen = read(chosen[:, None], length)
            length, written = length + 1, written + 1
        return [written] * len(tokens)

    return compute


def reader_of(
    file: Path, threads: int, *, cache: int = llama.GGML_TYPE_F16
) -> tuple[Any, Callable[[np.ndarray, int], np.ndarray]]:
    """A context for a file's model, and what reads tokens, (rows, new), in it from a position on
    and gives the likeliest next, (rows,).

    Args:
        cache: the numbers of keys and values.
    """
    llama.llama_log_set(_SILENT, ctypes.c_void_p())
    llama.llama_backend_init()
    model = llama.llama_model_load_from_file(str(file).encode(), llama.llama_model_default_params())
    settings = llama.llama_context_default_params()
    settings.n_ctx, settings.n_batch, settings.n_ubatch, settings.n_seq_max = 2048, 1024, 512, 8
    settings.kv_unified = True  # a sequence may have the whole context
    settings.type_k = settings.type_v = cache
    if cache == llama.GGML_TYPE_F32:  # the fused attention rounds too
        settings.flash_attn_type = llama.LLAMA_FLASH_ATTN_TYPE_DISABLED
    settings.n_threads = settings.n_threads_batch = threads
    context = llama.llama_init_from_model(model, settings)
    vocab = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(model))
    batch = llama.llama_batch_init(1024, 0, 8)

    def read(tokens: np.ndarray, first: int) -> np.ndarray:
        rows, new = tokens.shape
        batch.n_tokens = rows * new
        for row in range(rows):
            for place in range(new):
                index = row * new + place
                batch.token[index] = int(tokens[row, place])
                batch.pos[index] = first + place
                batch.n_seq_id[index] = 1
                batch.seq_id[index][0] = row
                batch.logits[index] = place == new - 1
        assert llama.llama_decode(context, batch) == 0
        logits = [
            np.ctypeslib.as_array(
                llama.llama_get_logits_ith(context, row * new + new - 1), (vocab,)
            )
            for row in range(rows)
        ]
        return np.array([int(each.argmax()) for each in logits])

    return context, read
