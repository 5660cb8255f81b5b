"""Spans by hand: three tokens, their products, and where their words lie."""

import numpy as np
import pytest
import tokenizers
from tokenizers import models, pre_tokenizers, processors

from regard.tasks.question_answering.spans import (
    TokenPair,
    best_spans,
    characters,
    probabilities,
    ranked,
)

CONTEXT = "ab c"


@pytest.fixture
def pair():
    """[CLS] who [SEP] a ##b c [SEP]"""
    pieces = ["[CLS]", "[SEP]", "[UNK]", "who", "a", "##b", "c"]
    vocab = {piece: k for k, piece in enumerate(pieces)}
    made = tokenizers.Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.BertProcessing(("[SEP]", 1), ("[CLS]", 0))
    return TokenPair.of(made.encode("who", CONTEXT))


def test_spans_are_ranked_by_their_product():
    first, last = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.2, 0.7])
    assert [(k, n) for k, n, _ in ranked(first, last, 2)] == [
        (1, 2), (2, 2), (0, 1), (1, 1), (0, 0),
    ]  # fmt: skip
    assert [score for _, _, score in ranked(first, last, 3)][:2] == pytest.approx([0.35, 0.21])


def test_probabilities_are_over_the_context_and_the_first_special_token(pair):
    logits = np.log(np.array([[3, 1], [99, 99], [99, 99], [1, 2], [2, 3], [4, 4], [99, 99]]))
    inside, first, last, none = probabilities(pair.texts, range(7), logits.astype(np.float32))
    assert inside == [3, 4, 5]
    np.testing.assert_allclose(first, [0.1, 0.2, 0.4], rtol=1e-6)
    np.testing.assert_allclose(last, [0.2, 0.3, 0.4], rtol=1e-6)
    assert none == pytest.approx(0.3 * 0.1)


def test_a_part_of_a_word_is_widened_to_the_word(pair):
    assert characters(pair.words, CONTEXT, 4, 4) == (0, 2)
    assert characters(pair.words, CONTEXT, 4, 5) == (0, 4)


def test_a_threshold_decides_whether_there_is_an_answer(pair):
    windows = [[0, 1, 2, 3, 4, 6], [0, 1, 2, 4, 5, 6]]
    logits = [np.zeros((6, 2), np.float32), np.zeros((6, 2), np.float32)]
    logits[0][0] = 1.5  # [CLS] of the first window: 3 in sum, and 0 in the second
    logits[1][3] = 2  # "##b" in the second window: 4 in sum
    options = dict(top_k=2, longest=9, or_none=True)
    best = best_spans(pair, CONTEXT, windows, logits, top_k=1, longest=9)[0]
    assert (best.start, best.end, best.margin) == (0, 2, pytest.approx(4.0 - 0.0))
    above, at = (
        [(span.start, span.end) for span in
         best_spans(pair, CONTEXT, windows, logits, threshold=threshold, **options)]
        for threshold in (3.9, 4.0)
    )  # fmt: skip
    assert above[0] == (0, 2)
    assert (0, 0) not in above
    assert at == [(0, 0), (0, 2)]


def test_equal_spans_count_once_with_the_best_window(pair):
    windows = [[0, 1, 2, 3, 4, 6], [0, 1, 2, 4, 5, 6]]
    logits = [np.zeros((6, 2), np.float32), np.zeros((6, 2), np.float32)]
    logits[1][3] = 5  # "##b" in the second window
    found = best_spans(pair, CONTEXT, windows, logits, top_k=9, longest=9, or_none=True)
    places = [(span.start, span.end) for span in found]
    assert places[0] == (0, 2)
    assert found[0].score == pytest.approx((np.exp(5) / (np.exp(5) + 2)) ** 2, rel=1e-5)
    assert sorted(places) == [(0, 0), (0, 2), (0, 4), (3, 4)]
    assert dict(zip(places, found, strict=True))[0, 0].score == pytest.approx(
        (1 / (np.exp(5) + 2)) ** 2, rel=1e-5
    )
