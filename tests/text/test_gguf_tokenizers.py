"""Tokenizers that GGUF files describe, as llama.cpp's converter writes them from a model's own."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import pytest
import tokenizers
from gguf import TokenType
from tokenizers import pre_tokenizers

from regard.checkpoints.shipped import FOLDER
from regard.errors import UnsupportedError
from regard.text import Tokenizer
from regard.text.gguf import tokenizer_of
from regard.text.layouts import sentencepiece_backend
from regard.text.sentencepiece import SPACE, read_sentencepiece

MODELS = Path(__file__).parent / "sentencepiece"
TEXTS = [
    "The old man sees the red house.", "it's 2026,\n\n  20267 years  ", "é ü 水 🙂 naïve CAFÉ",
    "camelCase HTTPServer IT'S We'Ve 3.14!!\n\n\tdef f(x):\r\n  return x/2", "", "  ",
    "<s> [SEP] a", "ﬁne ＡＢＣ x²  y³ ", "привет МИР नमस्ते",
]  # fmt: skip


def facts_of(settings: Mapping[str, Any], architecture: str = "llama") -> dict[str, Any]:
    facts = {f"tokenizer.ggml.{name}": fact for name, fact in settings.items()}
    return facts | {"general.architecture": architecture}


def test_pieces_of_words_are_those_of_berts_own_tokenizer() -> None:
    folder = FOLDER / "minilm"
    own = Tokenizer.load(folder)
    ids = own.backend.get_vocab()
    special = set(own.special.values())
    tokens = sorted(ids, key=ids.__getitem__)

    def spelled(token: str) -> str:
        if token in special:
            return token
        return token[2:] if token.startswith("##") else SPACE + token

    kinds = [TokenType.CONTROL if token in special else TokenType.NORMAL for token in tokens]
    made = tokenizer_of(
        facts_of({"model": "bert", "tokens": list(map(spelled, tokens)), "token_type": kinds})
    )
    for text in TEXTS:
        assert made.inputs(text).ids == own.inputs(text).ids
    assert made.inputs("who?", "a man").ids == own.inputs("who?", "a man").ids
    assert made.special == own.special
    assert made.decode(made.encode(TEXTS[0])) == own.decode(own.encode(TEXTS[0]))


def test_a_vocabulary_with_capital_letters_keeps_them() -> None:
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", f"{SPACE}Berlin", f"{SPACE}berlin"]
    kinds = [3, 3, 3, 3, 1, 1]
    made = tokenizer_of(facts_of({"model": "bert", "tokens": tokens, "token_type": kinds}))
    assert made.encode("Berlin berlin") == [4, 5]


@pytest.mark.parametrize("name", ["unigram", "cut_unigram"])
def test_pieces_by_probability_are_t5s_own(name: str) -> None:
    file = MODELS / f"{name}.model"
    model = read_sentencepiece(file)
    own = Tokenizer(sentencepiece_backend(file, "t5", {})[0], pad=None)
    count = len(model.pieces)
    settings = {
        "model": "t5",
        "pre": "default",
        "tokens": [piece for piece, _ in model.pieces] + [f"[PAD{count + k}]" for k in range(100)],
        "scores": [score for _, score in model.pieces] + [-10000.0] * 100,
        "token_type": [*model.kinds, *[5] * 100],
        "add_space_prefix": model.dummy_prefix,
        "remove_extra_whitespaces": model.tidy_spaces,
        "precompiled_charsmap": [byte - 256 * (byte > 127) for byte in model.charsmap],
        "unknown_token_id": model.unk_id,
        "eos_token_id": next(k for k, (piece, _) in enumerate(model.pieces) if piece == "</s>"),
    }
    made = tokenizer_of(facts_of(settings, "t5"))
    for text in TEXTS:
        assert made.inputs(text).ids == own.inputs(text).ids
    assert made.backend.token_to_id("<extra_id_0>") == count + 99


@pytest.mark.parametrize("pre", ["gpt-4o", "tekken", "llama-bpe", "qwen2", "smaug-bpe"])
def test_a_text_is_divided_as_by_transformers(pre: str, tmp_path: Path) -> None:
    """Which reads the same file."""
    from transformers import AutoTokenizer

    backend = tokenizers.Tokenizer(tokenizers.models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    learner = tokenizers.trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator([*TEXTS, "HTTPServer camelCase", "20267 naïve"] * 9, learner)
    model = json.loads(backend.to_str())["model"]
    writer = gguf.GGUFWriter(tmp_path / "model.gguf", "llama")
    for add, fact in (
        (writer.add_block_count, 1),
        (writer.add_tokenizer_model, "gpt2"),
        (writer.add_tokenizer_pre, pre),
        (writer.add_token_list, sorted(model["vocab"], key=model["vocab"].__getitem__)),
        (writer.add_token_types, [3, *[1] * (len(model["vocab"]) - 1)]),
        (writer.add_token_merges, [" ".join(merge) for merge in model["merges"]]),
        (writer.add_eos_token_id, 0),
    ):
        add(fact)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    theirs = AutoTokenizer.from_pretrained(tmp_path, gguf_file="model.gguf")
    fields = gguf.GGUFReader(tmp_path / "model.gguf").fields
    made = tokenizer_of({name: field.contents() for name, field in fields.items()})
    assert all(made.decode(made.encode(text)) == text for text in TEXTS)
    for text in TEXTS:
        assert made.encode(text) == theirs(text, add_special_tokens=False).input_ids, text


def test_the_file_says_what_stands_around_a_text() -> None:
    settings = {
        "model": "gpt2", "pre": "gpt-2", "tokens": ["[CLS]", "[SEP]", "a"], "merges": [],
        "token_type": [3, 3, 1], "bos_token_id": 0, "eos_token_id": 1,
        "seperator_token_id": 1,
    }  # fmt: skip
    assert tokenizer_of(facts_of(settings)).inputs("a").ids == [2]
    both = {"add_bos_token": True, "add_eos_token": True}
    made = tokenizer_of(facts_of(settings | both))
    assert made.inputs("a").ids == [0, 2, 1]
    assert made.inputs("a", "a").ids == [0, 2, 1, 0, 2, 1]
    assert made.special == {"bos": "[CLS]", "eos": "[SEP]", "sep": "[SEP]"}


def test_an_unknown_tokenizer_or_division_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"must be llama, gpt2, t5 or bert; .* 'rwkv'"):
        tokenizer_of({"tokenizer.ggml.model": "rwkv"})
    settings = {"model": "gpt2", "pre": "poro-chat", "tokens": ["a"]}
    with pytest.raises(UnsupportedError, match="the file says 'poro-chat'"):
        tokenizer_of(facts_of(settings))
