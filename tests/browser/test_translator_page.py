"""The translator in one file, opened from the disk with the network off."""

import pytest

from regard.studio.translator_page import translator_page

TEXT = "I would like to drink a cup of tea with my friends."


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("page") / "live.html"
    translator_page("en-de", path)
    return path.as_uri()


def test_it_translates_and_shows_what_it_looked_at(open_page, ready, file, trace):
    page = open_page(server=file, path="", offline=True)
    ready(page)
    text = page.get_by_label("text", exact=True)
    text.fill("Where is the station?")
    page.get_by_role("button", name="trace").click()
    tokens = page.get_by_role("group", name="tokens of target")
    tokens.get_by_text("Bahnhof", exact=True).wait_for()
    page.get_by_role("tab", name="translation").click()
    page.locator("#rg-hero[aria-labelledby=rg-view-translation]:not([aria-busy=true])").wait_for()


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


def test_another_model_is_refused_in_a_sentence(open_page, file):
    page = open_page(server=file, path="?model=en-hi&text=A+dog.", offline=True)
    page.get_by_text("regard export page en-hi").wait_for()
