"""Against ids that SentencePiece itself gave for the small models beside this file."""

import json
from pathlib import Path

import pytest

from regard.errors import RegardError, UnsupportedError
from regard.text.sentencepiece import make_backend, read_sentencepiece

FOLDER = Path(__file__).parent / "sentencepiece"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", EXPECTED)
def test_the_pieces_are_sentencepieces_own(name: str) -> None:
    backend = make_backend(read_sentencepiece(FOLDER / f"{name}.model"))
    backend.encode_special_tokens = True
    for case in EXPECTED[name]:
        if case["text"] != "</s>":  # read as text by Tokenizer, which knows the special names
            assert backend.encode(case["text"], add_special_tokens=False).ids == case["ids"]


def test_the_files_settings_are_read() -> None:
    unigram = read_sentencepiece(FOLDER / "unigram.model")
    assert [piece for piece, _ in unigram.pieces[:4]] == ["<pad>", "</s>", "<unk>", "▁"]
    assert (unigram.unk_id, unigram.byte_fallback, unigram.tidy_spaces) == (2, False, True)
    assert all(score < 0 for _, score in unigram.pieces[3:])
    bpe = read_sentencepiece(FOLDER / "bpe.model")
    assert (bpe.unk_id, bpe.byte_fallback, bpe.tidy_spaces) == (0, True, False)
    assert bpe.kinds[:4] == [2, 3, 3, 6]
    symbols = read_sentencepiece(FOLDER / "symbols.model")
    assert symbols.kinds[:5] == [2, 3, 3, 4, 1]
    assert (bpe.dummy_prefix, symbols.dummy_prefix) == (True, False)


@pytest.mark.parametrize("text", ["A man is looking at the dog.", "12 dogs ☃ end", " two  hats "])
def test_bytes_and_spaces_are_decoded(text: str) -> None:
    backend = make_backend(read_sentencepiece(FOLDER / "bpe.model"))
    ids = backend.encode(text, add_special_tokens=False).ids
    assert backend.decode(ids) == text


def test_a_vocabulary_of_another_order_gives_its_own_ids() -> None:
    model = read_sentencepiece(FOLDER / "unigram.model")
    plain = make_backend(model)
    turned = make_backend(model, model.pieces[::-1], unk_id=len(model.pieces) - 3)
    ids = plain.encode("the man", add_special_tokens=False).ids
    last = len(model.pieces) - 1
    assert turned.encode("the man", add_special_tokens=False).ids == [last - id_ for id_ in ids]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"\xff" * 40,
        (FOLDER / "unigram.model").read_bytes()[:300],
        b"IQ== 0\nIg== 1\n" * 9,  # tiktoken's file of the same name
    ],
)
def test_a_file_that_is_none_or_is_cut_is_named(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.model"
    file.write_bytes(content)
    with pytest.raises(RegardError, match=r"tokenizer\.model to be a SentencePiece model"):
        read_sentencepiece(file)


@pytest.mark.parametrize("kind", ["unigram", "bpe", "char"])
def test_a_symbol_of_the_users_is_a_piece_in_each_kind(kind: str) -> None:
    """The ids are sentencepiece 0.2's own, of models with two symbols."""
    backend = make_backend(read_sentencepiece(FOLDER / f"cut_{kind}.model"))
    for text, ids in json.loads((FOLDER / "cut.json").read_text(encoding="utf-8"))[kind].items():
        assert backend.encode(text, add_special_tokens=False).ids == ids


def test_a_model_of_whole_words_is_named() -> None:
    with pytest.raises(UnsupportedError, match=r"cut_word.model is a .* model of the kind word"):
        read_sentencepiece(FOLDER / "cut_word.model")
