"""Names of tokens: by a tokenizer's pieces, or by number."""

import json
from pathlib import Path
from typing import Any

import pytest

from regard.inspection.naming import Naming, joined, patches
from regard.text import Tokenizer

SCRIPTS = json.loads((Path(__file__).parents[1] / "fixtures" / "scripts.json").read_text("utf-8"))


def test_without_a_tokenizer_ids_are_their_own_names():
    axis = Naming().axis([7, 30], prompt=1)
    assert (axis.tokens, axis.words, axis.sentences, axis.prompt) == (["7", "30"], None, None, 1)


def test_byte_level_pieces_are_read_as_text(byte_level: Any):
    tokenizer = Tokenizer(byte_level, pad=None, eos="<|endoftext|>", unk=None)
    ids = [*tokenizer.encode("the small\ndog"), tokenizer.eos_id]
    axis = Naming.of(tokenizer).axis(ids)
    assert "".join(axis.tokens) == "the▁small↵dog<|endoftext|>"
    spelled = ["".join(axis.tokens[first:last]) for first, last in axis.words]
    assert spelled == ["the", "▁small", "↵dog"]
    assert axis.prompt == len(ids)


def test_an_id_that_the_tokenizer_does_not_know_is_a_number(byte_level: Any):
    tokenizer = Tokenizer(byte_level, pad=None, eos="<|endoftext|>", unk=None)
    assert Naming.of(tokenizer).name(tokenizer.vocab_size + 3) == str(tokenizer.vocab_size + 3)


def test_patches_stand_behind_the_tokens_of_the_whole_image():
    assert patches(1, 2, extra=2) == ["CLS", "register 1", "0,0", "0,1"]


def test_a_letter_of_several_bytes_is_the_name_of_the_first(byte_level: Any):
    tokenizer = Tokenizer(byte_level, pad=None, eos="<|endoftext|>", unk=None)
    text = "in Łódź 😀 है"
    naming = Naming.of(tokenizer)
    names = naming.names(tokenizer.encode(text))
    assert joined(names) == text.replace(" ", "▁")
    assert {"Ł", "<0x81>"} <= {name.strip("▁") for name in names}
    first, second = (tokenizer.backend.token_to_id(piece) for piece in ("Å", "ģ"))  # of Ł
    assert naming.names([first, second]) == ["Ł", "<0x81>"]
    assert naming.name(first) == "<0xC5>"  # alone it is no letter
    assert naming.names([first, *tokenizer.encode("a")]) == ["<0xC5>", "a"]


def test_pieces_that_are_bytes_are_read_as_text():
    pieces = ["<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "<0x0A>", "<0xC5>", "▁a", "<0x07>"]
    names = Naming(piece=pieces.__getitem__).names(range(len(pieces)))
    assert names == ["😀", "<0x9F>", "<0x98>", "<0x80>", "↵", "<0xC5>", "▁a", "<0x07>"]
    assert joined(names) == "😀↵�▁a�"
    assert joined(pieces[:4]) == "😀"  # as traces were stored before


@pytest.mark.parametrize(("pieces", "names", "text"), SCRIPTS["named"])
def test_bytes_are_named_and_joined_as_in_the_page(pieces: list[str], names: list[str], text: str):
    assert Naming(piece=pieces.__getitem__).names(range(len(pieces))) == names
    assert joined(names) == text
