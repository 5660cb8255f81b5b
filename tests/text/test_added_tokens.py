"""Added tokens and settings of a training, as they lie in folders, against transformers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.text import Tokenizer
from regard.text.pair import TokenizerPair

from .test_formats import write_byte_level, write_json, write_wordpiece

TEXT = "the <drug> by a man, heronry <img>dogs <tool> DRUGS drugs [PAD2] <pad2>the  <sep2> man"


def json_of(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "tokenizer.json").read_text())
    return content


def added_tokens(folder: Path) -> None:
    write_wordpiece(folder, tokenizer_class="BertTokenizer")
    count = len((folder / "vocab.txt").read_text().rstrip("\n").split("\n"))
    write_json(folder, added_tokens={"<drug>": count, "heronry": count + 1})


def padding(folder: Path) -> None:
    write_byte_level(folder, "gpt2", tokenizer_class="GPT2Tokenizer")
    write_json(folder, added_tokens={"[PAD2]": 300}, special_tokens_map={"pad_token": "[PAD2]"})


def rules(folder: Path) -> None:
    named = {"content": "<sep2>", "lstrip": True, "rstrip": True, "normalized": False}
    write_byte_level(folder, "gpt2", tokenizer_class="GPT2Tokenizer")
    further = ["<drug>", "<tool>"]
    write_json(
        folder, special_tokens_map={"sep_token": named, "additional_special_tokens": further}
    )


def decoder(folder: Path) -> None:
    tokens = {
        "300": {"content": "<img>", "lstrip": True},
        "301": {"content": "drugs", "single_word": True, "normalized": True},
        "302": {"content": "<tool>", "rstrip": True, "special": True, "normalized": False},
    }
    write_byte_level(folder, "gpt2", tokenizer_class="GPT2Tokenizer", added_tokens_decoder=tokens)


def beside_a_tokenizer_json(folder: Path) -> None:
    decoder(folder)
    Tokenizer.load(folder).save(folder)
    content = json_of(folder)
    content["added_tokens"] = []
    write_json(folder, tokenizer=content)
    extra = {"additional_special_tokens": ["<drug>"], "pad_token": "<pad2>"}
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", **extra}
    tokens = {"300": {"content": "<img>", "lstrip": True}}
    write_json(folder, tokenizer_config={**settings, "added_tokens_decoder": tokens})


def old_beside_a_tokenizer_json(folder: Path) -> None:
    beside_a_tokenizer_json(folder)
    write_json(
        folder,
        tokenizer_config={"tokenizer_class": "PreTrainedTokenizerFast", "image_token": "<img>"},
        special_tokens_map={"pad_token": "<pad2>", "extra_special_tokens": ["<tool>"]},
        added_tokens={"<pad2>": 300, "drugs": 301},
    )


FOLDERS = [
    added_tokens, padding, rules, decoder, beside_a_tokenizer_json, old_beside_a_tokenizer_json,
]  # fmt: skip


@pytest.mark.parametrize("write", FOLDERS)
def test_added_tokens_are_transformers_own(write: Callable[[Path], None], tmp_path: Path) -> None:
    write(tmp_path)
    theirs = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(tmp_path)
    ours = Tokenizer.load(tmp_path)
    assert list(ours.inputs(TEXT, special_in_text=True).ids) == theirs(TEXT).input_ids
    assert ours.vocab_size == len(theirs)
    ours.save(tmp_path / "again")
    again = Tokenizer.load(tmp_path / "again")
    assert again.encode(TEXT) == ours.encode(TEXT)


def test_an_added_token_of_the_old_file_at_another_id_is_refused(tmp_path: Path) -> None:
    padding(tmp_path)
    write_json(tmp_path, added_tokens={"[PAD2]": 305})
    with pytest.raises(RegardError, match=r"added_tokens.json gives '\[PAD2\]' the id 305"):
        Tokenizer.load(tmp_path)


def test_merges_that_a_training_dropped_by_chance_are_all_there(tmp_path: Path) -> None:
    write_byte_level(tmp_path, "gpt2")
    whole = Tokenizer.load(tmp_path)
    whole.save(tmp_path)
    content = json_of(tmp_path)
    content["model"]["dropout"] = 0.5
    write_json(tmp_path, tokenizer=content)
    opened = Tokenizer.load(tmp_path)
    assert [opened.encode(TEXT) for _ in range(9)] == [whole.encode(TEXT)] * 9
    opened.save(tmp_path)
    assert json_of(tmp_path)["model"]["dropout"] is None


def test_the_side_on_which_a_training_cut_texts_is_read_from_its_tokenizer_json(
    tmp_path: Path,
) -> None:
    write_wordpiece(tmp_path)
    opened = Tokenizer.load(tmp_path)
    opened.backend.enable_truncation(9, direction="left")
    opened.backend.enable_padding(length=40)
    opened.backend.save(str(tmp_path / "tokenizer.json"))
    write_json(tmp_path, tokenizer_config={"tokenizer_class": "PreTrainedTokenizerFast"})
    theirs = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(tmp_path)
    ours = Tokenizer.load(tmp_path)
    assert ours.truncation_side == theirs.truncation_side == "left"
    assert ours.longest(512) == min(512, theirs.model_max_length)
    assert ours.cut([1, 2, 3], 2) == [2, 3]
    assert len(ours.inputs("the " * 60).ids) == 62  # neither cut nor padded


@pytest.mark.parametrize("limit", [1e30, 10**30, float("inf"), None, 512])
def test_a_limit_beyond_the_positions_is_none(limit: float | None, tmp_path: Path) -> None:
    write_wordpiece(tmp_path, model_max_length=limit)
    assert Tokenizer.load(tmp_path).longest(300) == 300


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


@pytest.mark.parametrize(
    "name",
    [
        *("tokenizer.json", "vocab.txt", "merges.txt", "chat_template.jinja"),
        *("spiece.model", "tokenizer.model", "source.spm", "tokenizer_config.json"),
        *("special_tokens_map.json", "added_tokens.json"),
    ],
)
def test_gits_pointer_in_the_place_of_a_file_is_named(name: str, tmp_path: Path) -> None:
    write_wordpiece(tmp_path)
    (tmp_path / name).write_text(POINTER, encoding="utf-8")
    with pytest.raises(RegardError, match=rf"{name} is git's pointer .* Run `git lfs pull` there"):
        Tokenizer.load(tmp_path)


def test_only_a_text_with_a_token_without_a_vector_is_refused(tmp_path: Path) -> None:
    added_tokens(tmp_path)
    whole = Tokenizer.load(tmp_path)
    short = whole.for_table(whole.vocab_size - 1)
    assert whole.for_table(whole.vocab_size) is whole
    for read in (short.encode, short.inputs, lambda text: short.encode_batch([text])):
        assert read("the <drug>")
        with pytest.raises(RegardError, match=r"the token 'heronry' \(id \d+\): the model has vec"):
            read("the heronry")
    with pytest.raises(RegardError, match="'heronry'"):
        short.inputs_batch([("the", None), ("dog", "heronry")])
    pair = TokenizerPair(whole, whole).for_tables(10, 10)
    assert pair.joint
    assert not TokenizerPair(whole, whole).for_tables(10, 12).joint
