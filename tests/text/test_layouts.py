"""Ids and special tokens of each family, around SentencePiece's own ids."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from regard.errors import RegardError
from regard.text import Tokenizer, TokenizerPair
from regard.text.layouts import read_vocab
from regard.text.sentencepiece import read_sentencepiece

FOLDER = Path(__file__).parent / "sentencepiece"
EXPECTED = {
    name: {case["text"]: case["ids"] for case in cases}
    for name, cases in json.loads((FOLDER / "expected.json").read_text("utf-8")).items()
}
TEXT = "A man is looking at the dog."
PIECES = 64  # in unigram.model and fairseq.model


def load(folder: Path, name: str, file: str, kind: str, **settings: Any) -> Tokenizer:
    shutil.copy(FOLDER / f"{name}.model", folder / file)
    (folder / "config.json").write_text(json.dumps({"model_type": kind}))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return Tokenizer.load(folder)


def test_t5_ends_with_its_end_and_has_its_sentinels_last(tmp_path: Path) -> None:
    tokenizer = load(tmp_path, "unigram", "spiece.model", "t5")
    ids = EXPECTED["unigram"][TEXT]
    assert tokenizer.encode(TEXT) == ids
    assert tokenizer.inputs(TEXT).ids == [*ids, 1]
    assert tokenizer.inputs(TEXT, "").ids == [*ids, 1, 1]
    assert (tokenizer.pad_id, tokenizer.eos_id, tokenizer.unk_id) == (0, 1, 2)
    assert tokenizer.vocab_size == PIECES + 100
    assert tokenizer.tokens([PIECES, PIECES + 99]) == ["<extra_id_99>", "<extra_id_0>"]
    asked = tokenizer.inputs("A <extra_id_0>", special_in_text=True).ids
    assert asked[-2:] == [PIECES + 99, 1]


def test_pegasus_leaves_room_for_a_hundred(tmp_path: Path) -> None:
    tokenizer = load(tmp_path, "unigram", "spiece.model", "pegasus")
    # The file's own </s> and <pad> change places; every piece behind them moves by 103.
    own = [id_ + 103 for id_ in EXPECTED["unigram"][TEXT]]
    assert tokenizer.inputs(TEXT).ids == [*own, 1]
    assert tokenizer.tokens([0, 1, 2, 3, 4, 104, 105]) == [
        "<pad>", "</s>", "<mask_1>", "<mask_2>", "<unk_2>", "<unk_102>", "<unk>",
    ]  # fmt: skip
    assert tokenizer.unk_id == 105


@pytest.mark.parametrize("kind", ["llama", "mistral"])
def test_llama_begins_with_its_start(kind: str, tmp_path: Path) -> None:
    tokenizer = load(tmp_path, "bpe", "tokenizer.model", kind)
    for text, ids in EXPECTED["bpe"].items():
        assert tokenizer.encode(text) == ids
        assert tokenizer.inputs(text).ids == [1, *ids]
    assert tokenizer.special_id("bos") == 1
    assert "pad" not in tokenizer.special
    with pytest.raises(RegardError, match="a special token for 'pad', but it names none"):
        _ = tokenizer.pad_id


def test_llama_follows_the_folder_about_start_and_end(tmp_path: Path) -> None:
    settings = {"add_bos_token": False, "add_eos_token": True}
    tokenizer = load(tmp_path, "bpe", "tokenizer.model", "llama", **settings)
    assert tokenizer.inputs(TEXT).ids == [*EXPECTED["bpe"][TEXT], 2]


def fairseq(ids: list[int]) -> list[int]:
    """The file has <unk>, <s>, </s> first; fairseq <s>, <pad>, </s>, <unk>."""
    return [id_ + 1 if id_ > 2 else 3 for id_ in ids]


@pytest.mark.parametrize(
    ("kind", "before", "behind", "size"),
    [
        ("xlm-roberta", ["<s>"], ["</s>"], PIECES + 2),
        ("mbart", [], ["</s>", "de_DE"], PIECES + 2 + 25),
    ],
)
def test_fairseqs_families_shift_by_one(
    kind: str, before: list[str], behind: list[str], size: int, tmp_path: Path
) -> None:
    tokenizer = load(tmp_path, "fairseq", "sentencepiece.bpe.model", kind, src_lang="de_DE")
    encoding = tokenizer.inputs(TEXT)
    own = fairseq(EXPECTED["fairseq"][TEXT])
    assert encoding.ids[len(before) : -len(behind)] == own
    assert encoding.tokens[: len(before)] == before
    assert encoding.tokens[-len(behind) :] == behind
    assert tokenizer.encode("日") == fairseq([3, 0])
    assert tokenizer.vocab_size == size
    assert tokenizer.special_id("mask") == size - 1


def test_debertas_ids_are_the_files_and_its_mask_is_behind_them(tmp_path: Path) -> None:
    file = (FOLDER / "fairseq.model").read_bytes()
    for old, new in (  # each a piece of the file, with its length and that of its record
        (b"\x0c\x0a\x03<s>", b"\x0e\x0a\x05[CLS]"),
        (b"\x0d\x0a\x04</s>", b"\x0e\x0a\x05[SEP]"),
        (b"\x0a\x05<unk>", b"\x0a\x05[UNK]"),
    ):
        assert file.count(old) == 1
        file = file.replace(old, new)
    settings = {"do_lower_case": False, "vocab_type": "spm"}  # of deberta-v3-base
    for name, content in (("config", {"model_type": "deberta-v2"}), ("tokenizer_config", settings)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    (tmp_path / "spm.model").write_bytes(file)
    tokenizer, own = Tokenizer.load(tmp_path), EXPECTED["fairseq"][TEXT]
    assert tokenizer.inputs(TEXT).ids == [1, *own, 2]
    pair = tokenizer.inputs(TEXT, TEXT)
    assert pair.ids == [1, *own, 2, *own, 2]
    assert pair.type_ids == [0] * (len(own) + 2) + [1] * (len(own) + 1)
    assert (tokenizer.unk_id, tokenizer.special_id("mask")) == (0, PIECES)
    lower = json.dumps(settings | {"do_lower_case": True})
    (tmp_path / "tokenizer_config.json").write_text(lower)
    assert Tokenizer.load(tmp_path).encode(TEXT.upper()) == Tokenizer.load(tmp_path).encode(TEXT)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"split_by_punct": True}))
    with pytest.raises(RegardError, match="split_by_punct must be false for a tokenizer here"):
        Tokenizer.load(tmp_path)


def test_mbart_50_begins_with_the_language(tmp_path: Path) -> None:
    named = {"tokenizer_class": "MBart50Tokenizer"}
    tokenizer = load(tmp_path, "fairseq", "sentencepiece.bpe.model", "mbart", **named)
    assert tokenizer.inputs("the").tokens[0] == "en_XX"
    assert tokenizer.inputs("the").tokens[-1] == "</s>"
    assert tokenizer.vocab_size == PIECES + 2 + 52


def test_m2m100s_ids_are_those_of_vocab_json_and_its_languages_follow(tmp_path: Path) -> None:
    pieces = [piece for piece, _ in read_sentencepiece(FOLDER / "fairseq.model").pieces]
    order = ["<s>", "<pad>", "</s>", "<unk>", *reversed(pieces[3:])]
    (tmp_path / "vocab.json").write_text(json.dumps({piece: k for k, piece in enumerate(order)}))
    tokenizer = load(tmp_path, "fairseq", "sentencepiece.bpe.model", "m2m_100", src_lang="zu")
    encoding = tokenizer.inputs(TEXT)
    own = EXPECTED["fairseq"][TEXT]
    assert encoding.ids[1:-1] == [len(order) + 2 - id_ if id_ > 2 else 3 for id_ in own]
    assert (encoding.tokens[0], encoding.tokens[-1]) == ("__zu__", "</s>")
    assert tokenizer.vocab_size == len(order) + 100
    assert tokenizer.tokens([len(order), len(order) + 99]) == ["__af__", "__zu__"]
    assert tokenizer.special_id("unk") == 3
    with pytest.raises(RegardError, match="language_codes must be 'm2m100' for a tokenizer here"):
        load(tmp_path, "fairseq", "sentencepiece.bpe.model", "m2m_100", language_codes="wmt21")


def test_an_nllb_tokenizer_that_puts_the_language_last_is_refused(tmp_path: Path) -> None:
    settings = {"tokenizer_class": "NllbTokenizer", "legacy_behaviour": True}
    load(tmp_path, "fairseq", "sentencepiece.bpe.model", "xlm-roberta").save(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(RegardError, match="legacy_behaviour must be false for a tokenizer here"):
        Tokenizer.load(tmp_path)


def test_a_special_token_in_the_text_is_only_text(tmp_path: Path) -> None:
    tokenizer = load(tmp_path, "unigram", "spiece.model", "t5")
    text = "</s>"
    assert tokenizer.encode(text) == EXPECTED["unigram"][text]
    assert tokenizer.encode_batch(["the", text]) == [
        EXPECTED["unigram"][text] if each == text else tokenizer.encode(each)
        for each in ("the", text)
    ]
    assert tokenizer.inputs(text, special_in_text=True).ids[-2:] == [1, 1]


def marian(folder: Path, vocab: dict[str, int], target: dict[str, int] | None = None) -> None:
    shutil.copy(FOLDER / "unigram.model", folder / "source.spm")
    shutil.copy(FOLDER / "fairseq.model", folder / "target.spm")
    (folder / "vocab.json").write_text(json.dumps(vocab))
    if target is not None:
        (folder / "target_vocab.json").write_text(json.dumps(target))
    (folder / "config.json").write_text('{"model_type": "marian"}')


VOCAB = {
    "</s>": 0, "<unk>": 1, "▁the": 2, "▁th": 3, "▁": 4, "e": 5, "m": 6, "a": 7, "n": 8, "Ж": 9,
    ">>fra<<": 10, "<pad>": 11,
}  # fmt: skip


def test_marians_ids_are_those_of_vocab_json(tmp_path: Path) -> None:
    marian(tmp_path, VOCAB)
    pair = TokenizerPair.load(tmp_path)
    assert not pair.joint
    tokenizer = pair.source
    assert tokenizer.tokens(tokenizer.encode("the man")) == ["▁th", "e", "▁", "m", "a", "n"]
    assert tokenizer.inputs("the").ids == [3, 5, 0]  # ▁the is the other side's piece
    assert tokenizer.encode("q") == [4, 1]
    assert tokenizer.encode("Ж") == [4, 9]  # in the vocabulary for the other side's sake
    assert (tokenizer.eos_id, tokenizer.unk_id, tokenizer.pad_id) == (0, 1, 11)
    assert tokenizer.inputs(">>fra<< the").ids == [10, 3, 5, 0]
    assert pair.target.decode([2, 4, 6, 7, 8, 0, 11]) == "the man"


def test_marians_target_may_have_a_vocabulary_of_its_own(tmp_path: Path) -> None:
    turned = {piece: 11 - id_ for piece, id_ in VOCAB.items()}
    marian(tmp_path, VOCAB, turned)
    pair = TokenizerPair.load(tmp_path)
    assert pair.target.eos_id == 11
    assert pair.target.encode("the") == [11 - id_ for id_ in pair.source.encode("the")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "vocab.json is not valid JSON"),
        ("[]", "must be a JSON object"),
        ('{"a": "b"}', "must map pieces to ids"),
        ('{"a": -1}', "must map pieces to ids"),
    ],
)
def test_a_vocabulary_that_is_none_is_named(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text(content)
    with pytest.raises(RegardError, match=message):
        read_vocab(tmp_path / "vocab.json")


def test_a_vocabulary_without_an_end_is_named(tmp_path: Path) -> None:
    marian(tmp_path, {"<unk>": 0})
    with pytest.raises(RegardError, match="to have the special token '</s>'"):
        Tokenizer.load(tmp_path)


def test_a_family_of_another_order_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"config\.json says 'xlnet': convert it"):
        load(tmp_path, "unigram", "spiece.model", "xlnet")
