"""Lines from what a word of a translation needed and hardly looked at."""

import re

import pytest

import regard

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

TEXT = "My sister wants to buy a new car next week."
SHOWN = f"/?model=en-de&text={TEXT}&view=sentence&head=mean"


@pytest.fixture(scope="module")
def needed():
    return regard.load("en-de").trace(TEXT).needed()


def labels(page) -> dict[str, str]:
    """Return what is read out of each word of the output, by the word."""
    found = (each.get_attribute("aria-label") for each in page.locator("[data-word^=output]").all())
    return {re.split("[:,] ", label)[1].rstrip("."): label for label in found}


def test_a_line_ties_meine_to_sister_and_none_ties_auto_to_my(open_page, needed):
    page = open_page(SHOWN)
    lines = page.locator(".rg-translation__needed")
    lines.first.wait_for()
    expect(lines).to_have_count(sum(len(word.unseen()) for word in needed.words))
    spoken = labels(page)
    assert "needed sister −91 points" in spoken["Meine"]
    assert "needed" not in spoken["Auto"]
    widths = [float(each.get_attribute("stroke-width")) for each in lines.all()]
    blue = page.locator(".rg-links__lines path:not(.rg-translation__needed)")
    assert max(widths) < max(float(each.get_attribute("stroke-width")) for each in blue.all())
    page.locator("[data-word^=output]").filter(has_text="Meine").hover()
    expect(page.locator(".rg-said")).to_contain_text(
        re.compile(
            r"the model looked at My.* and needed sister \(−91 points, 1\.9.% of the weight\)"
        )
    )


def test_the_line_passes_through_the_encoder_and_not_through_cross_attention(open_page):
    page = open_page(SHOWN)
    lines = page.locator(".rg-translation__needed")
    lines.first.wait_for()
    ways = page.get_by_role("group", name="hidden")
    ways.get_by_role("button", name="in cross-attention").click()
    expect(page.locator("[data-word^=output][aria-label*='needed sister']")).to_have_count(0)
    ways.get_by_role("button", name="in the encoder").click()
    meine = page.locator("[data-word^=output]").filter(has_text="Meine")
    expect(meine).to_have_attribute("aria-label", re.compile("needed sister"))


def test_the_page_without_a_server_finds_the_same(open_page, file):
    page = open_page(server=file, path=SHOWN.removeprefix("/"), offline=True)
    meine = page.locator("[data-word^=output]").filter(has_text="Meine")
    expect(meine).to_have_attribute("aria-label", re.compile("needed sister −[89]. points"))
    page.get_by_role("group", name="hidden").get_by_role(
        "button", name="in cross-attention"
    ).click()
    expect(meine).not_to_have_attribute("aria-label", re.compile("needed sister"))
