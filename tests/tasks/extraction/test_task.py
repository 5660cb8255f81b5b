"""The summary of a text is the sentence whose tokens have the highest probabilities."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import regard
from regard import RegardError
from regard.checkpoints import open_checkpoint
from regard.tasks.extraction.task import Extractor
from regard.tasks.kinds import kind_of
from regard.tasks.summarization.task import Summary

TEXTS = ["The child likes the dog. A man is looking at it! Is it two?", "the small house", ""]


@pytest.fixture
def folder(encoder_folder: Callable[..., Path]) -> Path:
    labels = {"id2label": {"0": "O", "1": "SUMMARY"}, "label2id": {"O": 0, "SUMMARY": 1}}
    tasks = {"task_specific_params": {"summarization": {}}}
    return encoder_folder("Bert", "ForTokenClassification", **labels, **tasks)


def test_it_is_a_summarizer_and_labels_words_too(folder: Path) -> None:
    assert kind_of(open_checkpoint(folder)) == "extractive-summarization"
    assert type(regard.load(folder)) is type(regard.load(folder, "summarization")) is Extractor
    assert type(regard.load(folder, "token-classification")).__name__ == "TokenClassifier"
    with pytest.raises(RegardError, match="a summarizer that takes a sentence of the text"):
        regard.load(folder, "translation")


def test_the_best_sentence_has_the_highest_mean_over_its_tokens(folder: Path) -> None:
    extractor = Extractor.load(folder)
    (tokens, *_) = extractor.scores(TEXTS)
    parts = ["The child likes the dog.", "A man is looking at it!", "Is it two?"]
    places = [(TEXTS[0].index(part), TEXTS[0].index(part) + len(part)) for part in parts]
    means = [
        np.mean([each.probabilities[1] for each in tokens if start <= each.start < end])
        for start, end in places
    ]
    order = sorted(range(3), key=lambda k: -means[k])
    found, short, empty = extractor.run(TEXTS, alternatives=2)
    assert [each.text for each in found.alternatives] == [parts[k] for k in order[:2]]
    assert found.text == found.alternatives[0].text
    assert found.score == pytest.approx(means[order[0]])
    assert found.tokens == extractor.tokenizer.tokens(extractor.tokenizer.encode(found.text))
    assert short.text == TEXTS[1]
    assert empty == Summary("", 0.0, finished=True)
    assert extractor(TEXTS) == [found.text, short.text, ""]


def test_a_text_does_not_depend_on_the_others(folder: Path) -> None:
    extractor = Extractor.load(folder)
    long = " ".join(TEXTS[:2] * 9)
    together = extractor.run([*TEXTS, long])
    assert [each.text for each in together] == [extractor(text) for text in (*TEXTS, long)]


def test_what_it_cannot_do_is_refused(folder: Path) -> None:
    extractor = Extractor.load(folder, name="mine")
    with pytest.raises(RegardError, match="`num_beams` belongs to a model that writes; mine takes"):
        extractor.run(TEXTS, num_beams=2)
    with pytest.raises(RegardError, match="lacks 100% of the characters of '猫猫猫'") as refused:
        extractor.run(["the dog", "猫猫猫"])
    assert refused.value.index == 1
    assert extractor.run(["猫猫猫"], force=True)[0].text == "猫猫猫"


def test_it_can_be_looked_into(folder: Path) -> None:
    trace = Extractor.load(folder).trace(TEXTS[1])
    assert trace.task == "encoding"
    assert len(trace) > 0
