"""What is written on the page can be read: nothing is cut off, pale, or gone."""

import pytest

TEXT = "I would like to drink a cup of tea with my friends."
CROSS = "decoder.layers.1.cross"
# What the middle of the map shows in the same frame in which its window became smaller.
RESIZED = """canvas => new Promise((done) => {
  const host = canvas.parentElement;
  host.style.flex = "none";
  host.style.height = "300px";
  let first = true;
  new ResizeObserver(() => {
    if (first && host.clientHeight === 300) {
      first = false;
      const at = (share) => [Math.round(share * canvas.width), Math.round(share * canvas.height)];
      done([...canvas.getContext("2d").getImageData(...at(0.5), 1, 1).data]);
    }
  }).observe(host);
})"""


@pytest.mark.parametrize("width", [600, 900, 1440])
def test_what_the_legend_says_does_not_move_the_map(open_page, drawn, width):
    page = open_page("/?trace=long", width=width)
    canvas = drawn(page)
    page.locator(".rg-map__note").wait_for(state="attached")
    heights = []
    for words in (0, 40, 400):
        page.locator(".rg-map__note").evaluate(
            f"note => note.textContent = 'word '.repeat({words})"
        )
        heights.append(canvas.evaluate("map => map.offsetHeight"))  # while it comes nearer
    assert len(set(heights)) == 1


def test_a_resized_map_is_painted_in_the_same_frame(open_page, ready, at):
    canvas = ready(open_page(at(tap=CROSS, head=1, view="map")))
    assert canvas.evaluate(RESIZED)[:3] != [0, 0, 0]


def test_the_tip_at_the_focus_stays_inside_the_map(open_page, ready, at):
    page = open_page(at(tap=CROSS, head=1, view="map", focus="5,8"))
    ready(page).focus()
    for key in ("ArrowRight", "ArrowLeft", "a"):
        page.keyboard.press(key)
    page.get_by_label("switch off").get_by_text("Δ").wait_for()
    ready(page)
    tip, host = (
        page.locator(".rg-map__tip").bounding_box(),
        page.locator(".rg-map__host").bounding_box(),
    )
    assert host["x"] <= tip["x"]
    assert tip["x"] + tip["width"] <= host["x"] + host["width"] + 1
    assert tip["y"] + tip["height"] <= host["y"] + host["height"] + 1


def test_the_label_of_the_column_pointed_at_covers_its_own_and_no_other(open_page, ready, at):
    page = open_page(at(tap=CROSS, head=1, view="map", focus="5,6"))
    canvas = ready(page)
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    chip = page.locator(".rg-map__chip").nth(1)
    chip.wait_for()
    assert chip.bounding_box()["width"] < chip.bounding_box()["height"]
    assert chip.bounding_box()["y"] >= page.locator(".rg-map__host").bounding_box()["y"] - 0.5
