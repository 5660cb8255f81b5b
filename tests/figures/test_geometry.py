"""The geometry as a figure: on the paper, named, and the same for the same numbers."""

import pytest
import torch

from regard.explanation import explain_vectors, geometry
from regard.figures.geometry import geometry_figure
from regard.figures.placing import Box, place

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


def test_names_stand_inside_and_apart():
    points = [(10.0 + n, 20.0) for n in range(6)]
    boxes = place(points, [(8.0, 2.0)] * 6, room=(40.0, 40.0), away_from=(0.0, 0.0))
    for number, box in enumerate(boxes):
        assert box.x >= 0
        assert box.x + box.width <= 40
        assert all(box.overlap(other) == 0 for other in boxes[:number])


def test_a_name_keeps_off_obstacles():
    free = place([(20.0, 20.0)], [(6.0, 2.0)], room=(40.0, 40.0), away_from=(0.0, 20.0))[0]
    there = (free.x + 3, free.y + 1)
    moved = place(
        [(20.0, 20.0)], [(6.0, 2.0)], room=(40.0, 40.0), away_from=(0.0, 20.0),
        obstacles=[there] * 3,
    )[0]  # fmt: skip
    assert moved.overlap(Box(*there, 0.1, 0.1)) == 0
