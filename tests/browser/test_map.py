"""The map: the number on the screen is the exact weight, from 16,384 tokens down to one cell."""

import json
import math
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
import pytest

from browser.test_sizes import LOOP, QUIET

CROSS = "decoder.layers.1.cross"
LONG = "decoder.layers.0.self"


@pytest.mark.parametrize(("row", "column"), [(3, 5), (7, 10), (0, 0)])
def test_the_number_at_a_cell_is_the_exact_weight(
    open_page, ready, read_focus, at, trace, row, column
):
    page = open_page(at(tap=CROSS, head=1, focus=f"{row},{column}"))
    ready(page)
    assert read_focus(page, row, column) == pytest.approx(
        float(trace[CROSS].weights(1)[row, column]), rel=1e-5
    )


def test_a_cell_of_a_long_map_can_be_found_and_read(open_page, ready, read_focus, long_trace):
    """From the whole of 16,384 tokens, where one cell is a 16th of a pixel, to the cell."""
    page = open_page("/?trace=long&at=12340,4560,12&focus=12345,4567")
    assert ready(page).get_attribute("data-level") == "0"
    exact = float(long_trace[LONG].row(0, 12_345)[4_567])
    assert exact > 0.5
    # The weight is exp(score - lse), both in float32: scores of some 16 are rounded by 1e-6.
    assert read_focus(page, 12_345, 4_567) == pytest.approx(exact, rel=1e-5)


def test_the_whole_of_a_long_map_shows_its_lone_strong_cell(open_page, drawn):
    page = open_page("/?trace=long")
    level = int(drawn(page).get_attribute("data-level"))
    assert 3 <= level <= 6  # cells of 8 to 64 tokens
    query = dict(tap=LONG, head=0, level=level, quantity="weight", reduce="max", every=1)
    place = dict(row=12_345 >> level, column=4_567 >> level, height=1, width=1, group="token")
    answer = page.request.get(
        f"{page.url.split('?')[0]}api/traces/long/tile?{urlencode(query | place)}"
    )
    assert np.frombuffer(answer.body(), dtype="<f4")[0] > 0.5


def test_the_first_thing_asked_for_is_the_map(open_page, drawn):
    """What ranks the heads costs more than the map; it must not come before it."""
    page = open_page("/?trace=long&head=1")
    drawn(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path.split("/")[-1]))
    page.reload()
    drawn(page)
    page.wait_for_load_state("networkidle")
    others = [asked.index(name) for name in ("summary", "looks") if name in asked]
    assert asked.index("tile") < min(others, default=len(asked))


def test_wheel_and_drag_move_the_map_and_zero_fits_it(open_page, drawn, wait_for_address):
    page = open_page("/?trace=long")
    canvas = drawn(page)
    box = canvas.bounding_box()
    x, y = box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.7
    page.mouse.move(x, y)
    coarse = int(canvas.get_attribute("data-level"))
    for _ in range(6):
        page.mouse.wheel(0, -400)
    page.locator(", ".join(f"canvas[data-level='{level}']" for level in range(coarse))).wait_for()
    page.wait_for_url(lambda url: "at=" in url)
    before = parse_qs(urlsplit(page.url).query)["at"]
    page.mouse.down()
    page.mouse.move(x - 150, y - 90, steps=4)
    page.mouse.up()
    page.wait_for_url(lambda url: parse_qs(urlsplit(url).query)["at"] != before)
    canvas.focus()
    page.keyboard.press("0")
    wait_for_address(page, "at", None)


def test_a_narrow_page_is_worked_without_a_pointer(
    open_page, ready, at, wait_for_address, result, trace
):
    page = open_page(at(tap=CROSS, head=1), width=420, height=800)
    canvas = ready(page)
    canvas.focus()
    page.keyboard.press("ArrowDown")  # shows the focus, in the middle
    page.wait_for_url(lambda url: "focus=" in url)
    query, key = map(int, parse_qs(urlsplit(page.url).query)["focus"][0].split(","))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    wait_for_address(page, "focus", f"{query + 1},{key + 1}")
    weight = float(trace[CROSS].weights(1)[query + 1, key + 1])
    assert result(page, query + 1, key + 1) == pytest.approx(weight, rel=1e-5)
    for _ in range(4):
        page.keyboard.press("+")
    page.wait_for_url(lambda url: "at=" in url)
    page.keyboard.press("e")
    page.get_by_label("the weight, step by step").wait_for()


def test_heads_and_layers_change_with_the_keys(open_page, ready, at, wait_for_address):
    page = open_page(at(tap="decoder.layers.1.cross", head=1))
    ready(page).focus()
    page.keyboard.press("]")
    wait_for_address(page, "head", "2")
    page.keyboard.press("}")
    wait_for_address(page, "tap", CROSS)
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()


@pytest.mark.slow  # it measures time
def test_panning_a_long_map_keeps_its_frames(open_page, drawn):
    """A budget that only something gone wrong exceeds; benchmarks/page.py measures it."""
    page = open_page("/?trace=long")
    before = page.evaluate(LOOP)
    canvas = drawn(page)
    box = canvas.bounding_box()
    x, y = box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.6
    page.mouse.move(x, y)
    for _ in range(4):
        page.mouse.wheel(0, -400)
    page.wait_for_url(lambda url: "at=" in url)
    page.evaluate(
        "() => { const f = (window.frames_ = []); let last = performance.now();"
        " const next = (now) => { f.push(now - last); last = now;"
        " window.ticking = requestAnimationFrame(next); }; requestAnimationFrame(next); }"
    )
    page.mouse.down()
    for step in range(60):
        angle = step / 10
        page.mouse.move(x + 200 * math.sin(angle), y + 150 * math.cos(angle))
    page.mouse.up()
    frames = sorted(json.loads(page.evaluate("JSON.stringify(window.frames_)")))
    assert len(frames) > 10
    busy = max(1, before / QUIET, page.evaluate(LOOP) / QUIET)
    assert frames[len(frames) // 2] / busy < 100
