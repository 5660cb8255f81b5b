"""GGUF files: written by the package gguf from a folder's weights, and opened."""

import json
import os
import sys
import tempfile
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import tokenizers
import torch
from gguf import GGMLQuantizationType as Kind
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import pre_tokenizers
from torch import Tensor
from typer.testing import CliRunner

import regard
from regard import RegardError
from regard.checkpoints import gguf_groups, open_checkpoint, save_pretrained
from regard.checkpoints.families import TYPES
from regard.checkpoints.fit import read_state
from regard.checkpoints.gguf_groups import GROUPS, unpacked
from regard.cli.app import app
from regard.engine.doctor.checks import examine
from regard.engine.native import library
from regard.engine.native.loading import open_native
from regard.errors import DamagedFileError, UnavailableError, UnsupportedError
from regard.models import Decoder
from regard.text.gguf import tokenizer_of
from regard.text.sentencepiece import SPACE

TEXTS = ["the old man sees the red house", "a child reads 2026 books in the garden", "é ü 水 🙂"]
IDS = torch.arange(1, 17)[None] * 7 % 300
PARTS = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
}
Describe = Callable[[gguf.GGUFWriter], Any]


def settings_of(model_type: str, **more: Any) -> dict[str, Any]:
    return {
        "model_type": model_type, "vocab_size": 300, "hidden_size": 64, "intermediate_size": 96,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "head_dim": 16, "max_position_embeddings": 64, "rms_norm_eps": 1e-5,
        "rope_theta": 5000.0, "tie_word_embeddings": False, **more,
    }  # fmt: skip


def write_folder(folder: Path, model_type: str = "llama", **more: Any) -> Path:
    """A random model; its norms and biases are random too."""
    torch.manual_seed(5)
    family = TYPES[model_type].family
    model = Decoder(family.from_config(settings_of(model_type, **more)))
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 1:
                weight += 0.2 * torch.randn_like(weight)
            elif "embed" not in name:
                weight *= 2
    save_pretrained(model, folder)
    return folder


def write_gguf(
    folder: Path,
    kind: Kind = Kind.F32,
    *,
    describe: Describe = lambda writer: None,
    blocks: Mapping[str, tuple[Kind, NDArray[np.uint8]]] | None = None,
) -> Path:
    """The folder's model as llama.cpp's converter writes it.

    Args:
        describe: adds more to the file.
        blocks: rows of another kind for tensors of these names.
    """
    settings = regard.checkpoints.Checkpoint(folder).settings
    heads = {"q": settings["num_attention_heads"], "k": settings["num_key_value_heads"]}
    file = folder / "model.gguf"
    writer = gguf.GGUFWriter(file, settings["model_type"])
    writer.add_context_length(settings["max_position_embeddings"])
    writer.add_embedding_length(settings["hidden_size"])
    writer.add_block_count(settings["num_hidden_layers"])
    writer.add_head_count(settings["num_attention_heads"])
    writer.add_head_count_kv(settings["num_key_value_heads"])
    writer.add_feed_forward_length(settings["intermediate_size"])
    writer.add_layer_norm_rms_eps(settings["rms_norm_eps"])
    writer.add_key_length(settings["head_dim"])
    writer.add_value_length(settings["head_dim"])
    writer.add_rope_dimension_count(settings["head_dim"])
    writer.add_rope_freq_base(settings["rope_theta"])
    describe(writer)
    for name, value in load_file(folder / "model.safetensors").items():
        stem, ending = name.rsplit(".", 1)
        layer = stem.removeprefix("model.layers.").split(".")[0] if ".layers." in stem else ""
        part = PARTS[stem.removeprefix(f"model.layers.{layer}.")]
        if settings["model_type"] == "llama" and part in ("attn_q", "attn_k"):
            halves = value.reshape(heads[part[-1]], 2, -1, *value.shape[1:])
            value = np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(value.shape)
        type = kind if value.ndim == 2 else Kind.F32
        data = gguf.quants.quantize(value, type)
        name = f"{layer and f'blk.{layer}.'}{part}.{ending}"
        if blocks and name in blocks:
            type, data = blocks[name]
        writer.add_tensor(name, data, raw_dtype=type)
    close(writer)
    return file


def close(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read_all(file: Path) -> None:
    checkpoint = open_checkpoint(file)
    read_state(checkpoint, checkpoint.config.shapes(), np)
    _ = checkpoint.tokenizers


def logits(model: str | Path) -> Tensor:
    with torch.no_grad():
        result: Tensor = regard.from_pretrained(str(model))(IDS)
        return result


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", {}),
    "llama, its output tied": ("llama", {"tie_word_embeddings": True}),
    "llama, with biases": ("llama", {"attention_bias": True, "mlp_bias": True}),
    "qwen2": ("qwen2", {}),
    "qwen3, heads wider than the model": ("qwen3", {"head_dim": 24}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_of_float32_gives_the_numbers_of_its_folder(case: str, tmp_path: Path) -> None:
    model_type, settings = CASES[case]
    folder = write_folder(tmp_path, model_type, **settings)
    file = write_gguf(folder)
    assert torch.equal(logits(folder), logits(file))
    theirs, ours = (
        read_state(checkpoint, checkpoint.config.shapes(), np)
        for checkpoint in map(open_checkpoint, (folder, file))
    )
    assert all(np.array_equal(theirs[name], ours[name]) for name in theirs)


@pytest.mark.parametrize("kind", [Kind.F16, Kind.BF16, Kind.Q8_0, Kind.Q4_0])
def test_other_kinds_give_the_numbers_that_they_stand_for(kind: Kind, tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    file = write_gguf(folder, kind)
    model = regard.from_pretrained(folder)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() == 2:
                weight.copy_(rounded(weight, kind))
        expected = model(IDS)
    torch.testing.assert_close(logits(file), expected, rtol=0, atol=1e-5)
    assert not torch.allclose(logits(folder), expected, atol=1e-4)


def rounded(weight: Tensor, kind: Kind) -> Tensor:
    """Numbers as the kind has them, by its definition: blocks of 32 with a scale in float16."""
    if kind in (Kind.F16, Kind.BF16):
        return weight.to(torch.float16 if kind == Kind.F16 else torch.bfloat16).float()
    blocks = weight.reshape(-1, 32)
    largest = blocks.gather(1, blocks.abs().argmax(1, keepdim=True))
    scale = largest.abs() / 127 if kind == Kind.Q8_0 else largest / -8
    steps = blocks / scale
    steps = steps.round() if kind == Kind.Q8_0 else (steps + 8.5).floor().clamp(0, 15) - 8
    return (steps * scale.half().float()).reshape(weight.shape)


def test_blocks_of_256_are_dequantized(tmp_path: Path) -> None:
    """Q4_K by hand: 0.5 and 0.25, by 3 and 2 for each of its groups of 32, and 4 bits a number."""
    scales = np.array([3] * 4 + [2] * 4 + [3 | 2 << 4] * 4, np.uint8)
    numbers = (np.arange(128) % 16).astype(np.uint8)  # the upper four bits are 0
    block = np.concatenate([np.array([0.5, 0.25], np.float16).view(np.uint8), scales, numbers])
    low = 0.5 * 3 * numbers.astype(np.float32) - 0.25 * 2
    expected = np.stack([low.reshape(4, 32), np.full((4, 32), -0.5, np.float32)], 1).reshape(256)
    folder = write_folder(tmp_path, hidden_size=256, head_dim=64)
    rows = np.tile(block, (256, 1))
    file = write_gguf(folder, blocks={"blk.0.attn_output.weight": (Kind.Q4_K, rows)})
    read = open_checkpoint(file).weights.read("blk.0.attn_output.weight", np)
    assert read.shape == (256, 256)
    np.testing.assert_array_equal(read[3], expected)


HALVES = {
    "Q2_K": (80, 82),
    "Q4_1": (0, 2),
    "Q5_1": (0, 2),
    "Q4_K": (0, 2),
    "Q5_K": (0, 2),
    "Q6_K": (208,),
}


def drawn(kind: str, rows: int, columns: int) -> NDArray[np.uint8]:
    """Random blocks, (rows, bytes), whose scales and offsets are moderate."""
    draw = np.random.default_rng(columns)
    numbers, size = gguf.GGML_QUANT_SIZES[Kind[kind]]
    blocks = draw.integers(0, 256, (rows, columns // numbers, size), np.uint8)
    for place in HALVES.get(kind, (0,)):
        scales = (draw.normal(size=blocks.shape[:2]) / 100).astype(np.float16)
        blocks[..., place : place + 2] = scales[..., None].view(np.uint8)
    return blocks.reshape(rows, -1)


@pytest.mark.parametrize("kind", GROUPS)
def test_integers_times_scales_plus_offsets_are_the_dequantized_numbers(kind: str) -> None:
    rows, group = drawn(kind, 5, 512), GROUPS[kind]
    content = unpacked(kind, rows, 512)
    integers = content[: 5 * 512].view(np.int8).reshape(5, -1, group)
    scales, offsets = content[5 * 512 :].view(np.float32).reshape(2, 5, -1, 1)
    numbers = (integers * scales + offsets).reshape(5, 512)
    np.testing.assert_array_equal(numbers, gguf.dequantize(rows, Kind[kind]))


# As llama.cpp mixes them: Q4_K with Q6_K for values and what narrows, whose groups are smaller.
MIXED = {"attn_v": "Q6_K", "ffn_down": "Q5_K", "attn_output": "Q4_0", "ffn_up": "Q2_K"}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sizes = {"hidden_size": 256, "head_dim": 64, "intermediate_size": 256}
    folder = write_folder(tmp_path_factory.mktemp("mixed"), tie_word_embeddings=True, **sizes)
    rows = {"attn_k": 128, "attn_v": 128}
    names = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    blocks = {
        f"blk.{layer}.{name}.weight": (
            Kind[MIXED.get(name, "Q4_K")],
            drawn(MIXED.get(name, "Q4_K"), rows.get(name, 256), 256),
        )
        for layer in range(2)
        for name in names
    }
    return write_gguf(folder, Kind.Q8_0, blocks=blocks)


@pytest.mark.parametrize("precision", library.PRECISIONS)
def test_the_engine_has_the_bits_of_the_dequantized_numbers(precision: str, mixed: Path) -> None:
    model = regard.from_pretrained(str(mixed))
    for kernels in range(len(library.kernels())):
        for ids in (IDS.numpy(), IDS.numpy()[:, :1]):
            integers, floats = (
                open_native(each, precision, kernels=kernels).start(ids > -1).step(ids)
                for each in (mixed, model)
            )
            np.testing.assert_array_equal(integers, floats)


def test_no_more_is_unpacked_than_a_product_needs(
    mixed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive, most = set[int](), 0

    def counted(*arguments: Any) -> NDArray[np.uint8]:
        nonlocal most
        array = unpacked(*arguments)
        alive.add(id(array))
        weakref.finalize(array, alive.discard, id(array))
        most = max(most, len(alive))
        return array

    monkeypatch.setattr(gguf_groups, "unpacked", counted)
    open_native(mixed)
    assert (most, len(alive)) == (3, 0)  # query, key and value are one product


def test_a_matrix_that_cannot_be_read_is_refused(mixed: Path, tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(mixed.read_bytes())
    checkpoint = open_checkpoint(file)
    matrix = checkpoint.weights.stored("blk.1.ffn_down.weight")
    os.truncate(file, file.stat().st_size - 200_000)
    with pytest.raises(DamagedFileError, match="has been written to since it was opened"):
        open_native(checkpoint)
    with pytest.raises(DamagedFileError, match="has become shorter"):
        np.asarray(matrix)


@pytest.mark.parametrize("kind", ["Q8_0", "Q4_K", "Q2_K"])
def test_a_scale_that_is_no_number_is_refused_by_each_engine(kind: str, tmp_path: Path) -> None:
    sizes = {"hidden_size": 256, "head_dim": 64, "intermediate_size": 256}
    folder = write_folder(tmp_path / "folder", tie_word_embeddings=True, **sizes)
    rows, place = drawn(kind, 256, 256), HALVES.get(kind, (0,))[0]
    rows[97, place : place + 2] = 0, 0x7C  # infinity
    file = write_gguf(folder, blocks={"blk.0.ffn_down.weight": (Kind[kind], rows)})
    for read in (open_native, regard.from_pretrained):
        with pytest.raises(DamagedFileError, match="contains NaN or infinity"):
            read(str(file))


def test_the_memory_that_doctor_names_is_that_of_the_packed_weights(mixed: Path) -> None:
    finding = next(each for each in examine(open_checkpoint(mixed)) if each.check == "memory")
    # Of 256 · 256, in each layer: Q4_K, Q6_K, Q5_K, Q4_0, and Q2_K as floats.
    matrices = 2.5 * 0.75 + 0.5 * 1.25 + 1.25 + 0.625 + 4
    table = 300 * 256 * (1.25 + 1.125)  # beside the packed output, a table with offsets
    total = 2 * 256 * 256 * matrices + table + 5 * 256 * 4
    assert finding.message.startswith(f"about {total / 1e6:.1f} MB in the native engine")


def test_the_scaling_of_llama_3_is_found_in_its_factors(tmp_path: Path) -> None:
    scaling = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    scaling |= {"rope_type": "llama3", "original_max_position_embeddings": 8192}
    folder = write_folder(tmp_path, rope_scaling=scaling, rope_theta=500000.0)
    # By hand, of eight frequencies: θ^(-2k/16) makes 8192 θ^(-2k/16) / 2π rotations.
    rotations = 8192 / (2 * np.pi) * 500000.0 ** -(np.arange(8) / 8)
    kept = np.clip((rotations - 1) / 3, 0, 1)
    factors = (1 / (kept + (1 - kept) / 8)).astype(np.float32)
    assert 1 < factors[4] < 8
    file = write_gguf(
        folder, describe=lambda writer: writer.add_tensor("rope_freqs.weight", factors)
    )
    torch.testing.assert_close(logits(file), logits(folder), rtol=0, atol=1e-5)
    other = 2 * factors
    with pytest.raises(RegardError, match="is not the scaling of Llama"):
        open_checkpoint(
            write_gguf(
                folder, describe=lambda writer: writer.add_tensor("rope_freqs.weight", other)
            )
        )


@pytest.mark.parametrize("kind", ["linear", "yarn"])
def test_other_scalings_are_read(kind: str, tmp_path: Path) -> None:
    scaling = {"rope_type": kind, "factor": 4.0, "original_max_position_embeddings": 16}
    folder = write_folder(tmp_path, rope_scaling=scaling)

    def describe(writer: gguf.GGUFWriter) -> None:
        writer.add_rope_scaling_type(gguf.RopeScalingType(kind))
        writer.add_rope_scaling_factor(4.0)
        writer.add_rope_scaling_orig_ctx_len(16)

    torch.testing.assert_close(
        logits(write_gguf(folder, describe=describe)), logits(folder), rtol=0, atol=1e-5
    )


def sentencepiece(writer: gguf.GGUFWriter) -> None:
    """A vocabulary as SentencePiece learns it: the bytes, the letters, and pairs by their rank."""
    letters = sorted({letter for text in TEXTS[:2] for letter in text if letter != " "})
    pairs = ["th", "re", f"{SPACE}th", "ed", f"{SPACE}the", "oo", f"{SPACE}re", f"{SPACE}red"]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    kinds = [2, 3, 3, *[6] * 256, *[1] * (len(letters) + len(pairs) + 1)]
    tokens += [*pairs, SPACE, *letters]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([*[0.0] * 259, *(-float(rank) for rank in range(len(tokens) - 259))])
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)


def test_a_sentencepiece_vocabulary_is_read(tmp_path: Path) -> None:
    file = write_gguf(write_folder(tmp_path), describe=sentencepiece)
    tokenizer = open_checkpoint(file).tokenizers.source
    ids = tokenizer.inputs("the red é").ids
    assert ids[0] == 1
    # "é" is in no piece: its two bytes.
    assert tokenizer.tokens(ids[1:]) == [f"{SPACE}the", f"{SPACE}red", SPACE, "<0xC3>", "<0xA9>"]
    assert [tokenizer.decode(tokenizer.encode(text)) for text in TEXTS] == TEXTS
    assert tokenizer.decode([1, *tokenizer.encode("</s>")]) == "</s>"


def byte_level(pre: str) -> tuple[tokenizers.Tokenizer, Describe]:
    """A tokenizer that the library learned, in the division of texts of this name as its own
    repository gives it, and its description."""
    contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|"
    rest = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    numbers = {"qwen2": r"\p{N}", "llama-bpe": r"\p{N}{1,3}"}.get(pre)
    steps: list[pre_tokenizers.PreTokenizer] = []
    if numbers:
        words = tokenizers.Regex(contractions + r"[^\r\n\p{L}\p{N}]?\p{L}+|" + numbers + rest)
        steps.append(pre_tokenizers.Split(words, "isolated"))
    if pre == "smollm":
        steps.append(pre_tokenizers.Digits(individual_digits=True))
    steps.append(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not numbers))
    backend = tokenizers.Tokenizer(tokenizers.models.BPE())
    backend.pre_tokenizer = pre_tokenizers.Sequence(steps)
    learner = tokenizers.trainers.BpeTrainer(
        vocab_size=299,
        special_tokens=["<|end|>", "<|start|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator(TEXTS * 9, learner)
    model = json.loads(backend.to_str())["model"]

    def describe(writer: gguf.GGUFWriter) -> None:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(pre)
        writer.add_token_list(sorted(model["vocab"], key=model["vocab"].__getitem__))
        writer.add_token_types([3, 3, *[1] * (len(model["vocab"]) - 2)])
        writer.add_token_merges([" ".join(merge) for merge in model["merges"]])
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(0)
        writer.add_chat_template("{{ messages[0].content }}<|end|>")

    return backend, describe


@pytest.mark.parametrize("pre", ["gpt-2", "qwen2", "llama-bpe", "smollm"])
def test_byte_pairs_over_bytes_are_read(pre: str, tmp_path: Path) -> None:
    backend, describe = byte_level(pre)
    file = write_gguf(write_folder(tmp_path), describe=describe)
    tokenizer = open_checkpoint(file).tokenizers.source
    for text in [*TEXTS, "it's 2026,\n\n  20267 years  "]:
        assert tokenizer.encode(text) == backend.encode(text).ids
    assert 1 not in tokenizer.encode("<|start|>the")
    start = [1] if pre == "llama-bpe" else []  # where the file does not say
    assert tokenizer.inputs(TEXTS[0]).ids == start + backend.encode(TEXTS[0]).ids
    assert tokenizer.settings["chat_template"].endswith("<|end|>")
    assert tokenizer.special == {"bos": "<|start|>", "eos": "<|end|>"}


@pytest.mark.parametrize(
    ("name", "pre"),
    [
        *[("deepseek-r1-qwen", "qwen2"), ("megrez", "qwen2"), ("hunyuan", "qwen2")],
        *[("llama3", "llama-bpe"), ("falcon3", "llama-bpe"), ("pixtral", "llama-bpe")],
        *[("phi-2", "gpt-2"), ("olmo", "gpt-2"), ("modern-bert", "gpt-2")],
        *[("starcoder", "smollm"), ("command-r", "smollm"), ("exaone", "smollm")],
        ("smaug-bpe", "llama-bpe"),
    ],
)
def test_another_name_of_llama_cpps_is_the_same_division(name: str, pre: str) -> None:
    """As `llama-vocab.cpp` of llama.cpp maps `tokenizer.ggml.pre`."""
    backend, _ = byte_level(pre)
    vocab = backend.get_vocab()
    merges = json.loads(backend.to_str())["model"]["merges"]
    facts = {
        "model": "gpt2", "pre": name, "tokens": sorted(vocab, key=vocab.__getitem__),
        "merges": [" ".join(merge) for merge in merges], "bos_token_id": 1, "eos_token_id": 0,
    }  # fmt: skip
    tokenizer = tokenizer_of({f"tokenizer.ggml.{key}": fact for key, fact in facts.items()})
    for text in [*TEXTS, "it's 2026,\n\n  20267 years  "]:
        assert tokenizer.encode(text) == backend.encode(text).ids
    starts = tokenizer.inputs("the").ids[0] == 1
    assert starts == (pre == "llama-bpe" and name != "smaug-bpe")


def test_a_file_is_written_with_looked_into_and_described(tmp_path: Path) -> None:
    _, describe = byte_level("qwen2")
    folder = write_folder(tmp_path, "qwen2")
    file = write_gguf(folder, Kind.Q8_0, describe=describe)
    ids = open_checkpoint(file).tokenizers.source.inputs(TEXTS[0]).ids
    expected, model = list(ids), regard.from_pretrained(str(file))
    for _ in range(8):
        with torch.no_grad():
            expected.append(int(model(torch.tensor([expected]))[0, -1, 1:].argmax()) + 1)  # no end
    writer = regard.load(file)
    assert writer.engine.name.startswith("native")
    options = {"max_new_tokens": 8, "min_new_tokens": 8, "do_sample": False}
    assert writer.run([TEXTS[0]], **options)[0].ids == expected
    runner = CliRunner()
    looked = runner.invoke(app, ["look", str(file), TEXTS[0], "--terminal"])
    assert looked.exit_code == 0, looked.output
    assert "house" in looked.output
    assert TEXTS[0] in runner.invoke(app, ["generate", "-m", str(file), TEXTS[0]]).output
    described = runner.invoke(app, ["info", str(file)]).output
    assert "q8_0" in described
    assert "qwen2" in described
    examined = runner.invoke(app, ["doctor", str(file)])
    assert examined.exit_code == 0, examined.output


def test_a_file_cut_anywhere_is_refused_in_one_sentence(tmp_path: Path) -> None:
    _, describe = byte_level("gpt-2")
    whole = write_gguf(write_folder(tmp_path), describe=describe).read_bytes()
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(b"")
    with pytest.raises(DamagedFileError, match="it is empty"):
        open_checkpoint(cut)
    for length in [*range(7, 600, 7), *range(600, len(whole) - 64, 9973)]:
        cut.write_bytes(whole[:length])
        with pytest.raises(DamagedFileError, match="is not a whole GGUF file") as refusal:
            open_checkpoint(cut)
        assert "\n" not in str(refusal.value)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_damaged_file_is_opened_or_refused(changes: list[tuple[int, int]]) -> None:
    content = bytearray(small_file().read_bytes())
    for place, byte in changes:
        content[place] = byte
    damaged = small_file().with_name("damaged.gguf")
    damaged.write_bytes(content)
    with suppress(RegardError):
        read_all(damaged)


@cache
def small_file() -> Path:
    folder = Path(tempfile.mkdtemp())
    return write_gguf(write_folder(folder), Kind.Q8_0, describe=byte_level("gpt-2")[1])


REFUSED: dict[str, tuple[Describe, str]] = {
    "setting": (lambda writer: writer.add_clamp_kqv(4), "llama.attention.clamp_kqv .* not impl"),
    "experts": (
        lambda writer: writer.add_expert_count(4),
        "must have the key llama.expert_used_count, which is missing",
    ),
    "rotary": (
        lambda writer: writer.add_rope_scaling_type(gguf.RopeScalingType.LONGROPE),
        "rope_type must be default, linear, dynamic, llama3 or yarn",
    ),
    "heads": (lambda writer: writer.add_key_length_mla(3), "key_length_mla"),
    "rows": (lambda writer: writer.add_vocab_size(777), "777, but its embeddings have 300 rows"),
    "kind": (
        lambda writer: writer.add_tensor(
            "blk.9.ffn_up.weight", np.zeros((2, 40), np.uint8), raw_dtype=Kind.Q8_1
        ),
        "is Q8_1, which the package gguf cannot dequantize",
    ),
    "tensor": (
        lambda writer: writer.add_tensor("blk.0.x.weight", np.zeros(3, np.float32)),
        "unexpected blk.0.x.weight",
    ),
    "no tokenizer": (lambda writer: None, "tokenizer.ggml.model must be llama, gpt2, t5 or bert"),
    "words": (
        lambda writer: (
            writer.add_tokenizer_model("gpt2"),
            writer.add_tokenizer_pre("whitespace"),
            writer.add_token_list(["a"]),
        ),
        "the file says 'whitespace'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_implemented_is_refused(case: str, tmp_path: Path) -> None:
    describe, message = REFUSED[case]

    def more(writer: gguf.GGUFWriter) -> None:
        describe(writer)

    file = write_gguf(write_folder(tmp_path), describe=more)
    with pytest.raises(RegardError, match=message):
        read_all(file)


def test_another_architecture_is_refused(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "model.gguf", "rwkv7")
    writer.add_block_count(2)
    close(writer)
    with pytest.raises(UnsupportedError, match=r"must be one of llama, .*, t5 here; it is .rwkv7"):
        regard.load(tmp_path / "model.gguf")


def test_the_package_is_named_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_gguf(write_folder(tmp_path))
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(UnavailableError, match=r"GGUF files need the package gguf .*pip install"):
        regard.load(file)


def test_a_folder_of_such_a_file_says_how_to_open_it(tmp_path: Path) -> None:
    write_gguf(write_folder(tmp_path))
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(RegardError, match=r"give .*model\.gguf itself"):
        regard.from_pretrained(tmp_path)
