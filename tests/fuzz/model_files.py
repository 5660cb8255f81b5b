"""Readers of what a model's folder holds, of chats and of traces."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

import regard
from fixtures.ctranslate2 import write_folder
from fuzz.small_models import TEMPLATE, TEXT, small_model, small_translator
from regard.checkpoints import Checkpoint, empty_model, open_checkpoint, save_pretrained
from regard.checkpoints.argos import unpack
from regard.checkpoints.card import read_card
from regard.checkpoints.fit import read_state
from regard.checkpoints.shipped import FOLDER
from regard.checkpoints.weights import open_weights
from regard.engine.defaults import read_defaults
from regard.errors import RegardError, refusing
from regard.inspection import Trace, thumbnails
from regard.json_files import read_json
from regard.models import Decoder, DecoderConfig
from regard.tasks.text_generation.chat import chat_ids
from regard.text import Tokenizer
from regard.text.sentencepiece import make_backend, read_sentencepiece

SENTENCEPIECE = Path(__file__).parents[1] / "text" / "sentencepiece"
MODELS = ("translation", "classification", "image-classification", "question-answering")
MODELS += ("embedding", "language-model", "masked-language-model")


def make_config(folder: Path) -> list[str]:
    """config.json of shipped models, each under its model's name, with fewer layers."""
    (folder / "read").mkdir()
    names = []
    for name in ("en-de", "emotions", "shakespeare", "digits"):
        settings = json.loads((FOLDER / name / "config.json").read_text())
        for key in ("encoder_layers", "decoder_layers", "num_hidden_layers", "n_layer"):
            if key in settings:
                settings[key] = 1
        (folder / f"{name}.json").write_text(json.dumps(settings))
        names.append(f"{name}.json")
    return names


def read_config(folder: Path, name: str) -> None:
    shutil.copy(folder / name, folder / "read" / "config.json")
    checkpoint = Checkpoint(folder / "read")
    empty_model(checkpoint)
    read_defaults(checkpoint)


def make_models(folder: Path) -> list[str]:
    names = []
    for task in MODELS:
        shutil.copytree(small_model(task), folder / task)
        files = [file.relative_to(folder) for file in (folder / task).rglob("*") if file.is_file()]
        names += [file.as_posix() for file in files if file.suffix in (".json", ".md")]
    return sorted(names)


def read_model(folder: Path, name: str) -> None:
    task = name.partition("/")[0]
    model: Any = regard.load(folder / task)
    if task == "translation":
        model.run_by("torch").run([TEXT], max_new_tokens=2)
    elif task == "language-model":
        model.run([TEXT], max_new_tokens=2)
    elif task == "question-answering":
        model.run([("who?", TEXT)])
    elif task == "image-classification":
        from PIL import Image

        model.run([Image.new("L", (8, 8))])
    elif task == "masked-language-model":
        model.run([f"the {model.tokenizer.special['mask']} sees"])
    else:
        model.run([TEXT])
    _ = list(map(str, read_card(folder / task).items()))


def make_tokenizer(folder: Path) -> list[str]:
    small_translator()[1].source.save(folder)
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    names = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
    return [*names, "chat_template.jinja"]


def read_tokenizer(folder: Path, name: str) -> None:
    tokenizer = Tokenizer.load(folder)
    tokenizer.decode(tokenizer.encode(TEXT))
    tokenizer.words(tokenizer.encode("</s> ध"))
    tokenizer.inputs(TEXT, "a tree")


def make_weights(folder: Path) -> list[str]:
    model = small_translator()[0].model
    save_pretrained(model, folder)
    torch.save({"a": torch.ones(2, 3), "b": torch.zeros(4)}, folder / "small.bin")
    (folder / "bin").mkdir()
    save_pretrained(model, folder / "parts", shard_bytes=4000)
    return ["model.safetensors", "small.bin", "parts/model.safetensors.index.json"]


def read_weights(folder: Path, name: str) -> None:
    if name.endswith(".bin"):
        shutil.copy(folder / name, folder / "bin" / "pytorch_model.bin")
        folder = folder / "bin"
    weights = open_weights(folder / "parts" if name.startswith("parts") else folder)
    for each in weights:
        _ = weights[each].sum()


def make_ctranslate2(folder: Path) -> list[str]:
    torch.manual_seed(1)
    tokens = ["<unk>", "<s>", "</s>", "a", "b", "c"]
    config = DecoderConfig(6, d_model=8, d_ff=8, num_layers=1, num_heads=2, max_positions=9)
    for kind in ("float16", "int8"):
        write_folder(folder / kind, Decoder(config), tokens, kind)
    names = ("model.bin", "config.json", "vocabulary.json")
    return [f"{kind}/{name}" for kind in ("float16", "int8") for name in names]


def read_ctranslate2(folder: Path, name: str) -> None:
    checkpoint = open_checkpoint(folder / name.partition("/")[0])
    read_state(checkpoint, checkpoint.config.shapes(), np, stored=True)


def make_gguf(folder: Path) -> list[str]:
    """A small Llama and a tokenizer of letters; matrices in float16 and two kinds of blocks."""
    from gguf import GGMLQuantizationType, GGUFWriter, quants

    draw, width, tokens = np.random.default_rng(1), 32, ["<s>", "</s>", *"abcdefgh", "ab"]
    layer = {"attn_q": width, "attn_k": width, "attn_v": width, "attn_output": width}
    layer |= {"ffn_gate": width, "ffn_up": width, "ffn_down": width}
    for kind in ("F16", "Q8_0", "Q4_0"):
        writer = GGUFWriter(folder / f"{kind}.gguf", "llama")
        writer.add_context_length(16)
        writer.add_embedding_length(width)
        writer.add_block_count(1)
        writer.add_head_count(2)
        writer.add_feed_forward_length(width)
        writer.add_layer_norm_rms_eps(1e-5)
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_list(tokens)
        writer.add_token_merges(["a b"])
        writer.add_bos_token_id(0)
        writer.add_eos_token_id(1)
        for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
            writer.add_tensor(f"{name}.weight", np.ones(width, np.float32))
        rows = {"token_embd": len(tokens)} | {f"blk.0.{name}": size for name, size in layer.items()}
        for name, count in rows.items():
            dtype = GGMLQuantizationType[kind]
            numbers = draw.normal(size=(count, width)).astype(np.float32)
            writer.add_tensor(f"{name}.weight", quants.quantize(numbers, dtype), raw_dtype=dtype)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
    return ["F16.gguf", "Q8_0.gguf", "Q4_0.gguf"]


def read_gguf(folder: Path, name: str) -> None:
    checkpoint = open_checkpoint(folder / name)
    read_state(checkpoint, checkpoint.config.shapes(), np)
    checkpoint.tokenizers.source.encode("abc")


def make_argos(folder: Path) -> list[str]:
    make_ctranslate2(folder)
    with zipfile.ZipFile(folder / "package.argosmodel", "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("en_de/metadata.json", '{"from_code": "en", "to_code": "de"}')
        for file in (folder / "int8").iterdir():
            package.write(file, f"en_de/model/{file.name}")
    return ["package.argosmodel"]


def read_argos(folder: Path, name: str) -> None:
    shutil.rmtree(folder / "whole", ignore_errors=True)
    unpack(folder / name, folder / "whole")


def make_chat(folder: Path) -> list[str]:
    (folder / "template.jinja").write_text(TEMPLATE)
    turns = [("system", "Be brief."), ("user", "Hi!"), ("assistant", "Yes?"), ("user", "<s>  ")]
    messages = [{"role": role, "content": content} for role, content in turns]
    (folder / "messages.json").write_text(json.dumps(messages))
    return ["template.jinja", "messages.json"]


def read_chat(folder: Path, name: str) -> None:
    tokenizer = small_translator()[1].source
    template = (folder / "template.jinja").read_text(encoding="utf-8", errors="replace")
    settings, tokenizer.settings = tokenizer.settings, {"chat_template": template}
    try:
        messages = read_json(folder / "messages.json")
        if not isinstance(messages, list):
            raise RegardError("a chat is a list, as its readers check")
        chat_ids(tokenizer, messages)
    finally:
        tokenizer.settings = settings


def make_card(folder: Path) -> list[str]:
    shutil.copy(FOLDER / "en-de" / "README.md", folder / "README.md")
    return ["README.md"]


def make_trace(folder: Path) -> list[str]:
    small_translator()[0].trace(TEXT, max_new_tokens=4).save(folder / "trace.safetensors")
    return ["trace.safetensors"]


def read_trace(folder: Path, name: str) -> None:
    trace = Trace.load(folder / name)
    for tap in trace.values():
        tap.weights(0, slice(0, 4), slice(0, 4))
        thumbnails(tap, size=4)
    _ = trace.receipt


def make_sentencepiece(folder: Path) -> list[str]:
    names = [file.name for file in SENTENCEPIECE.glob("*.model") if "word" not in file.name]
    for name in names:
        shutil.copy(SENTENCEPIECE / name, folder / name)
    return sorted(names)


def read_sentencepiece_file(folder: Path, name: str) -> None:
    model = read_sentencepiece(folder / name)
    with refusing("the tokenizer is malformed"):  # as `text.formats` reads it
        backend = make_backend(model)
    backend.encode(TEXT)
