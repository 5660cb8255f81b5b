"""The figure of a step says what the page says of it."""

import pytest

pytest.importorskip("matplotlib")

import regard
from regard import RegardError
from regard.figures.passages import percent
from regard.inspection.views.step import step_figure

CROSS = "decoder.layers.2.cross"


@pytest.fixture(scope="module")
def trace():
    return regard.load("en-de").trace("I drink a cup of tea.", num_beams=2)


def test_it_has_the_steps_the_words_looked_at_and_the_candidates(trace) -> None:
    said = [text.get_text() for text in step_figure(trace, CROSS, 1, 3).texts]
    step, layer = trace.generation.steps[3], trace[CROSS]
    assert "en-de: step 4 writes “Tasse”" in said
    weights = layer.row(1, 3)
    assert percent(float(weights.max())) in said
    assert "cup" in said
    assert any(percent(step.probability) == each for each in said)
    assert said.count("Tasse") == 2  # among the steps and among the candidates
    assert any(each.startswith("target: weight α of decoder.layers.2.self") for each in said)
    for hypothesis in trace.generation.hypotheses:
        assert any(hypothesis.text in each for each in said)


def test_what_there_is_not_is_refused(trace) -> None:
    with pytest.raises(RegardError, match="step must be from 0 to"):
        step_figure(trace, CROSS, 0, 99)
    encoded = regard.load("sentences").trace("A dog.")
    with pytest.raises(RegardError, match="nothing was written"):
        step_figure(encoded, next(iter(encoded)), 0, 0)
