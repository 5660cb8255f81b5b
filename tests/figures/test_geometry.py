"""The geometry as a figure: on the paper, named, and the same for the same numbers."""

import pytest
import torch

from regard.course.explanation import explain_vectors, geometry
from regard.figures.geometry import geometry_figure

pytest.importorskip("matplotlib")


def figure(tokens=("The", "▁old", "river", "bank"), dim=2, spotlight=3, **more):
    draw = torch.Generator().manual_seed(4)
    found = explain_vectors(list(tokens), torch.randn(len(tokens), dim, generator=draw))
    return geometry_figure(geometry(found, spotlight=spotlight), tokens, tokens, **more)


@pytest.mark.parametrize("dim", [1, 2, 7])
def test_all_type_is_on_the_paper_and_legible(check_paper, dim):
    check_paper(figure(dim=dim))


def test_the_spotlights_weights_are_written_and_planes_say_what_they_keep(texts):
    shown = [text.get_text() for text in texts(figure(dim=5))]
    assert "What “bank” becomes in head 0" in shown
    assert "output" in shown
    assert sum(" × 0." in text for text in shown) == 4
    assert "old" in shown
    assert sum("The plane keeps" in text for text in shown) >= 1
    assert not any("keeps" in text.get_text() for text in texts(figure(dim=2)))


def test_a_long_sentence_names_the_arrows_that_count(texts):
    shown = [text.get_text() for text in texts(figure([f"w{n}" for n in range(40)]))]
    assert sum(" × " in text for text in shown) == 16


def test_words_of_zero_length_are_drawn(check_paper):
    found = explain_vectors(["a", "b"], torch.zeros(2, 3))
    check_paper(geometry_figure(geometry(found), ["a", "b"], ["a", "b"]))
