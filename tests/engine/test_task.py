"""What every task refuses."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

import regard
from regard import RegardError


@pytest.mark.parametrize("name", ["en-de", "emotions", "minilm", "shakespeare"])
def test_one_text_is_no_list(name: str) -> None:
    task, first = regard.load(name), "prompts" if name == "shakespeare" else "texts"
    for inputs, named in (("one text",), {}), ((), {first: "one text"}):
        with pytest.raises(
            RegardError, match=r"takes a list of inputs; got the string 'one text'\."
        ):
            task.run(*inputs, **named)


def test_any_collection_is_as_good_as_a_list() -> None:
    classifier, texts = regard.load("emotions"), {"I am happy.": 1, "I am sad.": 2}
    labels = classifier(list(texts))
    for inputs in (tuple(texts), texts.keys(), pd.Series(list(texts), index=[7, 9])):
        assert classifier(inputs) == labels
    assert [result.best.label for result in classifier.run(text for text in texts)] == labels
    assert classifier.run(texts=map(str, texts)) == classifier.run(list(texts))
    assert regard.load("minilm")({"I am happy."}).shape == (1, 384)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("emotions", "I am happy."),
        ("minilm", "I am happy."),
        ("summaries", "The dog runs. It is old."),
        ("en-de", "The dog runs."),
        ("shakespeare", "To be"),
        ("answers", ("Who runs?", "The dog runs.")),
    ],
)
def test_answers_to_a_generator_come_before_it_ends(name: str, text: object) -> None:
    task, asked = regard.load(name), []

    def endless() -> Iterator[object]:
        while True:
            asked.append(text)
            yield text

    options = {"max_new_tokens": 4, "do_sample": False} if name == "shakespeare" else {}
    answers = task(endless(), batch_size=2, **options)
    assert asked == []
    [expected] = task([text], **options)
    for count in (2, 2, 4):
        assert np.array_equal(next(answers), expected)
        assert len(asked) == count
    assert list(task(iter(()))) == []
