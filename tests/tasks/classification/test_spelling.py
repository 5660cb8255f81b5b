"""Labels that may be one, and words for a missing value, are found whatever their form."""

from regard.tasks.classification.read import remarks


def test_spellings_of_one_label_are_listed_with_their_counts() -> None:
    spellings = {"good": 230, "bad": 41, "Good": 1200, " good": 3, "1": 40, "1.0": 2, "01": 1}
    assert list(remarks(spellings)) == [
        'the labels "Good" (1,200), "good" (230) and " good" (3) may be one: if so, write them'
        " alike",
        'the labels "1" (40), "1.0" (2) and "01" (1) may be one: if so, write them alike',
    ]


def test_width_and_inner_spaces_do_not_make_a_label() -> None:
    assert len(list(remarks({"very  good": 1, "very good": 2, "ｖery good": 1}))) == 1
    assert list(remarks({"inf": 3, "infinity": 2, "good": 1, "goods": 1, "True": 4}))[1:] == []


def test_spaces_alone_are_reported_as_read() -> None:
    assert list(remarks({"good ": 3, "bad": 5})) == [
        'spaces around labels do not count: "good " (3)'
    ]


def test_words_for_a_missing_value_are_pointed_out() -> None:
    [remark] = remarks({"NaN": 7, "good": 200})
    assert remark == (
        'the label "NaN" (7) looks like a missing value: if it is one, leave it empty, and the text'
        " is left out"
    )


def test_usual_labels_are_passed_over() -> None:
    assert not list(remarks({"positive": 3, "negative": 4, "neutral": 1, "1": 4, "2": 3, "10": 1}))
