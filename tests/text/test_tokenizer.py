"""A tokenizer gives back what it was given, knows words, and survives saving."""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import tokenizers as library

from regard.errors import DamagedFileError, RegardError
from regard.text import Tokenizer, TokenizerPair, train_pair, train_tokenizer
from regard.text.tokenizer import LONG

LINES = [
    "A man in an orange hat is looking at something.",
    "Two young men don't look at the man's dog.",
    "Ein Mann mit einem orangefarbenen Hut, der etwas anstarrt.",
    "Zwei junge Männer schauen »den Hund« nicht an.",
    "यह एक इनडोर दृश्य है।",
    "लड़के के हाथ में किताब है।",
    "Hut Hut Hut Hut",
] * 3


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return train_tokenizer(LINES, vocab_size=600)


def test_special_tokens_have_the_first_ids(tokenizer: Tokenizer) -> None:
    assert (tokenizer.pad_id, tokenizer.eos_id, tokenizer.unk_id) == (0, 1, 2)


def test_encoding_adds_no_special_token(tokenizer: Tokenizer) -> None:
    assert not {0, 1, 2} & set(tokenizer.encode(LINES[0]))
    assert tokenizer.encode("") == []


def test_a_special_token_in_the_text_is_only_text(tokenizer: Tokenizer) -> None:
    text = "the </s> man <pad> <0x41>"
    ids = tokenizer.encode(text)
    assert not {0, 1, 2} & set(ids)
    assert tokenizer.decode(ids) == text


@pytest.mark.parametrize("fold_quotes", [False, True])
def test_a_batch_is_encoded_as_its_texts_are_one_by_one(fold_quotes: bool) -> None:
    """One text word by word, by what is remembered of each; a batch by the library, as a whole."""
    tokenizer = train_tokenizer(LINES, vocab_size=600, fold_quotes=fold_quotes)
    assert tokenizer._is_word_by_word
    parts = [*" ▁\u0308éé“’'.123", "  ", "man", "don't", "</s>", "लड़के", "\u00a0", "\n", "😀", "#"]
    draw = random.Random(0)
    texts = ["", *("".join(draw.choices(parts, k=draw.randrange(1, 9))) for _ in range(3000))]
    assert tokenizer.encode_batch(texts) == [tokenizer.encode(text) for text in texts]


def test_a_tokenizer_that_normalizes_across_words_is_not_read_word_by_word() -> None:
    tokenizer = train_tokenizer(LINES, vocab_size=600)
    folding = library.normalizers.Replace(library.Regex("a man"), "Hut")
    tokenizer.backend.normalizer = library.normalizers.Sequence(
        [library.normalizers.NFC(), folding]
    )
    assert tokenizer.encode("a man") == train_tokenizer(LINES, vocab_size=600).encode("Hut")


def test_decoding_leaves_out_padding_and_the_end(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(LINES[3])
    assert tokenizer.decode([0, *ids, 1, 0, 0]) == LINES[3]


@pytest.mark.parametrize("wrong", [-1, 600, 10**6])
def test_an_id_that_the_vocabulary_lacks_is_named(tokenizer: Tokenizer, wrong: int) -> None:
    for method in (tokenizer.decode, tokenizer.tokens, tokenizer.words):
        with pytest.raises(RegardError, match=f"from 0 to {tokenizer.vocab_size - 1}; got {wrong}"):
            method([5, wrong])


def test_words_of_generated_ids_name_their_pieces(tokenizer: Tokenizer) -> None:
    pieces = ["▁", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "▁", "m", "a", ".", "</s>", "<pad>"]
    ids = [tokenizer.backend.token_to_id(piece) for piece in pieces]
    assert tokenizer.words(ids) == [("😀", [0, 1, 2, 3, 4]), ("ma.", [5, 6, 7, 8])]


def test_words_may_begin_without_a_mark_and_behind_padding(tokenizer: Tokenizer) -> None:
    m, start = tokenizer.backend.token_to_id("m"), tokenizer.backend.token_to_id("▁")
    assert tokenizer.words([0, m, m, start, m, 1]) == [("mm", [1, 2]), ("m", [3, 4])]


@pytest.mark.parametrize("text", [*LINES[:6], "a  b", "😀 中文 qx"])
def test_words_are_those_between_the_spaces(tokenizer: Tokenizer, text: str) -> None:
    words = tokenizer.words(tokenizer.encode(text))
    assert [word.text for word in words] == text.split()
    indices = [index for word in words for index in word.indices]
    assert len(indices) == len(set(indices))


@pytest.mark.parametrize("text", [*LINES[:6], "xylophone q"])
def test_pieces_cover_the_text_and_carry_its_words(tokenizer: Tokenizer, text: str) -> None:
    pieces = tokenizer.pieces(text)
    assert [piece.id for piece in pieces] == tokenizer.encode(text)
    covered = "".join(text[piece.start : piece.end] for piece in pieces)
    assert covered == text.replace(" ", "")
    for piece in pieces:
        assert piece.word == text[: piece.start].count(" ")


def test_offsets_count_the_characters_given_not_the_composed_ones(tokenizer: Tokenizer) -> None:
    text = "u\u0308 Hut"
    last = tokenizer.pieces(text)[-1]
    assert (last.word, text[last.start : last.end]) == (1, "Hut")


def test_a_surplus_space_belongs_to_no_word(tokenizer: Tokenizer) -> None:
    pieces = tokenizer.pieces("Hut  Hut")
    assert [(piece.text, piece.word, piece.start, piece.end) for piece in pieces] == [
        *[("▁Hut", 0, 0, 3), ("▁", None, 4, 4), ("▁Hut", 1, 5, 8)]
    ]


def test_every_byte_of_a_character_covers_it(tokenizer: Tokenizer) -> None:
    spans = [(piece.text, piece.start, piece.end) for piece in tokenizer.pieces("😀a")]
    assert spans[0] == ("▁", 0, 0)
    assert [span[1:] for span in spans[1:]] == [(0, 1)] * 4 + [(1, 2)]


def test_a_saved_tokenizer_is_the_same_again(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "model")
    for path in (tmp_path / "model", tmp_path / "model" / "tokenizer.json"):
        again = Tokenizer.load(path)
        assert again.encode_batch(LINES) == tokenizer.encode_batch(LINES)
        assert again.decode(again.encode("</s>")) == "</s>"
        assert again.vocab_size == tokenizer.vocab_size


def test_transformers_opens_it_and_adds_the_end(tokenizer: Tokenizer, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    tokenizer.save(tmp_path)
    theirs = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path)
    assert (theirs.pad_token_id, theirs.eos_token_id, theirs.unk_token_id) == (0, 1, 2)
    for text in LINES[:6]:
        assert theirs(text)["input_ids"] == [*tokenizer.encode(text), 1]
        assert theirs.decode(theirs(text)["input_ids"], skip_special_tokens=True) == text


def test_names_of_special_tokens_come_from_the_folder(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path)
    renamed = (tmp_path / "tokenizer.json").read_text("utf-8").replace('"<pad>"', '"[PAD]"')
    (tmp_path / "tokenizer.json").write_text(renamed, "utf-8")
    # A name that the vocabulary lacks is added behind it, as transformers does.
    assert Tokenizer.load(tmp_path).pad_id == tokenizer.vocab_size
    names = json.loads((tmp_path / "special_tokens_map.json").read_text("utf-8"))
    names["pad_token"] = {"content": "[PAD]", "lstrip": False}
    (tmp_path / "special_tokens_map.json").write_text(json.dumps(names), "utf-8")
    assert Tokenizer.load(tmp_path).pad_id == 0


def test_a_cut_asked_for_by_the_file_is_not_made(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path)
    backend = Tokenizer.load(tmp_path).backend
    backend.enable_truncation(3)
    backend.enable_padding(length=50)
    backend.save(str(tmp_path / "tokenizer.json"))
    assert Tokenizer.load(tmp_path).encode_batch(LINES) == tokenizer.encode_batch(LINES)


def test_a_missing_or_broken_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"tokenizer\.json, which does not exist"):
        Tokenizer.load(tmp_path)
    (tmp_path / "tokenizer.json").write_text('{"version": "1.0"', "utf-8")
    with pytest.raises(RegardError, match="cannot be read"):
        Tokenizer.load(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    with pytest.raises(RegardError, match="cannot be saved in"):
        tokenizer.save(tmp_path / "file" / "model")


@pytest.mark.parametrize("joint", [True, False])
def test_a_pair_is_saved_and_loaded_joint_or_separate(tmp_path: Path, joint: bool) -> None:
    pairs = list(zip(LINES[:2] * 3, LINES[4:6] * 3, strict=True))
    pair = train_pair(pairs, joint=joint, vocab_size=480)
    assert pair.joint is joint
    # Left behind by an earlier, separate pair: must not be taken for this one's.
    train_pair(pairs, joint=False, vocab_size=400).save(tmp_path)
    pair.save(tmp_path)
    again = TokenizerPair.load(tmp_path)
    assert again.joint is joint
    for side in ("source", "target"):
        ours, theirs = getattr(pair, side), getattr(again, side)
        assert ours.encode_batch(LINES) == theirs.encode_batch(LINES)
    if not joint:
        assert again.source.encode("दृश्य") != again.target.encode("दृश्य")


def test_pieces_take_time_in_proportion_to_the_text(
    tokenizer: Tokenizer, lists_read: Callable[[Tokenizer], list[str]]
) -> None:
    names = lists_read(tokenizer)
    tokenizer.pieces("a dog")
    tokenizer.pieces("a dog " * 300)
    assert names == ["ids", "tokens", "offsets"] * 2


@pytest.mark.parametrize("method", ["encode", "inputs", "pieces"])
def test_half_a_surrogate_pair_is_refused(tokenizer: Tokenizer, method: str) -> None:
    message = r"the text is not valid Unicode: it has the lone surrogate U\+D800"
    with pytest.raises(RegardError, match=message):
        getattr(tokenizer, method)("a \ud800 dog")
    with pytest.raises(RegardError, match=message):
        tokenizer.encode_batch(["a dog", "\ud800"])


def test_the_share_of_unknown_characters_counts_no_spaces(tokenizer: Tokenizer) -> None:
    known = tokenizer.decode(tokenizer.encode("ein Hund"))
    assert tokenizer.unknown_share(known) == 0
    assert tokenizer.unknown_share("привет") == 1  # in bytes
    assert tokenizer.unknown_share("abcd пр") == pytest.approx(2 / 6)
    assert tokenizer.unknown_share("") == 0


def test_an_unknown_token_covers_the_characters_of_its_word() -> None:
    backend = library.Tokenizer(library.models.WordLevel({"[UNK]": 0, "ab": 1}, "[UNK]"))
    backend.pre_tokenizer = library.pre_tokenizers.Whitespace()
    words = Tokenizer(backend, pad=None, eos=None, unk="[UNK]")
    assert words.unknown_share("ab xyz ab") == pytest.approx(3 / 7)


def test_a_byte_level_vocabulary_knows_every_character() -> None:
    backend = library.Tokenizer(library.models.BPE())
    alphabet = library.pre_tokenizers.ByteLevel.alphabet()
    backend.pre_tokenizer = library.pre_tokenizers.ByteLevel()
    backend.train_from_iterator(
        ["a"], library.trainers.BpeTrainer(initial_alphabet=alphabet, show_progress=False)
    )
    assert Tokenizer(backend, pad=None, eos=None, unk=None).unknown_share("नमस्ते") == 0


def test_a_panic_of_the_library_is_an_error_of_ours() -> None:
    backend = library.Tokenizer(library.models.BPE())
    slow = library.Regex("(a+)+b|(?<=a{1,1000})x")
    backend.pre_tokenizer = library.pre_tokenizers.Split(slow, "isolated")
    tokenizer = Tokenizer(backend, pad=None, eos=None, unk=None)
    for read in (tokenizer.encode, tokenizer.inputs, tokenizer.pieces):
        with pytest.raises(DamagedFileError, match="what the library cannot do"):
            read("a" * 40)


def test_a_long_text_has_the_ids_of_a_short_one(tokenizer: Tokenizer) -> None:
    text = "the old man sees the red house. " * 200
    assert len(text) > LONG
    plain = tokenizer.backend.encode(text, add_special_tokens=False).ids
    assert tokenizer.encode(text) == plain
    assert tokenizer.inputs(text).ids == tokenizer.backend.encode(text).ids
    assert tokenizer.inputs(text, "a").type_ids == tokenizer.backend.encode(text, "a").type_ids
    assert tokenizer.unknown_share(text) == 0
    half = "the old man \U0001f600\U0001f600\U0001f600 " * 800
    assert tokenizer.unknown_share(half) == pytest.approx(tokenizer.unknown_share(half[:500]), 0.1)


def test_other_threads_run_while_a_long_text_is_encoded(tokenizer: Tokenizer) -> None:
    text, done, turns = "the old man sees the red house. " * 30_000, threading.Event(), [0]

    def count() -> None:
        while not done.is_set():
            turns[0] += 1
            time.sleep(0)  # gives Python's lock to a thread that waits for it

    def turns_of_others(encode: Callable[[str], object]) -> int:
        before = turns[0]
        encode(text)
        return turns[0] - before

    counting, interval = threading.Thread(target=count), sys.getswitchinterval()
    sys.setswitchinterval(1000)  # no thread is asked for the lock
    counting.start()
    try:
        assert turns_of_others(tokenizer.backend.encode) == 0
        assert any(turns_of_others(tokenizer.encode) for _ in range(9))
    finally:
        done.set()
        counting.join()
        sys.setswitchinterval(interval)
