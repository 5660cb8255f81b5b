"""Names of tokens: by a tokenizer's pieces, or by number."""

from typing import Any

from regard.inspection.naming import Naming, patches
from regard.text import Tokenizer


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
