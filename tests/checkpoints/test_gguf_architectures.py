"""GGUF files of each architecture, converted from models of transformers as llama.cpp does it, give
transformers' numbers."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Kind
from torch import Tensor

import regard
from fixtures.gguf_files import (
    CASES,
    EXPERTS,
    GPT2,
    MODERN,
    OPEN,
    REACH,
    START,
    WIDE,
    Case,
    a_vocabulary,
    convert,
)
from regard.checkpoints import open_checkpoint
from regard.checkpoints.fit import read_state
from regard.checkpoints.weights import Stored
from regard.engine.native.loading import open_native, weights_of
from regard.generation import GenerationConfig, generate

IDS = torch.arange(17)[None] * 7 % 40 + 3
FIVE = GenerationConfig(
    max_new_tokens=5, eos_token_id=[], decoder_start_token_id=START, pad_token_id=0
)
NAMES = [case.name for case in CASES]


@cache
def built(name: str) -> Any:
    return next(case for case in CASES if case.name == name).build()


@pytest.fixture(scope="module")
def file_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Path]]:
    folder = tmp_path_factory.mktemp("gguf")

    def file(name: str) -> Path:
        path = folder / f"{name}.gguf"
        return path if path.exists() else convert(built(name), path)

    yield file
    built.cache_clear()


def theirs(model: Any) -> Tensor:
    more = {}
    if model.config.is_encoder_decoder:
        more = {"decoder_input_ids": model._shift_right(IDS[:, :9])}
    with torch.no_grad():
        output = model(input_ids=IDS, **more)
    result: Tensor = output.logits if hasattr(output, "logits") else output.last_hidden_state
    return result


def ours(file: Path) -> Tensor:
    model = regard.from_pretrained(str(file))
    is_pair = type(model).__name__ == "EncoderDecoder"
    with torch.no_grad():
        result: Tensor = model(IDS, IDS[:, :9]) if is_pair else model(IDS)
    return result


@pytest.mark.parametrize("name", NAMES)
def test_a_file_gives_the_numbers_of_transformers(
    name: str, file_of: Callable[[str], Path]
) -> None:
    torch.testing.assert_close(ours(file_of(name)), theirs(built(name)), rtol=0, atol=2e-5)


@pytest.mark.parametrize("name", [name for name in NAMES if "bert" not in name])
def test_the_native_engine_writes_the_tokens_of_transformers(
    name: str, file_of: Callable[[str], Path]
) -> None:
    native, model = open_native(file_of(name)), built(name)
    config = GenerationConfig(
        max_new_tokens=9, eos_token_id=[], decoder_start_token_id=START, pad_token_id=0
    )
    model.generation_config.eos_token_id = None
    options = {"max_new_tokens": 9, "do_sample": False, "attention_mask": torch.ones_like(IDS)}
    expected = model.generate(IDS, **options)[0, -9:]
    ids = IDS.numpy()
    if model.config.is_encoder_decoder:
        [best] = generate(native.start(ids), np.full((1, 1), START), config)
    else:
        [best] = generate(native.start(ids > -1), ids, config)
    assert list(best[0].tokens) == expected.tolist()


# What transformers reads of a GGUF file: of the others it takes some settings' defaults.
EVEN = dict(hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4)
EVEN |= dict(num_key_value_heads=2, max_position_embeddings=64)
WIDEST = EVEN | dict(head_dim=256, query_pre_attn_scalar=256, sliding_window=3)
READ_BY_TRANSFORMERS = [
    Case("llama", "LlamaForCausalLM", WIDE),
    Case("qwen2", "Qwen2ForCausalLM", EVEN),
    Case("qwen3", "Qwen3ForCausalLM", EVEN | dict(head_dim=128)),
    Case("phi3", "Phi3ForCausalLM", EVEN | dict(sliding_window=None)),
    Case("gemma2", "Gemma2ForCausalLM", WIDEST),
    Case("gemma3", "Gemma3ForCausalLM", WIDEST | dict(num_hidden_layers=7)),
    Case("gpt2", "GPT2LMHeadModel", GPT2 | dict(n_positions=1024, n_inner=None)),
]


@pytest.mark.parametrize("case", READ_BY_TRANSFORMERS, ids=lambda case: case.name)
def test_transformers_reads_the_same_numbers_from_a_file(case: Case, tmp_path: Path) -> None:
    """So that what is read here is not only what `convert` writes."""
    from transformers import AutoModelForCausalLM

    file = convert(case.build(), tmp_path / "model.gguf", describe=a_vocabulary)
    model = AutoModelForCausalLM.from_pretrained(
        tmp_path, gguf_file=file.name, dtype=torch.float32, attn_implementation="eager"
    )
    torch.testing.assert_close(ours(file), theirs(model.eval()), rtol=0, atol=2e-5)


BLOCKS = dict(hidden_size=64, intermediate_size=96, num_attention_heads=4, num_hidden_layers=2)
SHARED = BLOCKS | dict(num_key_value_heads=2, head_dim=16, max_position_embeddings=64)
IN_BLOCKS = [
    (Case("a Mixtral", "MixtralForCausalLM", SHARED | EXPERTS), "Q8_0"),
    (Case("a Mixtral", "MixtralForCausalLM", SHARED | EXPERTS), "Q4_0"),
    (Case("phi3", "Phi3ForCausalLM", SHARED | dict(head_dim=16)), "Q8_0"),
    (Case("gemma3", "Gemma3ForCausalLM", SHARED | dict(query_pre_attn_scalar=16)), "Q8_0"),
    (Case("gpt-oss", "GptOssForCausalLM", SHARED | EXPERTS | OPEN), "MXFP4"),
    (Case("gpt-oss", "GptOssForCausalLM", SHARED | EXPERTS | OPEN), "Q5_1"),
    (Case("gpt2", "GPT2LMHeadModel", dict(n_embd=64, n_layer=2, n_head=4, n_positions=37)), "F16"),
    (Case("gpt2", "GPT2LMHeadModel", dict(n_embd=64, n_layer=2, n_head=4, n_positions=37)), "Q8_0"),
    (Case("bert", "BertModel", BLOCKS | dict(max_position_embeddings=64)), "Q8_0"),
    (Case("bert", "BertModel", BLOCKS | dict(max_position_embeddings=64)), "F16"),
    (Case("modern-bert", "ModernBertModel", MODERN | BLOCKS), "Q8_0"),
    (Case("t5", "T5ForConditionalGeneration", REACH | dict(d_model=64, d_ff=96, d_kv=32)), "Q8_0"),
    (Case("t5", "T5ForConditionalGeneration", REACH | dict(d_model=64, d_ff=96, d_kv=32)), "F16"),
]


@pytest.mark.parametrize(
    ("case", "kind"), IN_BLOCKS, ids=[f"{case.name} {kind}" for case, kind in IN_BLOCKS]
)
def test_the_native_engine_has_the_numbers_of_each_kind(
    case: Case, kind: str, tmp_path: Path
) -> None:
    file = convert(case.build(), tmp_path / "model.gguf", Kind[kind])
    state = read_state(open_checkpoint(file), open_checkpoint(file).config.shapes(), np)
    arrays = weights_of(open_checkpoint(file))[1]
    kept = [name for name, array in arrays.items() if isinstance(array, Stored)]
    assert kept
    for name in kept:
        np.testing.assert_array_equal(np.asarray(arrays[name]), state[name], err_msg=name)
        if arrays[name].group:
            content, (rows, columns) = arrays[name].grouped(), arrays[name].shape
            integers = content[: rows * columns].view(np.int8).reshape(rows, -1, arrays[name].group)
            scales, offsets = content[rows * columns :].view(np.float32).reshape(2, rows, -1, 1)
            numbers = (integers * scales + offsets).reshape(rows, columns)
            np.testing.assert_array_equal(numbers, state[name], err_msg=name)
    native, model = open_native(file), regard.from_pretrained(str(file))
    ids = IDS.numpy()
    if case.name == "t5":
        [best] = generate(native.start(ids), np.full((1, 1), START), FIVE)
        [expected] = generate(model.start(IDS), torch.full((1, 1), START), FIVE)
        assert list(best[0].tokens) == list(expected[0].tokens)
    elif "bert" in case.name:
        hidden = native(ids)
        np.testing.assert_allclose(hidden, ours(file).numpy(), atol=2e-5)
    else:
        logits = native.start(ids > -1).step(ids)
        np.testing.assert_allclose(logits, ours(file)[:, -1].numpy(), atol=2e-5)
