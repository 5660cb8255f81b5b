"""You are the attention: lines that the reader draws, and what the model makes of them."""

import statistics
from urllib.parse import urlencode

import pytest

import regard

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

TEXT = "Where is the station?"
OWN = "Wo ist der Bahnhof?"
LINES = "0:0,1:1,2:2,3:3"


@pytest.fixture(scope="module")
def scores() -> dict[str, float]:
    """The same in Python: the model's own words under lines of the reader, of a row or of none."""
    translator = regard.load("en-de")
    whole = range(len(translator.trace(TEXT).axes["source"].tokens))
    marks = {4: 4, 5: 5}  # the question mark and the end are drawn by the page
    looks = {
        "you": {0: 0, 1: 1, 2: 2, 3: 3} | marks,
        "its own 8 heads": {},
        "even looks": {row: list(whole) for row in range(4)} | marks,
    }
    return {
        name: 100
        * statistics.geometric_mean(
            step.probability
            for step in translator.trace(TEXT, target=OWN, looks=each).generation.steps
        )
        for name, each in looks.items()
    }


def played(open_page, server: str | None = None, **query: str):
    where = {"server": server, "offline": True} if server else {}
    page = open_page(path=f"{'' if server else '/'}?{urlencode(query)}", **where)
    page.get_by_role("heading", name="You are the attention").wait_for()
    return page


def score(page, name: str) -> float:
    row = page.locator(".rg-play__scores li").filter(has_text=name)
    row.locator(".rg-ranked__share").filter(has_text="–").wait_for(state="detached")
    return float(row.locator(".rg-ranked__share").inner_text().strip("< %\u202f"))


def word(page, side: str, text: str):
    return page.locator(f"[data-word^={side}]").get_by_text(text, exact=True)


@pytest.mark.parametrize("live", [True, False])
def test_the_pages_score_is_pythons(open_page, file, scores, live):
    query = {"model": "en-de", "text": TEXT, "view": "sentence", "drawn": LINES}
    page = played(open_page, file if live else None, **query)
    page.locator(".rg-play__squares").wait_for()
    for name, expected in scores.items():
        assert score(page, name) == pytest.approx(expected, abs=1.5 if live else 0.51), name
    assert score(page, "lines at random") < score(page, "even looks")
    page.get_by_text("There is no right answer").wait_for()
    assert page.locator(".rg-said").count() == 0  # which would tell where the model looks


def test_lines_are_dragged_tapped_and_pulled_by_keys_and_are_in_the_link(
    open_page, wait_for_address
):
    page = played(open_page, model="en-de", text=TEXT, view="sentence", drawn="")
    places = [word(page, side, text).bounding_box() for side, text in
              (("output", "Wo"), ("source", "Where"))]  # fmt: skip
    for step, box in enumerate(places):
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
        (page.mouse.up if step else page.mouse.down)()
    wait_for_address(page, "drawn", "0:0")
    word(page, "output", "der").click()
    word(page, "source", "the").click()
    wait_for_address(page, "drawn", "0:0,2:2")
    page.get_by_text("Where to look to write ist?").wait_for()
    page.mouse.move(0, 0)  # the word under the pointer comes before the focused one
    page.locator("[data-word='output 1']").focus()
    for key in ("p", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    wait_for_address(page, "drawn", "0:0,1:1,2:2")
    word(page, "source", "station?").click()
    wait_for_address(page, "drawn", LINES)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="copy the squares").click()
    page.get_by_role("button", name="copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("You are the attention: 8")
    assert copied.endswith("🟦")
    assert "127.0.0.1" not in copied
    page.get_by_role("button", name="back to the ribbons").click()
    wait_for_address(page, "drawn", None)
    page.locator(".rg-said").wait_for()


def test_what_was_struck_before_the_game_is_struck_after_it(open_page, wait_for_address):
    page = open_page(f"/?{urlencode({'model': 'en-de', 'text': TEXT, 'without': '2'})}")
    struck = page.locator(".rg-word--struck").filter(has_text="the")
    struck.wait_for()
    page.get_by_role("button", name="play: you are the attention").click()
    page.get_by_role("heading", name="You are the attention").wait_for()
    wait_for_address(page, "without", None)
    page.get_by_role("button", name="back to the ribbons").click()
    struck.wait_for()
    wait_for_address(page, "without", "2")


def test_a_day_has_a_sentence_and_a_line_that_is_nowhere_is_left_out(open_page, file):
    page = open_page(path="", server=file, offline=True, new=True)
    page.clock.set_fixed_time("2026-11-24T12:00:00")
    page.goto(f"{file}?drawn=")
    page.get_by_role("heading", name="You are the attention").wait_for()
    button = page.get_by_role("button", name="sentence of 24 November")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="another one").click()
    page.locator("[aria-pressed=false]", has_text="sentence of").wait_for()
    page.goto(f"{file}?text={TEXT[:-1]}%3F&view=sentence&drawn=0:0,77:3,1:99,later")
    page.get_by_text("Where to look to write ist?").wait_for()
    expect(page.locator(".rg-translation__pulled")).to_have_count(1)
