"""A tokenizer from each kind of file, against transformers where it is installed."""

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from regard.errors import RegardError
from regard.text import Tokenizer, train_tokenizer

TEXTS = [
    "A man's dog isn't here, is it?", "Zwei Männer 12 34!", "日本 ok", "", "  two  ", "x" * 120,
    "the [MASK] and <mask>", "</s> end\nnew",
]  # fmt: skip


def write_json(folder: Path, **files: dict[str, Any]) -> None:
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")


def write_wordpiece(folder: Path, **settings: Any) -> None:
    folder.mkdir(exist_ok=True)
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "\u2028", *"abcdehimnorstuwxz',?!."]
    pieces += ["##" + letter for letter in "abcdehimnorstuwxzg"]
    pieces += ["man", "dog", "the", "12", "ma", "##nner", "is", "日", "本"]
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    write_json(folder, config={"model_type": "bert"}, tokenizer_config=settings)


def write_byte_level(folder: Path, kind: str, **settings: Any) -> None:
    backend = tokenizers.Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>"]
    if kind in ("roberta", "bart"):
        special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=special, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    backend.train_from_iterator(TEXTS * 3, trainer)
    backend.model.save(str(folder))
    write_json(folder, config={"model_type": kind}, tokenizer_config=settings)


def theirs(folder: Path, name: str) -> Any:
    return getattr(pytest.importorskip("transformers"), name).from_pretrained(folder)


@pytest.mark.parametrize("lower", [True, False])
def test_wordpiece_is_berts(lower: bool, tmp_path: Path) -> None:
    write_wordpiece(tmp_path, do_lower_case=lower, tokenizer_class="BertTokenizer")
    ours = Tokenizer.load(tmp_path)
    assert ours.inputs("the dog").tokens == ["[CLS]", "the", "dog", "[SEP]"]
    assert ours.inputs("the", "dog").type_ids == [0, 0, 0, 1, 1]
    assert ours.encode("[MASK]") != [4]
    assert 4 in ours.inputs("the [MASK]", special_in_text=True).ids
    their = theirs(tmp_path, "BertTokenizer")
    for text in TEXTS:
        assert ours.inputs(text, special_in_text=True).ids == their(text)["input_ids"]


def test_wordpieces_words(tmp_path: Path) -> None:
    write_wordpiece(tmp_path)
    tokenizer = Tokenizer.load(tmp_path)
    words = tokenizer.words(tokenizer.inputs("The manner is").ids)
    assert words == [("the", [1]), ("manner", [2, 3, 4, 5]), ("is", [6])]
    assert "eos" not in tokenizer.special


@pytest.mark.parametrize(
    ("kind", "name"),
    [("gpt2", "GPT2Tokenizer"), ("roberta", "RobertaTokenizer"), ("bart", "BartTokenizer")],
)
def test_byte_pairs_are_transformers_own(kind: str, name: str, tmp_path: Path) -> None:
    write_byte_level(tmp_path, kind, tokenizer_class=name)
    ours, their = Tokenizer.load(tmp_path), theirs(tmp_path, name)
    for text in TEXTS:
        assert ours.inputs(text).ids == their(text, split_special_tokens=True)["input_ids"]
        assert ours.decode(ours.encode(text)) == text
    pair = ours.inputs("the dog", "is").ids
    assert pair == their("the dog", "is")["input_ids"]


def test_qwen_parts_digits_and_composes_letters(tmp_path: Path) -> None:
    added = {"<|im_start|>": 300, "<tool>": 301}
    decoder = {
        str(id_): {"content": token, "special": token != "<tool>", "normalized": False}
        for token, id_ in added.items()
    }
    write_byte_level(
        tmp_path, "qwen2", added_tokens_decoder=decoder, tokenizer_class="Qwen2Tokenizer"
    )
    ours = Tokenizer.load(tmp_path)
    one, two = (ours.backend.token_to_id(digit) for digit in "12")
    assert ours.encode("12") == [one, two]
    assert ours.encode("e\u0301") == ours.encode("é")
    assert ours.encode("a<tool>")[-1] == 301
    assert 300 not in ours.encode("<|im_start|>")
    assert ours.inputs("<|im_start|>", special_in_text=True).ids == [300]
    assert ours.eos_id == ours.pad_id
    their = theirs(tmp_path, "Qwen2Tokenizer")
    for text in TEXTS:
        assert ours.encode(text) == their(text)["input_ids"]


def test_gpt2s_words_begin_at_its_spaces(tmp_path: Path) -> None:
    write_byte_level(tmp_path, "gpt2")
    tokenizer = Tokenizer.load(tmp_path)
    text = "Zwei Männer is"
    ids = tokenizer.encode(text)
    assert [word.text for word in tokenizer.words(ids)] == text.split()
    text = "the dog isn't"
    covered = [text[piece.start : piece.end] for piece in tokenizer.pieces(text)]
    assert "".join(covered) == text.replace(" ", "")


def test_robertas_mask_takes_the_space_before_it_along(tmp_path: Path) -> None:
    write_byte_level(tmp_path, "roberta")
    tokenizer = Tokenizer.load(tmp_path)
    mask = tokenizer.special_id("mask")
    assert tokenizer.inputs("a <mask>", special_in_text=True).ids[-3:-1] == [
        tokenizer.encode("a")[0],
        mask,
    ]


def test_an_added_token_at_another_id_is_refused(tmp_path: Path) -> None:
    decoder = {"333": {"content": "<tool>"}}
    write_byte_level(tmp_path, "qwen2", added_tokens_decoder=decoder)
    with pytest.raises(RegardError, match="'<tool>' the id 333, but in the vocabulary it is 300"):
        Tokenizer.load(tmp_path)


def test_a_tokenizer_json_comes_first_and_its_settings_are_kept(tmp_path: Path) -> None:
    train_tokenizer(["one two three"] * 9, vocab_size=376).save(tmp_path)
    write_wordpiece(tmp_path, model_max_length=77, chat_template="{{ x }}")
    tokenizer = Tokenizer.load(tmp_path)
    assert tokenizer.encode("two") != [1, 1]
    assert tokenizer.settings["model_max_length"] == 77
    tokenizer.save(tmp_path / "again")
    again = Tokenizer.load(tmp_path / "again")
    assert again.settings["model_max_length"] == 77
    assert again.settings["chat_template"] == "{{ x }}"
    assert again.encode("two one") == tokenizer.encode("two one")


def test_a_lone_tokenizer_json_has_the_usual_names(tmp_path: Path) -> None:
    train_tokenizer(["one two three"] * 9, vocab_size=376).save(tmp_path)
    (tmp_path / "tokenizer_config.json").unlink()
    (tmp_path / "special_tokens_map.json").unlink()
    assert Tokenizer.load(tmp_path).special == {"pad": "<pad>", "eos": "</s>", "unk": "<unk>"}
    write_wordpiece(tmp_path / "bert")
    Tokenizer.load(tmp_path / "bert").backend.save(str(tmp_path / "tokenizer.json"))
    assert Tokenizer.load(tmp_path).special == {
        "pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"vocab.json": "{", "merges.txt": "#version: 0.2\n"}, "to be a byte-pair encoding"),
        ({"vocab.txt": b"\xff\xfe"}, "vocab.txt to be UTF-8"),
        ({"tokenizer_config.json": "{"}, "tokenizer_config.json is not valid JSON"),
        ({"tokenizer_config.json": "[]"}, "tokenizer_config.json must be a JSON object"),
        ({}, "which does not exist"),
        ({"vocab.txt": "a\nb\n"}, r"to have the special token '\[CLS\]'"),
    ],
)
def test_what_is_missing_or_broken_is_named(
    files: dict[str, str | bytes], message: str, tmp_path: Path
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(RegardError, match=message):
        Tokenizer.load(tmp_path)


def test_a_setting_of_the_wrong_type_is_one_sentence(tmp_path: Path) -> None:
    names = ("tokenizer_class", "do_lower_case", "strip_accents", "mask_token")
    refused = 0
    for name in (*names, "added_tokens_decoder", "tokenize_chinese_chars"):
        for wrong in ("wide", [], {"a": {}}, {"1": 2}, 1.5, None):
            write_wordpiece(tmp_path, **{name: wrong})
            try:
                Tokenizer.load(tmp_path)
            except RegardError:
                refused += 1
    assert refused > 12
