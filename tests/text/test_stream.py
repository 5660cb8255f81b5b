"""Text as its ids come: all pieces together are the whole, and no piece is ever taken back."""

import random
from typing import Any

import pytest
import tokenizers
from tokenizers import decoders, models, normalizers

from regard.text import Tokenizer
from regard.text.stream import TextStream, text_after

TEXT = "the dog 🎉🙂 sees नमस्ते दुनिया — 日本"


@pytest.fixture(scope="module")
def sentencepiece() -> Tokenizer:
    """Spaces as ▁ and unknown characters as bytes, as Llama's and Mistral's."""
    pieces = ["<unk>", "<s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    pieces += ["▁", *"thedogs", "▁t", "▁d", "he", "og", "▁the", "▁dog", "न"]
    merges = [("▁", "t"), ("▁", "d"), ("h", "e"), ("o", "g"), ("▁t", "he"), ("▁d", "og")]
    vocab = {piece: id_ for id_, piece in enumerate(pieces)}
    backend = tokenizers.Tokenizer(
        models.BPE(vocab, merges, byte_fallback=True, fuse_unk=True, unk_token="<unk>")
    )
    backend.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    backend.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    backend.add_special_tokens(["<s>"])
    return Tokenizer(backend, pad=None, eos=None, others={"bos": "<s>"})


@pytest.fixture(scope="module")
def bytes_(byte_level: Any) -> Tokenizer:
    return Tokenizer(byte_level, pad=None, eos="<|endoftext|>", unk=None)


@pytest.fixture(params=["bytes_", "sentencepiece"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    found: Tokenizer = request.getfixturevalue(request.param)
    return found


def pieces(tokenizer: Tokenizer, ids: list[int], before: list[int] | None = None) -> list[str]:
    stream = TextStream(tokenizer, before or [])
    return [*(stream.add(id_) for id_ in ids), stream.end()]


def test_a_text_comes_in_whole_characters_as_soon_as_they_are_sure(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(TEXT)
    assert len(ids) > len(TEXT)  # some characters are of several tokens
    found = pieces(tokenizer, ids)
    assert "".join(found) == TEXT
    assert not any("\ufffd" in piece for piece in found)
    assert sum(map(bool, found)) > 6
    if "<0xE0>" not in tokenizer.backend.get_vocab():
        emoji = next(k for k in range(len(ids)) if "🎉" in tokenizer.decode(ids[: k + 1]))
        assert "🎉" in "".join(found[: emoji + 1])  # with its last byte, not with the next token


def test_words_come_with_their_own_token(bytes_: Tokenizer, sentencepiece: Tokenizer) -> None:
    assert pieces(sentencepiece, sentencepiece.encode("the dog")) == ["the", " dog", ""]
    assert "".join(pieces(bytes_, bytes_.encode("the"))[:-1]) == "the"


def test_any_ids_make_the_text_that_they_make_together(tokenizer: Tokenizer) -> None:
    for seed in range(40):
        draw = random.Random(seed)
        ids = [draw.randrange(tokenizer.vocab_size) for _ in range(draw.randrange(60))]
        real = tokenizer.encode(TEXT)  # whole characters among the broken ones
        for _ in range(5):
            start = draw.randrange(len(real))
            place = draw.randrange(len(ids) + 1)
            ids[place:place] = real[start : start + draw.randrange(12)]
        before = tokenizer.encode("the dog" if seed % 2 else "न 🙂")
        given = ""
        stream = TextStream(tokenizer, before)
        for count, id_ in enumerate(ids, start=1):
            given += stream.add(id_)
            assert text_after(tokenizer, before, ids[:count]).startswith(given)
        given += stream.end()
        assert given == text_after(tokenizer, before, ids)
        assert stream.end() == ""


def test_the_space_after_what_was_before_is_kept(sentencepiece: Tokenizer) -> None:
    the, dog = sentencepiece.encode("the"), sentencepiece.encode("dog")
    assert sentencepiece.decode(dog) == "dog"
    assert text_after(sentencepiece, the, dog) == " dog"
    assert pieces(sentencepiece, dog, before=the) == [" dog", ""]
    begin = [sentencepiece.special_id("bos")]
    assert text_after(sentencepiece, begin, dog) == "dog"


def test_special_tokens_are_no_text_and_part_no_character(bytes_: Tokenizer) -> None:
    hindi, end = bytes_.encode("🙂"), bytes_.eos_id
    assert len(hindi) > 1
    assert "".join(pieces(bytes_, [hindi[0], end, *hindi[1:], end])) == "🙂"


def test_a_long_text_costs_no_more_for_each_token(
    bytes_: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = 0
    decode = Tokenizer.decode

    def counted(self: Tokenizer, ids: Any) -> str:
        nonlocal longest
        longest = max(longest, len(ids))
        return decode(self, ids)

    monkeypatch.setattr(Tokenizer, "decode", counted)
    pieces(bytes_, bytes_.encode(TEXT * 20))
    assert longest < 12
