"""The equation of a cell, and what switching it off does to the output."""

import re

import pytest

from regard.inspection.views.ablation import ablate

CROSS = "decoder.layers.1.cross"


def numbers_in(text: str) -> list[float]:
    return [
        float(each) for each in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text.replace("−", "-"))
    ]


def test_the_equation_is_told_with_its_numbers(open_page, ready, at, trace):
    page = open_page(at(tap=CROSS, head=1, focus="7,10"))
    ready(page).focus()
    page.keyboard.press("e")
    drawer = page.get_by_role("complementary", name="equation")
    drawer.get_by_label("the weight, step by step").wait_for()
    tap = trace[CROSS]
    dot = float(tap.query[0, 1, 7] @ tap.key[0, 1, 10])
    weight, score = float(tap.weights(1)[7, 10]), float(tap.scores(1)[7, 10])
    said = numbers_in(drawer.inner_text())
    for number in (dot, score, float(tap.lse(1)[7]), weight, float(tap.norms(1)[7, 10])):
        assert any(each == pytest.approx(number, rel=5e-3) for each in said), number


def switched_off(page) -> dict:
    page.get_by_label("switch off").wait_for()
    with page.expect_response(re.compile("/ablate")) as answer:
        page.keyboard.press("a")
    return answer.value.json()


def test_one_key_ablates_and_shows_the_change(open_page, ready, at, trace):
    tokens = trace.axes["target"].predicts
    query, key = tokens.index("▁Tee"), trace.axes["source"].tokens.index("▁tea")
    page = open_page(at(tap=CROSS, head=1, focus=f"{query},{key}", drawer="cell"))
    ready(page).focus()
    got = switched_off(page)
    expected = ablate(trace, "edge", CROSS, head=1, query=query, key=key, step=query)
    assert got["delta"] == pytest.approx(expected.delta, abs=1e-5)
    assert got["token"] == "▁Tee"
    status = page.get_by_label("switch off").get_by_role("status")
    status.get_by_text("Δ").wait_for()
    said = status.inner_text().replace("−", "-")
    number = float(re.search(r"Δ\s*([+-]?[\d.e-]+)", said)[1])
    assert number == pytest.approx(expected.delta, rel=0.02)


def test_an_edge_of_the_encoder_tells_of_the_step_that_changes_most(open_page, ready, at, trace):
    tap = "encoder.layers.2.self"
    page = open_page(at(tap=tap, head=1, focus="3,8", drawer="cell"))
    ready(page).focus()
    got = switched_off(page)
    expected = ablate(trace, "edge", tap, head=1, query=3, key=8)
    assert got["step"] == expected.step
    assert got["delta"] == pytest.approx(expected.delta, abs=1e-5)
    status = page.get_by_label("switch off").get_by_role("status")
    status.get_by_text(
        f"step {expected.step + 1} of the output as it was, which changes most"
    ).wait_for()
