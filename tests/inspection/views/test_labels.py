"""Labels of figures: no marks of tokenizers, and what a decoder's row predicts."""

import pytest

from regard.inspection.answers import AxisInfo
from regard.inspection.views.labels import labels, query_labels, readable


class Traced:
    """What labels need of a trace."""

    def __init__(self, tokens, predicts, words):
        self.axes = {"target": AxisInfo(tokens, predicts, words, None, prompt=0)}


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (["▁I", "▁prepar", "ing", ".", "</s>"], ["I", "prepar", "-ing", ".", "</s>"]),
        (["The", "Ġcat", "nap", "Ċ", "."], ["The", "cat", "-nap", "\n", "."]),
        (["[CLS]", "play", "##ing", "[SEP]"], ["[CLS]", "play", "-ing", "[SEP]"]),
        (["a", " ", "b"], ["a", "␣", "b"]),
    ],
)
def test_the_marks_of_words_become_hyphens(tokens, expected):
    assert readable(tokens) == expected


def test_a_decoders_row_says_what_it_reads_and_predicts():
    tokens = ["<pad>", "▁eine", "▁Tas", "se"]
    trace = Traced(tokens, ["▁eine", "▁Tas", "se", "</s>"], [(1, 2), (2, 4)])
    assert labels(trace, "target", "token") == ["<pad>", "eine", "Tas", "-se"]
    assert query_labels(trace, "target", "token") == [
        "<pad> → eine", "eine → Tas", "Tas → -se", "-se → </s>",
    ]  # fmt: skip
    assert query_labels(trace, "target", "word") == ["eine → Tasse", "Tasse → </s>"]


def test_an_encoders_row_says_its_own_token():
    trace = Traced(["▁the", "▁cat"], None, [(0, 1), (1, 2)])
    assert query_labels(trace, "target", "token") == ["the", "cat"]
    assert query_labels(trace, "target", "word") == ["the", "cat"]
