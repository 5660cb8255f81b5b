"""The translator in one file, opened from the disk with the network off."""

import pytest

from regard.studio.translator_page import translator_page

TEXT = "I would like to drink a cup of tea with my friends."


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("page") / "live.html"
    translator_page("en-de", path)
    return path.as_uri()


def test_it_opens_with_a_translation_and_what_each_word_looked_at(open_page, file, trace):
    page = open_page(server=file, path="", offline=True)
    page.locator("[data-word^=output]").filter(has_text="Tasse").wait_for()
    assert page.get_by_role("tab", name="translation").get_attribute("aria-selected") == "true"
    text = page.get_by_label("text", exact=True)
    text.fill("Where is the station?")
    text.press("Enter")
    tokens = page.get_by_role("group", name="tokens of target")
    tokens.get_by_text("Bahnhof", exact=True).wait_for()
    page.locator("[data-word^=output]").filter(has_text="Bahnhof").wait_for()


def test_its_maps_are_those_of_the_model_within_what_rounding_does(
    open_page, ready, read_focus, file, trace
):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&tap=decoder.layers.2.cross"
                     "&head=1&focus=7,10", offline=True)  # fmt: skip
    ready(page)
    expected = float(trace["decoder.layers.2.cross"].weights(1)[7, 10])
    assert abs(read_focus(page, 7, 10) - expected) < 0.05


def test_switching_a_token_off_is_answered_without_a_server(open_page, ready, file):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&tap=decoder.layers.2.cross"
                     "&head=1&focus=7,10&drawer=1", offline=True)  # fmt: skip
    ready(page)
    page.get_by_role("region", name="switch off").get_by_role("button").last.click()
    page.locator(".rg-change__delta").wait_for()


def test_a_struck_word_is_left_out_of_the_translation_without_a_server(open_page, file):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&view=translation&head=mean",
                     offline=True)  # fmt: skip
    page.locator("[data-word^=output]").filter(has_text="meinen").wait_for()
    page.locator(".rg-translation__reliance").first.wait_for()
    page.locator("[data-word^=source]").filter(has_text="my").hover()
    page.get_by_role("button", name="strike out my").click()
    page.locator(".rg-translation__word--struck").filter(has_text="my").wait_for()
    changes = page.get_by_role("region", name="what changed")
    assert "meinen" in changes.locator("del").first.inner_text()
    assert page.locator("[data-word^=output]").filter(has_text="meinen").count() == 0
    assert page.locator("[data-word^=output]").filter(has_text="Freunden").count() == 1


def test_another_word_is_written_and_gone_on_from_without_a_server(open_page, file):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&view=generation&step=4",
                     offline=True)  # fmt: skip
    page.get_by_role("button", name="Flasche").click()
    page.get_by_role("region", name="what changed").locator("ins").get_by_text("Flasche").wait_for()
    assert "begins=" in page.url
    page.get_by_role("button", name="let the model choose").click()
    page.locator(".rg-changed").wait_for(state="detached")


def test_an_edge_is_switched_off_and_tokens_are_drawn_without_a_server(open_page, ready, file):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&tap=decoder.layers.2.cross"
                     "&head=1&focus=4,8&drawer=1&seed=3&temperature=1.5", offline=True)  # fmt: skip
    ready(page)
    before = page.get_by_role("group", name="tokens of target").inner_text()
    region = page.get_by_role("region", name="switch off")
    region.get_by_role("button", name="this edge").click()
    page.get_by_role("button", name="bring back").wait_for()
    page.locator(".rg-change__delta").wait_for()
    assert "without=decoder.layers.2.cross:1:4:8" in page.url
    page.get_by_role("button", name="bring back").click()
    page.locator(".rg-changed").wait_for(state="detached")
    assert page.get_by_role("group", name="tokens of target").inner_text() == before


def test_another_model_is_refused_in_a_sentence(open_page, file):
    page = open_page(server=file, path="?model=en-hi&text=A+dog.", offline=True)
    page.get_by_text("regard export page en-hi").wait_for()
