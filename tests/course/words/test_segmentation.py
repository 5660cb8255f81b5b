"""What counts as a word, in English, with emoji and in other scripts."""

import pytest

from regard.course.words.segmentation import split_words, word_spans
from regard.errors import RegardError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I would LIKE some tea, please.", ["i", "would", "like", "some", "tea", "please"]),
        ("Don’t say 'no'!", ["don't", "say", "no"]),
        ("a well-known e.g. 3.5€", ["a", "well", "known", "e", "g", "3", "5"]),
        ("मुझे पानी की बोतल", ["मुझे", "पानी", "की", "बोतल"]),
        ("naïve Москва 中文", ["naïve", "москва", "中文"]),
        ("good🙂👍🏽 ❤️x", ["good", "🙂", "👍🏽", "❤️", "x"]),
        ("👨\u200d👩\u200d👧 here", ["👨\u200d👩\u200d👧", "here"]),
        ("… — ?!", []),
        ("", []),
    ],
)
def test_words_are_found(text, words):
    assert split_words(text) == words


def test_spans_cover_what_was_written():
    text = "Don’t! İstanbul, 🙂 पानी"
    assert [text[start:end] for start, end in word_spans(text)] == [
        "Don’t",
        "İstanbul",
        "🙂",
        "पानी",
    ]
    assert len(split_words(text)) == 4


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(RegardError, match=r"not valid Unicode: it has the lone surrogate U\+DCFF"):
        split_words("a \udcff dog")
