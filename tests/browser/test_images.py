"""An image stands where a sentence stands otherwise, cut into the patches that the model reads."""

import re
from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

import regard
from regard.studio.app import create_app, in_background
from regard.studio.live_page import live_page
from regard.studio.packing import round_weights
from regard.tasks.images.task import open_image
from regard.tasks.sample_image import sample_image

pytest.importorskip("PIL.Image", reason="images need Pillow")
expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

PATCHES = ".rg-image__grid .rg-patch"
SIXTH, SEVENTH = 5, 6  # patches "1,1" and "1,2", behind which the digit is a 3
LAST = "encoder.layers.3.self"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with in_background(create_app(["digits"], {})) as address:
        yield address


def shares(page) -> list[str]:
    return [each.split(", ")[-1] for each in labels(page)]


def labels(page) -> list[str]:
    return page.locator(PATCHES).evaluate_all("all => all.map((each) => each.ariaLabel)")


def percent(weight: float) -> str:
    share = 100 * weight
    return f"{share:.0f}\u202f%" if share >= 9.95 else f"{share:.1f}\u202f%"


@pytest.fixture(scope="module")
def weights() -> list[list[float]]:
    tap = regard.load("digits").trace(sample_image())[LAST]
    return sum(tap.weights(head) for head in range(tap.heads)).div(tap.heads).tolist()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_a_patch_shows_how_much_it_looks_at_each_other(
    open_page, weights, violations, width, scheme
) -> None:
    page = open_page(width=width, scheme=scheme)
    page.emulate_media(reduced_motion="reduce")
    patches = page.locator(PATCHES)
    expect(patches.nth(15)).to_have_attribute("aria-label", f"3,3, {percent(weights[0][16])}")
    assert shares(page) == [percent(weight) for weight in weights[0][1:]]  # of the class token
    expect(page.locator(".rg-said")).to_contain_text("To predict 5")
    expect(page.locator(".rg-labels")).to_contain_text("5 without 1,1 99")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    patches.nth(SIXTH).click()
    expect(page.locator(".rg-said")).to_contain_text("Reading 1,1")
    assert shares(page) == [percent(weight) for weight in weights[6][1:]]
    page.keyboard.press("ArrowRight")
    expect(patches.nth(SEVENTH)).to_be_focused()
    for _ in range(2):
        page.keyboard.press("ArrowUp")
    expect(page.get_by_role("radio", name="CLS · 5")).to_be_focused()


def test_what_is_struck_changes_the_label(open_page) -> None:
    page = open_page()
    for patch, word in ((SIXTH, "1,1"), (SEVENTH, "1,2")):
        page.locator(PATCHES).nth(patch).click()
        page.get_by_role("button", name=f"strike “{word}” out", exact=True).click()
        expect(page.locator(".rg-changed__chip", has_text=word)).to_be_visible()
    expect(page.locator(".rg-changed")).to_contain_text("5 100\u202f%")
    expect(page.locator(".rg-changed ins")).to_have_text("3 95")
    assert "without=patches:6,patches:7" in page.url
    page.reload()
    expect(page.locator(".rg-changed ins")).to_have_text("3 95")
    assert page.locator(".rg-patch--off").count() == 2


def test_a_photograph_is_opened_as_the_model_reads_it(open_page, tmp_path: Path) -> None:
    from PIL import Image

    image = Image.open(regard_file(tmp_path)).resize((900, 900), Image.Resampling.LANCZOS)
    image.convert("RGB").save(tmp_path / "large.jpg", quality=95)
    page = open_page()
    expect(page.locator(".rg-labels strong")).to_have_text("5 100\u202f%")
    page.locator("input[accept='image/*']").set_input_files(tmp_path / "large.jpg")
    expect(page.locator(".rg-image__grid img")).to_have_js_property("naturalWidth", 28)
    expect(page.locator(".rg-ask__image img")).to_have_js_property("naturalWidth", 900)
    expect(page.locator(".rg-labels strong")).to_contain_text("5")
    page.wait_for_url(re.compile("[?&]trace="))  # too long for a link
    page.reload()
    expect(page.locator(".rg-labels strong")).to_contain_text("5")


def test_the_saved_page_shows_it_offline(open_page, weights, tmp_path: Path) -> None:
    regard.load("digits").trace(regard_file(tmp_path)).to_html(tmp_path / "five.html")
    page = open_page("", server=(tmp_path / "five.html").as_uri(), offline=True)
    expect(page.locator(PATCHES).nth(15)).to_have_attribute(
        "aria-label", f"3,3, {percent(weights[0][16])}"
    )
    assert page.title() == "image.png · digits · regard"
    page.locator("summary", has_text="export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="picture, SVG").click()
    picture = download.value.path().read_text(encoding="utf-8")
    assert picture.count("<image ") == 1
    assert picture.count('fill-opacity="0.6"') == 16  # the colors over it
    page.get_by_text("map", exact=True).click()
    expect(page.locator(".rg-image__seen .rg-patch")).to_have_count(16)


def test_the_page_by_itself_reads_what_python_reads(open_page, tmp_path: Path) -> None:
    from PIL import Image

    live_page("digits").write(tmp_path / "live.html")
    page = open_page("", server=(tmp_path / "live.html").as_uri(), offline=True)
    expect(page.locator(".rg-labels strong")).to_have_text("5 100\u202f%")
    classifier = regard.load("digits")
    round_weights(classifier.model)
    for size in ((28, 28), (431, 700)):
        file = tmp_path / f"{size[0]}.png"
        Image.open(regard_file(tmp_path)).convert("RGB").resize(size).save(file)
        page.locator("input[accept='image/*']").set_input_files(file)
        expect(page.locator(".rg-ask__image img")).to_have_js_property("naturalWidth", size[0])
        tap = (trace := classifier.trace(file))[LAST]
        whole = sum(tap.weights(head) for head in range(tap.heads)).div(tap.heads).tolist()
        shown = [percent(weight) for weight in whole[0][1:]]
        expect(page.locator(PATCHES).nth(15)).to_have_attribute("aria-label", f"3,3, {shown[-1]}")
        assert shares(page) == shown
        _, _, drawn = page.locator(".rg-image__grid img").get_attribute("src").partition(",")
        seen = [Image.open(BytesIO(b64decode(drawn))), open_image(trace.axes["patches"].image)]
        assert np.array_equal(*map(np.array, seen))
    page.locator(PATCHES).nth(SIXTH).click()
    page.get_by_role("button", name="strike “1,1” out", exact=True).click()
    label = classifier.trace(file, without=[6]).labels[0]
    said = f"{label.token} {percent(label.probability)}"
    expect(page.locator(".rg-labels strong")).to_have_text(said)


def regard_file(folder: Path) -> Path:
    file = folder / "image.png"
    file.write_bytes(b64decode(sample_image().partition(",")[2]))
    return file
