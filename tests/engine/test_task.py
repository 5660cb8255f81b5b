"""What every task refuses."""

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


def test_any_iterable_is_as_good_as_a_list() -> None:
    classifier, texts = regard.load("emotions"), {"I am happy.": 1, "I am sad.": 2}
    labels = classifier(list(texts))
    for inputs in (iter(texts), texts.keys(), (text for text in texts)):
        assert classifier(inputs) == labels
    assert [result.best.label for result in classifier.run(text for text in texts)] == labels
    assert classifier.run(texts=map(str, texts)) == classifier.run(list(texts))
    assert classifier(iter(())) == []
    assert regard.load("minilm")({"I am happy."}).shape == (1, 384)
