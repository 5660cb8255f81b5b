"""Which tokens stay, against the tokenizers library's own truncation; where sentences lie."""

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers, processors

from fixtures.covering import parametrize
from regard import RegardError
from regard.text.cutting import cut, sentences, windows

WORDS = [f"w{k}" for k in range(29)]


@pytest.fixture
def backend() -> tokenizers.Tokenizer:
    vocab = {word: k for k, word in enumerate([*WORDS, "[CLS]", "[SEP]"])}
    made = tokenizers.Tokenizer(models.WordLevel(vocab, unk_token="w0"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.BertProcessing(("[SEP]", vocab["[SEP]"]), ("[CLS]", 29))
    return made


def text(count: int) -> str:
    return " ".join(WORDS[:count])


@parametrize(
    "counts, max_length, side",
    [(7, None), (11, None), (7, 3), (3, 19), (13, 11), (11, 13)],
    [5, 8, 11, 99],
    ["right", "left"],
)
def test_the_longer_text_is_cut_as_the_library_cuts_it(backend, counts, max_length, side):
    texts = [text(count) for count in counts if count is not None]
    encoding = backend.encode(*texts)
    kept = [encoding.ids[k] for k in cut(encoding, max_length, side)]
    backend.enable_truncation(max_length, strategy="longest_first", direction=side)
    assert kept == backend.encode(*texts).ids


@pytest.mark.parametrize("stride", [0, 1, 3])
def test_windows_are_those_of_the_library(backend, stride):
    for count in (1, 4, 5, 6, 17, 29):
        backend.no_truncation()
        encoding = backend.encode(text(2), text(count))
        found = [[encoding.ids[k] for k in window] for window in windows(encoding, 10, stride)]
        backend.enable_truncation(10, stride=stride, strategy="only_second")
        expected = backend.encode(text(2), text(count))
        assert found == [expected.ids, *(more.ids for more in expected.overflowing)], count


def test_a_question_that_fills_the_window_is_refused(backend):
    encoding = backend.encode(text(6), text(9))
    with pytest.raises(RegardError, match=r"more than 1 of 10 tokens .* it leaves 1\. Shorten"):
        windows(encoding, 10, 1)


@pytest.mark.parametrize(
    ("whole", "parts"),
    [
        ("It rains. Does it? Yes!", ["It rains.", "Does it?", "Yes!"]),
        ("  One\nline.\n\nThe 2.5 of it ", ["One\nline.", "The 2.5 of it"]),
        ("雨。はい。", ["雨。", "はい。"]),
        ("यह घर है। वह बड़ा है।", ["यह घर है।", "वह बड़ा है।"]),
        (" \n", []),
    ],
)
def test_sentences_end_at_a_mark_and_white_space(whole, parts):
    assert [whole[start:end] for start, end in sentences(whole)] == parts
