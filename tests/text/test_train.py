"""Tokenizers trained on real sentences of every kind give them back unchanged."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.text import Tokenizer, suggest_vocab_size, train_pair, train_tokenizer
from regard.text.train import Algorithm, sample

DATA = Path(__file__).parents[2].parent / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="needs the sentences in ../shared/data")

DEV_SETS = [
    "multi30k/val.en-de.tsv",
    "tatoeba_en_de/dev.tsv",
    "hindi_visual_genome/dev.tsv",
    "tatoeba_en_hi/dev.tsv",
]
HARD = [
    '"Go!" he said -- (it\'s 1990)…',
    "„Nein“, sagte sie; »warum?« – weil's 3,50 € kostet!",
    "लड़की ने कहा, “क्यों नहीं?” ज़रूर। श्रीमती ऑक्टोबर १२३",
    "क\u0958 \u0915\u093c",
    "emoji 😀👩‍👩‍👧 中文字符 и русский",
    "tab\there and 10\u00a0km\nnew line",
]


def pairs_of(name: str) -> list[tuple[str, str]]:
    lines = (DATA / name).read_text("utf-8").rstrip("\n").split("\n")
    return [(cells[0], cells[1]) for cells in (line.split("\t") for line in lines)]


@needs_data
@pytest.mark.parametrize("name", DEV_SETS)
@pytest.mark.parametrize("algorithm", ["bpe", "unigram"])
def test_decoding_gives_back_every_line(name: str, algorithm: Algorithm) -> None:
    pairs = pairs_of(name)
    # Trained on the first half: the second holds letters and words that it never met.
    tokenizer = train_pair(pairs[: len(pairs) // 2], algorithm=algorithm).source
    for text in [*(side for pair in pairs for side in pair), *HARD]:
        assert tokenizer.decode(tokenizer.encode(text)) == unicodedata.normalize("NFC", text)
        assert tokenizer.unk_id not in tokenizer.encode(text)


@needs_data
def test_no_cut_before_pieces_parts_a_mark_from_its_letter() -> None:
    tokenizer = train_tokenizer(target for _, target in pairs_of(DEV_SETS[2]))
    texts = [*HARD, *(target for name in DEV_SETS[2:] for _, target in pairs_of(name))]
    marks = 0
    for text in texts:
        normal = tokenizer.backend.normalizer.normalize_str(text)
        cut = [piece for piece, _ in tokenizer.backend.pre_tokenizer.pre_tokenize_str(normal)]
        marks += sum(unicodedata.category(sign)[0] == "M" for sign in normal)
        for piece in cut:
            assert unicodedata.category(piece.lstrip("▁")[:1] or " ")[0] != "M", (text, cut)
    assert marks > 5_000


@needs_data
def test_multi30k_takes_about_a_token_and_a_quarter_a_word() -> None:
    pairs = pairs_of("multi30k/train.en-de.tsv")[:6000]
    tokenizer = train_pair(pairs, vocab_size=8000).source
    assert tokenizer.vocab_size <= 8000
    texts = [side for pair in pairs for side in pair]
    tokens = sum(map(len, tokenizer.encode_batch(texts)))
    assert tokens / sum(len(text.split()) for text in texts) < 1.4


def test_the_boundaries_of_pieces_are_punctuation_digits_and_spaces() -> None:
    tokenizer = train_tokenizer(["x"])
    cut = tokenizer.backend.pre_tokenizer.pre_tokenize_str('He said, "Don\'t..." on-line 42!')
    assert [piece for piece, _ in cut] == [
        *["▁He", "▁said", ",", '▁"', "Don't", "...", '"', "▁on", "-", "line", "▁4", "2", "!"]
    ]


@pytest.mark.parametrize("algorithm", ["bpe", "unigram"])
@pytest.mark.parametrize("size", [456, 459, 463])
def test_the_size_is_a_multiple_of_eight_and_never_above_what_was_asked(
    algorithm: Algorithm, size: int
) -> None:
    text = [f"{a}{b}{c} {b}{a}{c}{c}" for a in "mnopq" for b in "aeiou" for c in "rst"] * 2
    tokenizer = train_tokenizer(text, vocab_size=size, algorithm=algorithm)
    assert tokenizer.vocab_size % 8 == 0
    assert 392 < tokenizer.vocab_size <= 456
    assert all(tokenizer.decode(tokenizer.encode(line)) == line for line in text)


def test_no_more_pieces_come_out_than_the_text_holds() -> None:
    tokenizer = train_tokenizer(["one two three four five six"] * 2, vocab_size=8000)
    assert tokenizer.vocab_size == 368
    assert tokenizer.tokens(tokenizer.encode("one six")) == ["▁one", "▁six"]


def test_the_size_is_a_multiple_of_eight_even_where_only_letters_are_known() -> None:
    tokenizer = train_tokenizer(["ä ö"] * 2)
    assert tokenizer.vocab_size % 8 == 0
    assert tokenizer.tokens(tokenizer.encode("ä zZ|"))[:2] == ["▁", "ä"]
    assert tokenizer.decode(tokenizer.encode("ä zZ|~")) == "ä zZ|~"


def test_the_same_text_and_seed_train_the_same_tokenizer() -> None:
    lines = [f"{i} sentences of {i * i} words, or {i % 7}" for i in range(211)]
    first, again = (train_tokenizer(lines, max_lines=53, seed=3) for _ in range(2))
    other = train_tokenizer(lines, max_lines=53, seed=4)
    assert first.backend.to_str() == again.backend.to_str() != other.backend.to_str()


def test_text_is_read_once_and_may_be_a_stream() -> None:
    stream = (f"line number {i}" for i in range(101))
    tokenizer = train_tokenizer(stream)
    assert tokenizer.tokens(tokenizer.encode("line number")) == ["▁line", "▁number"]
    assert next(stream, None) is None


def test_a_character_met_once_is_spelled_in_bytes() -> None:
    tokenizer = train_tokenizer(["ß ä ä ä ä ä ä und und und und und und"])
    assert tokenizer.tokens(tokenizer.encode("ß")) == ["▁", "<0xC3>", "<0x9F>"]
    assert tokenizer.tokens(tokenizer.encode("ä"))[-1] == "ä"


@pytest.mark.parametrize("texts", [[], ["", "   "]])
def test_no_text_is_refused(texts: list[str]) -> None:
    with pytest.raises(RegardError, match="needs text; got only empty lines"):
        train_tokenizer(texts)


def test_a_vocabulary_too_small_for_the_alphabet_is_refused_with_the_least_size() -> None:
    with pytest.raises(RegardError, match=r"at least (\d+) .* got 300") as caught:
        train_tokenizer(["ä ö ü ä ö ü"], vocab_size=300)
    least = int(re.search(r"at least (\d+)", str(caught.value))[1])  # type: ignore[index]
    assert train_tokenizer(["ä ö ü ä ö ü"], vocab_size=least).vocab_size <= least
    with pytest.raises(RegardError):
        train_tokenizer(["ä ö ü ä ö ü"], vocab_size=least - 8)


def test_an_unknown_algorithm_is_refused() -> None:
    with pytest.raises(RegardError, match="one of bpe, unigram; got 'wordpiece'"):
        train_tokenizer(["x"], algorithm="wordpiece")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "size"),
    [
        (100, 512),
        (35_000, 1_744),
        (270_000, 4_000),
        (667_000, 8_000),
        (2_100_000, 8_000),
        (20_000_000, 16_000),
        (10**9, 32_000),
    ],
)
def test_the_suggested_size_grows_with_the_words(words: int, size: int) -> None:
    assert suggest_vocab_size(words) == size


def test_a_script_without_spaces_is_measured_by_its_length() -> None:
    text = ["我们今天去公园看花然后回家吃饭" * 40] * 60
    spaced = train_tokenizer(text)
    assert isinstance(spaced, Tokenizer)
    assert spaced.vocab_size < 600


def test_a_sample_is_bounded_in_number_and_in_characters() -> None:
    texts = ["a" * (1 + k % 7) for k in range(500)]
    assert sample(texts, seed=3) == texts
    few = sample(texts, most=53, seed=3)
    assert len(few) == 53
    short = sample(texts, characters=101, seed=3)
    assert 101 - 7 < sum(map(len, short)) <= 101
    assert short == sample(texts, characters=101, seed=3) != sample(texts, characters=101, seed=4)
    assert sample(["far too long", ""], characters=3, seed=3) == [""]
    assert sample(["far too long"], characters=3, seed=3) == ["far too long"]


def test_every_text_is_equally_likely_to_be_in_a_sample() -> None:
    counts = [0] * 20
    for seed in range(400):
        for number in sample(range(20), most=5, seed=seed, size=lambda number: 1):
            counts[number] += 1
    assert sum(counts) == 2000
    assert all(60 < count < 140 for count in counts)  # 100 ± 4.6 standard deviations
