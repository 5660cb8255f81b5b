"""200 prompts, continued greedily from a GGUF file: the tokens of transformers and of llama.cpp."""

from collections.abc import Callable
from pathlib import Path

import gguf
import gguf_tokens
import gguf_trained
import pytest

from regard.checkpoints import open_checkpoint

ENOUGH = 199  # of 200: where two tokens are about as likely, rounding decides


def same(one: list[list[int]], other: list[list[int]]) -> int:
    return sum(a == b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("name", ["smollm2", "gemma3"])
def test_the_tokens_of_transformers(name: str, request: pytest.FixtureRequest) -> None:
    file = request.getfixturevalue(name)
    ends = open_checkpoint(file).files.get("generation_config.json", {})["eos_token_id"]
    prompts, theirs, _ = gguf_trained.by_transformers(file, ends)
    split, ours = gguf_trained.by_regard(file, ends)
    assert split == prompts
    assert same(ours, theirs) >= ENOUGH


def in_float32(file: Path, to: Path) -> Path:
    """The same file with its matrices dequantized: with others, llama.cpp rounds more."""
    read, writer = gguf.GGUFReader(file), gguf.GGUFWriter(to, "llama")
    for field in read.fields.values():
        if not field.name.startswith(("GGUF.", "general.architecture")):
            inner = field.types[1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(field.name, field.contents(), field.types[0], inner)
    for tensor in read.tensors:
        writer.add_tensor(tensor.name, gguf.dequantize(tensor.data, tensor.tensor_type))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return to


def test_the_tokens_of_llamacpp(
    smollm2: Path, peer: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = in_float32(smollm2, tmp_path / "smollm2-f32.gguf")
    monkeypatch.setattr(gguf_tokens, "NEW", gguf_trained.NEW)
    tokenizer = open_checkpoint(file).tokenizers.source
    prompts = [list(tokenizer.inputs(text).ids) for text in gguf_trained.PROMPTS]
    theirs = gguf_tokens.by_llamacpp(peer("llama_cpp"), file, prompts)
    _, ours = gguf_trained.by_regard(file, [])
    assert same(ours, theirs) >= ENOUGH
