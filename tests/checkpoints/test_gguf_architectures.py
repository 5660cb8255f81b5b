"""GGUF files of each architecture, converted from models of transformers as llama.cpp does it, give
transformers' numbers."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Kind
from torch import Tensor
from typer.testing import CliRunner

import regard
from fixtures.gguf_files import (
    CASES,
    EOS,
    EXPERTS,
    GPT2,
    MODERN,
    OPEN,
    REACH,
    START,
    VOCAB,
    WIDE,
    Case,
    a_vocabulary,
    convert,
    pieces_of_bert,
    pieces_of_t5,
)
from regard.checkpoints import open_checkpoint
from regard.checkpoints.fit import read_state
from regard.checkpoints.gguf_architectures import ARCHITECTURES
from regard.checkpoints.weights import Stored
from regard.cli.app import app
from regard.engine.native.loading import open_native, weights_of
from regard.errors import DamagedFileError, NotFoundError, UnsupportedError
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


def in_parts(file: Path, case: Case) -> list[Path]:
    """A file of one architecture as the package divides it."""
    convert(case.build(), file, describe=a_vocabulary, tensors_in_a_part=20)
    return sorted(file.parent.glob(f"{file.stem}-*.gguf"))


def test_a_file_in_parts_is_read_from_its_first(tmp_path: Path) -> None:
    case = Case("qwen3", "Qwen3ForCausalLM", WIDE)
    parts = in_parts(tmp_path / "model.gguf", case)
    assert [part.name for part in parts] == [
        f"model-{number:05}-of-00002.gguf" for number in (1, 2)
    ]
    torch.testing.assert_close(ours(parts[0]), theirs(case.build()), rtol=0, atol=2e-5)
    whole = convert(case.build(), tmp_path / "whole.gguf")
    assert open_checkpoint(parts[0]).sha256 != open_checkpoint(whole).sha256
    with pytest.raises(DamagedFileError, match=r"part 2 of 2 .* Give the first, model-00001-of"):
        open_checkpoint(parts[1])
    content = parts[1].read_bytes()
    parts[1].write_bytes(parts[0].read_bytes())
    with pytest.raises(DamagedFileError, match="must be part 2 of 2 of a GGUF file, and is anoth"):
        open_checkpoint(parts[0])
    parts[1].write_bytes(content)
    renamed = parts[0].rename(tmp_path / "first.gguf")
    with pytest.raises(DamagedFileError, match=r"must end with -00001-of-00002\.gguf"):
        open_checkpoint(renamed)
    renamed.rename(parts[0])
    parts[1].unlink()
    with pytest.raises(NotFoundError, match=r"lacks 1 of the 2 parts .* model-00002-of-00002"):
        open_checkpoint(parts[0])


def described(file: Path, architecture: str, facts: Mapping[str, int]) -> Path:
    """A file of metadata and of a table of embeddings alone."""
    writer = gguf.GGUFWriter(file, architecture)
    for name, fact in facts.items():
        writer.add_uint32(f"{architecture}.{name}", fact)
    writer.add_tensor("token_embd.weight", np.zeros((VOCAB, 8), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_key_that_is_missing_or_unknown_is_named(architecture: str, tmp_path: Path) -> None:
    key = next(iter(ARCHITECTURES[architecture].keys))
    with pytest.raises(DamagedFileError, match=rf"must have the key {architecture}\.{key}, which"):
        open_checkpoint(described(tmp_path / "a.gguf", architecture, {}))
    with pytest.raises(UnsupportedError, match=rf"setting {architecture}\.logit_scale of the GGUF"):
        open_checkpoint(described(tmp_path / "b.gguf", architecture, {"logit_scale": 2}))


def test_a_file_without_embeddings_is_no_model(tmp_path: Path) -> None:
    file = described(tmp_path / "model.gguf", "gemma3", {})
    content = file.read_bytes()
    file.write_bytes(content.replace(b"token_embd", b"vision_emb"))
    with pytest.raises(DamagedFileError, match=r"has no token_embd\.weight"):
        open_checkpoint(file)


def test_ends_of_a_turn_are_found_by_their_texts(tmp_path: Path) -> None:
    def a_chat(writer: gguf.GGUFWriter) -> None:
        tokens = [f"t{index}" for index in range(VOCAB - 2)] + ["<end_of_turn>", "<|return|>"]
        writer.add_tokenizer_model("gpt2")
        writer.add_token_list(tokens)
        writer.add_token_types([1] * (VOCAB - 2) + [3, 3])
        writer.add_eos_token_id(EOS)

    for architecture, end in (("gemma3", VOCAB - 2), ("gpt-oss", VOCAB - 1)):
        case = next(case for case in CASES if case.name == architecture)
        file = convert(case.build(), tmp_path / f"{architecture}.gguf", describe=a_chat)
        settings = open_checkpoint(file).files.get("generation_config.json", {})
        assert settings["eos_token_id"] == [EOS, end]


def test_an_encoder_makes_vectors_by_the_files_own_pooling(tmp_path: Path) -> None:
    def pooled(writer: gguf.GGUFWriter) -> None:
        pieces_of_bert(writer)
        writer.add_pooling_type(gguf.PoolingType.CLS)

    case = next(case for case in CASES if case.name == "bert")
    embedder = regard.load(convert(case.build(), tmp_path / "bert.gguf", describe=pooled))
    ids = torch.tensor([embedder.tokenizer.inputs("a b c").ids])
    first = case.build()(input_ids=ids).last_hidden_state[0, 0].detach()
    np.testing.assert_allclose(embedder("a b c"), first / first.norm(), atol=2e-6)


def test_a_t5_writes_and_is_looked_into(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.name == "t5")
    file = convert(case.build(), tmp_path / "t5.gguf", describe=pieces_of_t5)
    runner = CliRunner()
    looked = runner.invoke(app, ["look", str(file), "a bad face", "--terminal"])
    assert looked.exit_code == 0, looked.output
    assert "face" in looked.output
    summary = runner.invoke(
        app, ["summarize", "-m", str(file), "a bad face", "--max-new-tokens", "3"]
    )
    assert summary.exit_code == 0, summary.output
