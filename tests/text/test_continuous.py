"""Tokenizers of running text spell it exactly, here and in transformers."""

from pathlib import Path

import pytest

from regard import RegardError
from regard.text import Tokenizer
from regard.text.continuous import END, train_continuous

TEXT = "First Citizen:\nSpeak,  speak.\n\n\tNaïve “quotes” – 1 000 ₹ नमस्ते\n" * 4


@pytest.mark.parametrize("kind", ["characters", "bytes", "subwords"])
def test_a_text_comes_back_as_it_was(kind: str, tmp_path: Path) -> None:
    tokenizer = train_continuous([TEXT], kind=kind, vocab_size=300 if kind == "subwords" else None)
    ids = tokenizer.encode(TEXT)
    assert tokenizer.decode(ids) == TEXT
    tokenizer.save(tmp_path)
    assert Tokenizer.load(tmp_path).encode(TEXT) == ids
    transformers = pytest.importorskip("transformers")
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert theirs(TEXT)["input_ids"] == ids
    assert theirs.decode(ids) == TEXT
    assert theirs.eos_token_id == tokenizer.eos_id


def test_characters_are_those_of_the_text_in_order() -> None:
    tokenizer = train_continuous(["cab\na"], kind="characters")
    assert tokenizer.tokens(range(tokenizer.vocab_size)) == [END, "<unk>", "\n", "a", "b", "c"]
    assert tokenizer.encode("abz") == [3, 4, 1]


def test_bytes_are_those_of_utf8() -> None:
    tokenizer = train_continuous([], kind="bytes")
    assert tokenizer.vocab_size == 257
    assert len(tokenizer.encode("aé₹ ")) == 1 + 2 + 3 + 1


def test_subwords_are_as_gpt2_splits_them() -> None:
    tokenizer = train_continuous(["the cat the dog " * 50], kind="subwords", vocab_size=280)
    assert tokenizer.tokens(tokenizer.encode("the dog"))[-1] == "Ġdog"


def test_the_name_of_the_special_token_is_text() -> None:
    for kind in ("characters", "bytes", "subwords"):
        tokenizer = train_continuous([TEXT + END] * 2, kind=kind)
        assert tokenizer.eos_id not in tokenizer.encode(f"a {END} b")


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        ([], {"kind": "characters"}, "needs text; got none"),
        ([" "], {"kind": "subwords"}, "needs text; got none"),
        (["a"], {"kind": "subwords", "vocab_size": 100}, "vocab_size must be at least 257"),
        (["a"], {"kind": "bytes", "vocab_size": 300}, "vocab_size is for subwords"),
        (["a"], {"kind": "words"}, "characters, bytes, subwords"),
    ],
)
def test_bad_settings_are_refused(texts: list[str], options: dict, message: str) -> None:
    with pytest.raises(RegardError, match=message):
        train_continuous(texts, **options)
