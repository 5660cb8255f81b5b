"""Ribbons that are pulled to another word, in the studio and in the file that translates itself."""

import re

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

TEXT = "I would like to drink a cup of tea with my friends."


@pytest.fixture
def opened(open_page, settled, file):
    """Opens the translation in a file that translates itself, or in the studio, and all of it."""

    def open_(live: bool = True, **sizes):
        path = f"?model=en-de&text={TEXT}&view=sentence&head=mean"
        where = {"server": file, "offline": True} if live else {}
        page = open_page(path=path if live else f"/{path}", **where, **sizes)
        page.locator("[data-handle]").first.wait_for()
        page.locator(".rg-translation__reliance").first.wait_for()
        settled(page)
        return page

    return open_


def number(page, word: str) -> int:
    """Place of a word of the output."""
    return page.locator("[data-word^=output]").all_inner_texts().index(word)


def center(box) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("width", [1440, 820])
def test_a_ribbon_is_pulled_to_another_word_and_let_go(
    opened, wait_for_address, live: bool, width: int
):
    page = opened(live, width=width)
    word = number(page, "Tasse")
    source = page.locator("[data-word^=source]").filter(has_text="tea")
    places = page.locator("[data-word^=source]").evaluate_all("all => all.map(e => e.offsetTop)")
    page.mouse.move(*center(page.locator(f"[data-handle='{word}']").bounding_box()))
    page.mouse.down()
    page.mouse.move(*center(source.bounding_box()), steps=3)
    page.locator(f"[data-word='output {word}']").filter(has_text="Tee").wait_for()
    changes = page.get_by_role("region", name="what changed")
    expect(changes.locator("del")).to_have_text("Tasse")
    assert "looks=" not in page.url  # nothing is changed before it is let go
    page.mouse.up()
    wait_for_address(page, "looks", "4:8")
    page.get_by_text("sees “tea” alone").wait_for()
    page.locator(f"[data-word='output {word}']").filter(has_text="Tee").wait_for()
    assert places == page.locator("[data-word^=source]").evaluate_all(
        "all => all.map(e => e.offsetTop)"
    )
    page.reload()
    page.locator(".rg-word--pulled").filter(has_text="Tee").wait_for()
    page.get_by_role("button", name="let go Tee → tea").click()
    page.locator("[data-word^=output]").filter(has_text="Tasse").wait_for()
    wait_for_address(page, "looks", None)


def test_the_keyboard_pulls_a_ribbon_and_escape_leaves_all_as_it_was(opened):
    page = opened()
    word = number(page, "Tasse")
    page.locator(f"[data-word='output {word}']").focus()
    page.keyboard.press("p")
    handle = page.locator(f"[data-handle='{word}']")
    expect(handle).to_be_focused()
    expect(handle).to_have_attribute("aria-valuetext", "cup")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    shown = page.locator(f"[data-word='output {word}']")
    shown.filter(has_text="Tee").wait_for()
    expect(handle).to_have_attribute("aria-valuetext", re.compile("^tea: Tee, 9"))
    page.keyboard.press("Escape")
    shown.filter(has_text="Tasse").wait_for()
    assert "looks=" not in page.url
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator(".rg-word--pulled").filter(has_text="Tee").wait_for()


def test_a_word_under_the_pointer_is_struck_out_by_its_key_and_nothing_moves(opened):
    page = opened()
    word = page.locator("[data-word^=source]").filter(has_text="my")
    before = word.bounding_box()
    word.hover()
    page.keyboard.press("x")
    page.locator(".rg-word--struck").filter(has_text="my").wait_for()
    page.get_by_role("region", name="what changed").locator("del").wait_for()
    assert word.bounding_box()["y"] == before["y"]


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_words_and_ribbons_glide_to_the_new_sentence(opened, motion):
    page = opened()
    page.emulate_media(reduced_motion=motion)
    page.evaluate("""() => {
      window.glides = [];
      addEventListener("transitionrun", (event) => window.glides.push(event.propertyName));
    }""")
    page.locator("[data-word^=source]").filter(has_text="my").hover()
    page.keyboard.press("x")
    page.locator(".rg-word--struck").filter(has_text="my").wait_for()
    page.get_by_role("region", name="what changed").locator("del").wait_for()  # it is drawn
    both = "() => ['left', 'd'].every((each) => window.glides.includes(each))"
    if motion == "no-preference":
        page.wait_for_function(both)
    else:
        page.wait_for_timeout(400)
        assert not page.evaluate(both)


def test_the_words_of_the_answer_are_its_controls(opened, wait_for_address):
    page = opened()
    page.locator("[data-word^=output]").filter(has_text="Tasse").click()
    said = page.locator(".rg-said")
    said.get_by_role("button", name=re.compile("%")).first.click()
    page.get_by_role("complementary", name="equation").wait_for()
    page.get_by_role("button", name="close", exact=True).click()
    said.locator("summary").nth(1).click()
    page.get_by_role("button", name="look at “tea” instead").click()
    page.get_by_role("button", name="let go Tee → tea").click()
    wait_for_address(page, "looks", None)
    page.locator("[data-word^=output]").filter(has_text="Tasse").wait_for()
    said.filter(has_text="Tasse").locator("summary").nth(1).click()
    page.get_by_role("button", name="strike “cup” out").click()
    wait_for_address(page, "without", "6")
