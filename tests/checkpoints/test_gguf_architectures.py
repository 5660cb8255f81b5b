"""A GGUF file of each architecture, converted from a model of transformers as llama.cpp converts it,
gives the numbers of transformers."""

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Kind
from torch import Tensor

import regard
from fixtures.gguf_files import convert
from regard.checkpoints import open_checkpoint
from regard.engine.native.loading import open_native
from regard.errors import DamagedFileError, NotFoundError, RegardError
from regard.generation import GenerationConfig, generate

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "peers"))
from small_models import (
    CAPPED,
    EXPERTS,
    GATED,
    GPT2,
    LINEAR,
    LLAMA,
    LONG,
    MODERN,
    NARROW,
    OSS,
    PARTS,
    T5,
    TIED,
    WIDE,
    WORDS,
    YARN,
    Case,
)

IDS = torch.arange(17)[None] * 7 % 40 + 3
# What a file does not say, so that it is as in the models that were published.
GEMMA = WIDE | dict(query_pre_attn_scalar=6, sliding_window=3, num_hidden_layers=7)
TWO_ROPES = dict(full_attention=LINEAR, sliding_attention=dict(rope_type="default", rope_theta=77))
OPEN = OSS | dict(swiglu_limit=7.0, rope_parameters=YARN | dict(truncate=False))
REACH = T5 | dict(relative_attention_max_distance=128)
CASES = [
    Case("llama", "LlamaForCausalLM", WIDE),
    Case("llama, tied", "LlamaForCausalLM", LLAMA | TIED | dict(rope_parameters=LINEAR)),
    Case("llama, a Mistral", "MistralForCausalLM", WIDE | dict(sliding_window=None)),
    Case("llama, a Mixtral", "MixtralForCausalLM", WIDE | EXPERTS),
    Case("qwen2", "Qwen2ForCausalLM", WIDE | dict(rope_parameters=YARN)),
    Case("qwen3", "Qwen3ForCausalLM", WIDE),
    Case("qwen3moe", "Qwen3MoeForCausalLM", WIDE | EXPERTS | NARROW | dict(norm_topk_prob=True)),
    Case("olmo2", "Olmo2ForCausalLM", WIDE),
    Case("smollm3", "SmolLM3ForCausalLM", WIDE | dict(num_hidden_layers=5)),
    Case("phi3", "Phi3ForCausalLM", LLAMA | dict(sliding_window=3)),
    Case("phi3, a part rotated", "Phi3ForCausalLM", PARTS | dict(rope_parameters=LONG)),
    Case("gemma2", "Gemma2ForCausalLM", GEMMA | CAPPED),
    Case("gemma3", "Gemma3ForCausalLM", GEMMA),
    Case("gemma3, longer", "Gemma3ForCausalLM", GEMMA | dict(rope_parameters=TWO_ROPES)),
    Case("gpt-oss", "GptOssForCausalLM", WIDE | EXPERTS | OPEN),
    Case("gpt2", "GPT2LMHeadModel", GPT2),
    Case("bert", "BertModel", WORDS),
    Case("modern-bert", "ModernBertModel", MODERN),
    Case("t5", "T5ForConditionalGeneration", REACH),
    Case("t5, gated", "T5ForConditionalGeneration", REACH | GATED, output_table=True),
]
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
    native, config = open_native(file_of(name)), GenerationConfig(max_new_tokens=9, eos_token_id=[])
    model = built(name)
    model.generation_config.eos_token_id = None
    expected = model.generate(
        IDS, attention_mask=torch.ones_like(IDS), max_new_tokens=9, do_sample=False
    )[0, -9:]
    [best] = generate(native.start(IDS.numpy() > -1), IDS.numpy(), config)
    assert list(best[0].tokens) == expected.tolist()
