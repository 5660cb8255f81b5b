"""What somebody sees and does: the numbers on the page are the model's, and stay so."""

import json
import math
import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
import pytest

from regard.inspection.ablation import ablate
from regard.inspection.html import to_html

TEXT = "I would like to drink a cup of tea with my friends."
CROSS = "decoder.layers.2.cross"


def at(**query: object) -> str:
    return "/?" + urlencode({"model": "en-de", "text": TEXT, **query})


def point_at(page, canvas, row: int, column: int) -> None:
    """Moves the focus cell with the keyboard from the first one."""
    canvas.focus()
    for key, times in (("ArrowDown", row), ("ArrowRight", column)):
        for _ in range(times):
            page.keyboard.press(key)


def shown_value(page) -> float:
    tip = page.locator(".rg-map__tip[data-value]:not([data-value=''])")
    tip.wait_for(state="attached")
    return float(tip.get_attribute("data-value"))


def wait_for_address(page, name: str, value: str | None) -> None:
    """Waits until the address bar holds the value, or without one, nothing of that name."""

    def holds(url: str) -> bool:
        found = parse_qs(urlsplit(url).query).get(name)
        return found is None if value is None else found == [value]

    page.wait_for_url(holds)


def numbers_in(text: str) -> list[float]:
    return [
        float(each) for each in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text.replace("−", "-"))
    ]


def test_the_page_shows_the_text_the_translation_and_the_receipt(open_page, ready):
    page = open_page(at())
    ready(page)
    assert page.get_by_label("model", exact=True).input_value() == "en-de"
    for word in ("friends", "Freunden"):
        assert page.get_by_label("the text").get_by_text(word, exact=True).first.is_visible()
    receipt = page.get_by_text(re.compile("row sums within"))
    assert receipt.is_visible()
    assert "regard" in page.title()


def test_the_number_under_the_pointer_is_the_exact_weight(open_page, ready, trace):
    page = open_page(at(tap=CROSS, head=1))
    canvas = ready(page)
    weights = trace[CROSS].weights(1)
    for row, column in ((3, 5), (7, 10), (0, 0)):
        page.goto(page.url.split("?")[0] + at(tap=CROSS, head=1, focus=f"{row},{column}")[1:])
        canvas = ready(page)
        canvas.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        assert shown_value(page) == pytest.approx(float(weights[row, column]), rel=1e-6)


def test_a_cell_of_a_long_map_can_be_found_and_read(open_page, ready, long_trace):
    """From the whole of 16,384 tokens, where one cell is a 16th of a pixel, to the cell."""
    page = open_page("/?trace=long&at=12340,4560,12")
    ready(page)
    canvas = page.locator("canvas.rg-map__canvas")
    assert canvas.get_attribute("data-level") == "0"
    page.goto(page.url.split("?")[0] + "?trace=long&at=12340,4560,12&focus=12345,4567")
    canvas = ready(page)
    canvas.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    exact = float(long_trace["decoder.layers.0.self"].row(0, 12_345)[4_567])
    assert exact > 0.5
    assert shown_value(page) == pytest.approx(exact, rel=1e-6)


def test_the_whole_of_a_long_map_shows_its_lone_strong_cell(open_page, ready):
    page = open_page("/?trace=long")
    canvas = ready(page)
    level = int(canvas.get_attribute("data-level"))
    assert 3 <= level <= 6  # cells of 8 to 64 tokens
    name = "decoder.layers.0.self"
    query = dict(tap=name, head=0, level=level, quantity="weight", reduce="max", every=1)
    place = dict(row=12_345 >> level, column=4_567 >> level, height=1, width=1, group="token")
    answer = page.request.get(
        f"{page.url.split('?')[0]}api/traces/long/tile?{urlencode(query | place)}"
    )
    assert np.frombuffer(answer.body(), dtype="<f4")[0] > 0.5


def test_wheel_and_drag_move_the_map_and_zero_fits_it(open_page, ready):
    page = open_page("/?trace=long")
    canvas = ready(page)
    box = canvas.bounding_box()
    x, y = box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.7
    page.mouse.move(x, y)
    coarse = int(canvas.get_attribute("data-level"))
    for _ in range(6):
        page.mouse.wheel(0, -400)
    page.locator(", ".join(f"canvas[data-level='{level}']" for level in range(coarse))).wait_for()
    ready(page)
    page.wait_for_url(lambda url: "at=" in url)
    before = parse_qs(urlsplit(page.url).query)["at"]
    page.mouse.down()
    page.mouse.move(x - 150, y - 90, steps=4)
    page.mouse.up()
    page.wait_for_url(lambda url: parse_qs(urlsplit(url).query)["at"] != before)
    canvas.focus()
    page.keyboard.press("0")
    wait_for_address(page, "at", None)


def test_a_click_opens_the_equation_with_the_numbers(open_page, ready, trace):
    page = open_page(at(tap=CROSS, head=1, focus="7,10"))
    canvas = ready(page)
    canvas.focus()
    page.keyboard.press("e")
    drawer = page.get_by_role("complementary", name="equation")
    drawer.get_by_label("the weight, step by step").wait_for()
    tap = trace[CROSS]
    dot = float(tap.query[0, 1, 7] @ tap.key[0, 1, 10])
    weight, score = float(tap.weights(1)[7, 10]), float(tap.scores(1)[7, 10])
    said = numbers_in(drawer.inner_text())
    for number in (dot, score, float(tap.lse(1)[7]), weight, float(tap.norms(1)[7, 10])):
        assert any(each == pytest.approx(number, rel=5e-3) for each in said), number


def test_one_key_ablates_and_shows_the_change(open_page, ready, trace):
    tokens = trace.axes["target"].predicts
    query, key = tokens.index("▁Tee"), trace.axes["source"].tokens.index("▁tea")
    page = open_page(at(tap=CROSS, head=1, focus=f"{query},{key}"))
    canvas = ready(page)
    canvas.focus()
    page.keyboard.press("e")
    page.get_by_label("switch off").wait_for()
    with page.expect_response(re.compile("/ablate")) as answer:
        page.keyboard.press("a")
    expected = ablate(trace, "edge", CROSS, head=1, query=query, key=key, step=query)
    got = answer.value.json()
    assert got["delta"] == pytest.approx(expected.delta, abs=1e-5)
    assert got["token"] == "▁Tee"
    status = page.get_by_label("switch off").get_by_role("status")
    status.get_by_text("Δ").wait_for()
    said = status.inner_text().replace("−", "-")
    number = float(re.search(r"Δ\s*([+-]?[\d.e-]+)", said)[1])
    assert number == pytest.approx(expected.delta, rel=0.02)


def test_a_token_of_the_flow_is_locked_and_released(open_page):
    page = open_page(at(tap=CROSS, head=1, view="flow"))
    flow = page.get_by_role("region", name="flow")
    token = flow.get_by_role("button", name=re.compile("^query 7"))
    token.click()
    wait_for_address(page, "locked", "7")
    page.mouse.move(5, 5)
    assert token.get_attribute("aria-pressed") == "true"
    page.reload()
    token.wait_for()
    assert token.get_attribute("aria-pressed") == "true"
    token.click()
    wait_for_address(page, "locked", None)


def test_the_steps_of_the_generation_are_the_decodes(open_page, trace):
    page = open_page(at(tap=CROSS, head=1, view="generation"))
    for number, step in enumerate(trace.generation.steps[:3], start=1):
        per_cent = f"{100 * step.probability:.0f}"[:2]
        button = page.get_by_label(re.compile(f"^step {number}: .*{per_cent}"))
        button.first.wait_for()
    page.get_by_label(re.compile("^hypothesis 2:")).first.wait_for()


def test_another_hypothesis_is_traced_when_chosen(open_page, trace):
    page = open_page(at(tap=CROSS, head=1, view="generation"))
    second = trace.generation.hypotheses[1]
    page.get_by_label(re.compile("^hypothesis 2:")).first.click()
    wait_for_address(page, "hypothesis", "1")
    last = second.tokens[-2].replace("▁", "")
    page.get_by_label("the text").get_by_text(last, exact=True).first.wait_for()


def test_a_word_of_the_translation_says_what_it_looked_at(open_page, trace):
    page = open_page(at(tap=CROSS, head=1, view="translation"))
    word = page.locator('[data-word^="target"]').filter(has_text="Tee")
    word.first.hover()
    weights = trace[CROSS].weights(1)
    query = trace.axes["target"].predicts.index("▁Tee")
    per_cent = f"{100 * float(weights[query, 8]):.0f}"
    page.locator('[data-word^="source"]').filter(has_text="tea").first.get_by_text(
        re.compile(per_cent)
    ).wait_for()


def test_a_link_shows_the_same_view(open_page, ready):
    query = dict(tap="decoder.layers.1.self", head=2, quantity="norm", scale="log", focus="4,3")
    page = open_page(at(**query))
    ready(page)
    page.reload()
    ready(page)
    found = {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}
    for name, value in query.items():
        assert found[name] == str(value)
    pressed = page.get_by_role("group", name="quantity").locator("[aria-pressed=true]")
    assert "f(x)" in pressed.inner_text()


def test_back_goes_back(open_page, ready):
    page = open_page(at(tap=CROSS, head=1))
    ready(page)
    page.get_by_role("tab", name="flow").click()
    page.get_by_role("region", name="flow").wait_for()
    page.go_back()
    ready(page)
    assert page.get_by_role("tab", name="map").get_attribute("aria-selected") == "true"


def test_heads_and_layers_change_with_the_keys(open_page, ready):
    page = open_page(at(tap="decoder.layers.1.cross", head=1))
    ready(page).focus()
    page.keyboard.press("]")
    wait_for_address(page, "head", "2")
    page.keyboard.press("}")
    wait_for_address(page, "tap", CROSS)
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()


def test_what_is_exported_is_what_is_shown(open_page, ready, trace, tmp_path):
    page = open_page(at(tap=CROSS, head=1))
    ready(page)
    page.locator("summary", has_text="export").click()
    with page.expect_download() as download:
        page.get_by_text(re.compile("npz", re.I)).first.click()
    download.value.save_as(tmp_path / "map.npz")
    stored = np.load(tmp_path / "map.npz")
    np.testing.assert_allclose(stored["values"], trace[CROSS].weights(1).numpy(), atol=1e-6)


def test_the_figure_is_an_svg_with_the_words(open_page, ready):
    page = open_page(at(tap=CROSS, head=1))
    ready(page)
    page.locator("summary", has_text="export").click()
    with page.expect_download() as download:
        page.get_by_text(re.compile("svg", re.I)).first.click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert text.lstrip().startswith("<?xml")
    assert "Freunden" in text


def test_one_file_opens_without_a_network(open_page, ready, trace, tmp_path):
    assert to_html(trace, tmp_path / "page.html") == []
    query = f"?tap={CROSS}&head=1&focus=7,10"
    page = open_page(query, server=(tmp_path / "page.html").as_uri(), offline=True)
    canvas = ready(page)
    canvas.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert shown_value(page) == pytest.approx(float(trace[CROSS].weights(1)[7, 10]), rel=1e-6)
    page.keyboard.press("e")
    page.get_by_label("the weight, step by step").wait_for()


@pytest.mark.parametrize(("text", "sentence"), [("tea " * 600, "tokens with en-de; got")])
def test_a_text_that_cannot_be_traced_is_refused_in_a_sentence(browser, address, text, sentence):
    context = browser.new_context()
    page = context.new_page()
    page.goto(address + at())
    page.wait_for_selector("canvas.rg-map__canvas[data-ready=true]")
    page.get_by_label("text", exact=True).fill(text)
    page.get_by_role("button", name="trace", exact=True).click()
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert sentence in alert.inner_text()
    context.close()


@pytest.mark.parametrize("view", ["map", "flow", "generation", "translation", "compare"])
@pytest.mark.parametrize("width", [420, 1440])
def test_nothing_scrolls_sideways(open_page, view: str, width: int):
    page = open_page(at(tap=CROSS, head=1, view=view), width=width)
    page.get_by_role("tabpanel").wait_for()
    page.wait_for_timeout(300)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width


@pytest.mark.parametrize("view", ["map", "flow", "generation", "translation", "compare"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(open_page, view: str, scheme: str):
    from axe_playwright_python.sync_playwright import Axe

    page = open_page(at(tap=CROSS, head=1, view=view, focus="7,10", drawer=1), scheme=scheme)
    page.get_by_role("tabpanel").wait_for()
    page.wait_for_timeout(500)
    found = Axe().run(page)
    told = [
        f"{each['id']}: {node['html'][:120]} {node.get('failureSummary', '')[:200]}"
        for each in found.response["violations"]
        for node in each["nodes"]
    ]
    assert told == []


def test_panning_a_long_map_keeps_its_frames(open_page, ready):
    """A budget that only something gone wrong exceeds; benchmarks/page.py measures it."""
    page = open_page("/?trace=long")
    canvas = ready(page)
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for _ in range(4):
        page.mouse.wheel(0, -400)
    ready(page)
    page.evaluate(
        "() => { const f = (window.frames_ = []); let last = performance.now();"
        " const next = (now) => { f.push(now - last); last = now;"
        " window.ticking = requestAnimationFrame(next); }; requestAnimationFrame(next); }"
    )
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.down()
    for step in range(60):
        angle = step / 10
        page.mouse.move(x + 200 * math.sin(angle), y + 150 * math.cos(angle))
    page.mouse.up()
    frames = sorted(json.loads(page.evaluate("JSON.stringify(window.frames_)")))
    assert len(frames) > 10
    assert frames[len(frames) // 2] < 100
