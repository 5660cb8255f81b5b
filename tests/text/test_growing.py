"""A tokenizer learns another script and cuts what it knew as before."""

from collections.abc import Callable

import pytest

from regard import RegardError
from regard.text import Tokenizer, train_tokenizer
from regard.text.growing import grow, survey, with_tokens

Pairs = list[tuple[str, str]]
HINDI = ["घर बड़ा है।", "कुत्ता घर में है।", "लाल घर", "बड़ा कुत्ता", "कुत्ता बड़ा है।"] * 3


@pytest.fixture(params=["bpe", "unigram"])
def tokenizer(request: pytest.FixtureRequest, made_up: Callable[[int], Pairs]) -> Tokenizer:
    lines = [text for pair in made_up(120) for text in pair]
    return train_tokenizer(lines, vocab_size=408, algorithm=request.param)


@pytest.fixture
def english(made_up: Callable[[int], Pairs]) -> list[str]:
    return [source for source, _ in made_up(60)]


def test_a_survey_counts_what_is_spelled_in_bytes(tokenizer: Tokenizer, english: list[str]) -> None:
    known = survey(tokenizer, english)
    assert (known.share, known.suggested(), known.words.total()) == (0.0, 0, 0)
    found = survey(tokenizer, ["लाल dog", "लाल।"])
    # ▁, nine bytes; dog; nine bytes; three of the danda, which is no part of a word.
    assert found.words == {"▁लाल": 2, "।": 1}
    assert found.spelled == 9 + 9 + 3
    assert found.suggested() == 512  # the smallest vocabulary


def test_letters_that_only_stand_alone_are_unknown_and_get_subwords(
    made_up: Callable[[int], Pairs],
) -> None:
    lines = [text for pair in made_up(120) for text in pair]
    tokenizer = train_tokenizer([*lines, *["ल ा"] * 9], vocab_size=408)
    assert tokenizer.backend.token_to_id("ल") is not None
    assert tokenizer.unknown_share("लाल dog") == 0.5
    found = survey(tokenizer, ["लाल dog", "लाल"])
    assert found.words == {"▁लाल": 2}
    grown = grow(tokenizer, found, 3).tokenizer
    assert grown.tokens(grown.encode("लाल")) == ["▁लाल"]
    assert grown.unknown_share("लाल dog") == 0


def test_new_subwords_take_the_places_of_those_that_do_not_occur(
    tokenizer: Tokenizer, english: list[str]
) -> None:
    found = survey(tokenizer, [*english, *HINDI])
    grown = grow(tokenizer, found, 24)
    behind = grown.tokenizer.vocab_size - tokenizer.vocab_size
    assert grown.replaced == len(grown.new) - behind
    assert grown.replaced > behind
    assert not {*grown.new} & found.used
    # What was written with the subwords that stay is written so again, id by id.
    assert grown.tokenizer.encode_batch(english) == tokenizer.encode_batch(english)
    for text in HINDI:
        ids = grown.tokenizer.encode(text)
        assert tokenizer.unknown_ids.isdisjoint(ids)
        assert grown.tokenizer.decode(ids) == text
        assert len(ids) < len(tokenizer.encode(text)) / 2


def test_texts_of_kept_subwords_are_cut_as_before_whatever_was_surveyed(
    tokenizer: Tokenizer, english: list[str]
) -> None:
    grown = grow(tokenizer, survey(tokenizer, [*english[:3], *HINDI]), 24)
    lost = {*grown.new}
    before, after = tokenizer.encode_batch(english), grown.tokenizer.encode_batch(english)
    kept = [pair for pair in zip(before, after, strict=True) if not lost & {*pair[0]}]
    assert len(kept) >= 3
    assert all(ours == theirs for ours, theirs in kept)
    # The others are written too, with shorter subwords.
    assert [grown.tokenizer.decode(ids) for ids in after] == english


def test_what_finds_no_place_stands_behind_the_vocabulary(
    tokenizer: Tokenizer, english: list[str]
) -> None:
    found = survey(tokenizer, [*english, *HINDI])
    found.used = set(range(tokenizer.vocab_size))
    grown = grow(tokenizer, found, 20)
    assert grown.replaced == 0
    assert grown.new == tuple(range(tokenizer.vocab_size, grown.tokenizer.vocab_size))
    assert tokenizer.unknown_ids.isdisjoint(survey(grown.tokenizer, HINDI).used)


def test_bytes_special_tokens_and_characters_stay(tokenizer: Tokenizer) -> None:
    grown = grow(tokenizer, survey(tokenizer, HINDI), 30)
    assert grown.tokenizer.special == tokenizer.special
    assert grown.tokenizer.pad_id == tokenizer.pad_id
    assert grown.tokenizer.decode(grown.tokenizer.encode("the 犬 sees a kind")) == (
        "the 犬 sees a kind"
    )


def test_a_text_that_can_be_written_needs_no_new_subwords(
    tokenizer: Tokenizer, english: list[str]
) -> None:
    with pytest.raises(RegardError, match="characters that the model does not have; got 9"):
        grow(tokenizer, survey(tokenizer, english), 9)


def test_fewer_than_the_characters_are_refused(tokenizer: Tokenizer) -> None:
    with pytest.raises(RegardError, match=r"must be at least \d+, the characters that .* got 2"):
        grow(tokenizer, survey(tokenizer, HINDI), 2)


def test_a_token_is_read_wherever_its_name_stands(tokenizer: Tokenizer) -> None:
    grown = with_tokens(tokenizer, ["<2de>", "<2hi>"])
    first = tokenizer.vocab_size
    assert grown.new == (first, first + 1)
    plain = tokenizer.encode("the dog")
    assert grown.tokenizer.encode("<2hi> the dog") == [first + 1, *plain]
    assert with_tokens(grown.tokenizer, ["<2hi>"]).new == ()
    assert first + 1 not in tokenizer.encode("<2hi> the dog")
