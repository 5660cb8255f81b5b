"""Pipelines of token classification, beside those of transformers."""

import pytest

import regard
from regard import RegardError

transformers = pytest.importorskip("transformers")

TEXTS = [
    "Anna lives in the red house near the river in Vienna.",
    "The child likes Vienna",
    "the 🚀 by Łódź, कुत्ता",  # words that the vocabulary lacks
]
LABELS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")


@pytest.fixture(scope="module")
def folder(encoder_folder):
    names = dict(enumerate(LABELS))
    numbers = {label: number for number, label in names.items()}
    return encoder_folder("Bert", "ForTokenClassification", id2label=names, label2id=numbers)


@pytest.mark.parametrize("task", ["ner", "token-classification"])
@pytest.mark.parametrize("strategy", ["none", "simple", "first", "average", "max"])
def test_entries_are_those_of_transformers(folder, task, strategy):
    theirs = transformers.pipeline(
        "token-classification", model=str(folder), aggregation_strategy=strategy
    )
    ours = regard.pipeline(task, folder, aggregation_strategy=strategy)
    for found, expected in zip(ours(TEXTS), theirs(TEXTS), strict=True):
        scores = [entry.pop("score") for entry in expected]
        assert [entry.pop("score") for entry in found] == pytest.approx(scores, abs=1e-5)
        assert found == expected
    assert [list(entry) for entry in ours(TEXTS[0])] == [list(entry) for entry in theirs(TEXTS[0])]


def test_old_arguments_say_what_to_write(folder):
    with pytest.raises(RegardError, match='write aggregation_strategy="simple"'):
        regard.pipeline("ner", folder, grouped_entities=True)
