"""What a word looked at and what it needed, beside traces with a word struck out."""

import numpy as np
import pytest

import regard
from regard import RegardError
from regard.inspection.views.needed import Needed
from regard.tasks.translation.task import Translator

TEXT = "My sister wants to buy a new car."


@pytest.fixture(scope="module")
def translator() -> Translator:
    return regard.load("en-de", "translation")


@pytest.fixture(scope="module")
def needed(translator: Translator) -> Needed:
    return translator.trace(TEXT).needed()


def test_a_change_is_that_of_the_same_output_without_the_word(
    translator: Translator, needed: Needed
):
    trace = translator.trace(TEXT)
    written = trace.generation.hypotheses[0].text
    words = trace.axes["source"].words
    assert needed.read == ["My", "sister", "wants", "to", "buy", "a", "new", "car"]
    for number, (first, end) in enumerate(words[:2]):
        struck = translator.trace(TEXT, target=written, without=list(range(first, end)))
        for word in needed.words:
            after = struck.generation.steps[word.step].probability
            assert word.probability + word.changes[number] == pytest.approx(after, abs=1e-4)


def test_looks_are_the_mean_over_layers_and_heads(translator: Translator, needed: Needed):
    trace = translator.trace(TEXT)
    maps = [tap.weights().mean(0) for name, tap in trace.items() if name.endswith("cross")]
    rows = np.mean([np.asarray(one) for one in maps], 0)
    words = trace.axes["source"].words
    assert [word.step for word in needed.words] == [0, 1, *(w.step for w in needed.words[2:])]
    for word in needed.words:
        expected = [rows[word.step, first:end].sum() for first, end in words]
        np.testing.assert_allclose(word.looked, expected, atol=1e-6)


def test_a_possessive_needs_the_noun_it_hardly_looks_at_through_the_encoder(
    translator: Translator, needed: Needed
):
    trace = translator.trace(TEXT)
    assert needed.words[0].word == "Meine"
    assert needed.words[0].unseen() == [1]
    assert trace.needed("across").words[0].changes[1] > -0.1
    assert trace.needed("within").words[0].changes[1] < -0.5


def test_a_language_model_needs_words_before_the_one_that_it_writes():
    model = regard.load("shakespeare", "text-generation")
    trace = model.trace("ROMEO: What light", generate=3)
    needed = trace.needed()
    for word in needed.words:
        row = trace.axes["tokens"].prompt - 1 + word.step
        later = [k for k, (first, _) in enumerate(trace.axes["tokens"].words) if first > row]
        assert [word.changes[k] for k in later] == [0.0] * len(later)
        assert sum(word.looked) == pytest.approx(1, abs=1e-5)
    [word] = model.trace("ROMEO: What light").needed().words
    assert min(word.changes) < 0


def test_other_ways_and_kinds_are_refused(translator: Translator):
    with pytest.raises(RegardError, match="way must be one of"):
        translator.trace(TEXT).needed("sideways")  # type: ignore[arg-type]
    with pytest.raises(RegardError, match="a label has no row of attention"):
        regard.load("emotions").trace("What a lovely surprise!").needed()
    with pytest.raises(RegardError, match="known for a text or a label"):
        regard.load("minilm").trace("The animal slept.").needed()
