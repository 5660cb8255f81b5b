"""The translator in one file, opened from the disk with the network off."""

import re

import numpy as np
import pytest

import regard
from browser.test_learn import LESSONS
from regard.studio.live_page import live_page

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

TEXT = "I would like to drink a cup of tea with my friends."


def test_it_opens_with_a_translation_and_what_each_word_looked_at(open_page, file, trace):
    page = open_page(server=file, path="", offline=True)
    page.locator("[data-word^=output]").filter(has_text="Tasse").wait_for()
    expect(page.get_by_role("button", name="sentence", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    text = page.get_by_label("text", exact=True)
    text.fill("Where is the station?")
    text.press("Enter")
    page.locator("[data-word^=output]").filter(has_text="Bahnhof").wait_for()


def test_its_maps_are_those_of_the_model_within_what_rounding_does(
    open_page, ready, read_focus, file, trace
):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&tap=decoder.layers.1.cross"
                     "&head=1&focus=7,10", offline=True)  # fmt: skip
    ready(page)
    expected = float(trace["decoder.layers.1.cross"].weights(1)[7, 10])
    assert abs(read_focus(page, 7, 10) - expected) < 0.05


def test_switching_a_token_off_is_answered_without_a_server(open_page, ready, file):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&tap=decoder.layers.1.cross"
                     "&head=1&focus=7,10&drawer=cell", offline=True)  # fmt: skip
    ready(page)
    page.get_by_role("region", name="switch off").get_by_role("button").last.click()
    page.locator(".rg-change__delta").wait_for()


def test_a_struck_word_is_left_out_of_the_translation_without_a_server(open_page, file):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&view=sentence&head=mean",
                     offline=True)  # fmt: skip
    page.locator("[data-word^=output]").filter(has_text="meinen").wait_for()
    page.locator(".rg-translation__reliance").first.wait_for()
    page.locator("[data-word^=source]").filter(has_text="my").hover()
    page.get_by_role("button", name="strike out my").click()
    page.locator(".rg-word--struck").filter(has_text="my").wait_for()
    changes = page.get_by_role("region", name="what changed")
    expect(changes.locator("del").first).to_contain_text("meinen")
    output = page.locator("[data-word^=output]")
    expect(output.filter(has_text="meinen")).to_have_count(0)
    expect(output.filter(has_text="Freunden")).to_have_count(1)


def test_another_word_is_written_and_gone_on_from_without_a_server(open_page, file):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&view=sentence&drawer=word&step=1",
                     offline=True)  # fmt: skip
    page.get_by_role("button", name=re.compile("^möchte")).click()
    page.get_by_role("region", name="what changed").locator("ins", has_text="möchte").wait_for()
    assert "begins=" in page.url
    page.get_by_role("button", name="let the model choose").click()
    expect(page.locator(".rg-changed del")).to_have_count(0)


def test_an_edge_is_switched_off_and_tokens_are_drawn_without_a_server(open_page, ready, file):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&tap=decoder.layers.1.cross&head=1"
                     "&focus=4,8&drawer=cell&seed=3&temperature=1.5", offline=True)  # fmt: skip
    ready(page)
    before = page.get_by_role("group", name="tokens of target").inner_text()
    region = page.get_by_role("region", name="switch off")
    region.get_by_role("button", name="this edge").click()
    page.get_by_role("button", name="bring back").wait_for()
    page.locator(".rg-change__delta").wait_for()
    assert "without=decoder.layers.1.cross:1:4:8" in page.url
    page.get_by_role("button", name="bring back").click()
    page.locator(".rg-changed").wait_for(state="detached")
    expect(page.get_by_role("group", name="tokens of target")).to_have_text(
        before, use_inner_text=True
    )


def test_another_model_is_refused_in_a_sentence(open_page, file):
    page = open_page(server=file, path="?model=en-hi&text=A+dog.", offline=True)
    page.get_by_text("regard export page en-hi").wait_for()


def test_a_text_that_the_model_cannot_read_is_refused_and_the_picture_stays(open_page, file):
    page = open_page(server=file, path="", offline=True)
    page.locator("[data-word^=output]").filter(has_text="Tasse").wait_for()
    text = page.get_by_label("text", exact=True)
    for given, why in (
        ("मैं चाय पीना चाहता हूँ।", "en-de cannot read this text"),
        (
            "Der alte Hund sieht die kleine Katze im Garten und läuft ihr durch das ganze Dorf bis"
            " zum Haus der Großmutter hinterher, weil er sie schon lange nicht mehr gesehen hat.",
            "is in another language than",
        ),
        ("---", "has nothing to translate"),
    ):
        text.fill(given)
        text.press("Enter")
        page.get_by_role("alert").filter(has_text=why).wait_for()
        expect(page.locator("[data-word^=output]").filter(has_text="Tasse")).to_be_visible()


def test_a_text_is_looked_into_while_it_is_written_as_one_step_of_the_history(open_page, file):
    page = open_page(server=file, path="", offline=True)
    word = page.locator("[data-word^=output]")
    word.filter(has_text="Tasse").wait_for()
    before, text = page.evaluate("history.length"), page.get_by_label("text", exact=True)
    text.fill("The dog")
    word.filter(has_text="Hund").wait_for()
    text.press_sequentially(" sleeps in the garden.")
    word.filter(has_text="Garten").wait_for()
    assert text.input_value() == "The dog sleeps in the garden."
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    word.filter(has_text="Tasse").wait_for()
    assert text.input_value().startswith("I would like")


# Of each mark of a picture: what it says, and its numbers.
NUMBERS = r"""() => {
  const number = /[−-]?\d+(\.\d+)?(e[−-]?\d+)?/g;
  return [...document.querySelectorAll(".rg-learn__picture [data-says]")].map(({ dataset }) => [
    dataset.says.replace(number, "#"),
    "value" in dataset
      ? [Number(dataset.value)]
      : (dataset.says.match(number) ?? []).map((each) => Number(each.replace("−", "-"))),
  ]);
}"""


def lessons_of(page):
    """The numbers and the words of each lesson, by its name."""
    for lesson in LESSONS:
        picture = page.locator(f".rg-learn__picture[data-lesson={lesson}][aria-busy=false]")
        picture.locator("table, svg, canvas").first.wait_for()
        page.locator(".rg-learn__picture [aria-busy=true]").wait_for(state="detached")
        yield lesson, page.evaluate(NUMBERS), page.locator(".rg-learn__readout").inner_text()
        if lesson != LESSONS[-1]:
            page.get_by_role("button", name="next →").click()


def test_every_lesson_shows_in_the_file_what_it_shows_in_the_studio(open_page, file):
    path = f"?learn={LESSONS[0]}"
    pages = open_page(path, server=file, offline=True), open_page(f"/{path}")
    for (lesson, own, read), (_, expected, read_there) in zip(*map(lessons_of, pages), strict=True):
        assert [says for says, _ in own] == [says for says, _ in expected], lesson
        assert read == read_there
        trained = lesson in ("qkv", "heads", "block", "layers", "cross", "next", "yours")
        numbers, there = ([x for _, numbers in each for x in numbers] for each in (own, expected))
        largest = max((abs(x) for x in there if np.isfinite(x)), default=0)
        # Of the model, weights are rounded to int8; words' vectors are as they are.
        atol = (0.03 if trained else 1e-6) * largest
        np.testing.assert_allclose(numbers, there, rtol=0, atol=atol, err_msg=lesson)


def test_why_a_word_was_written_is_answered_without_a_server(open_page, file, trace):
    page = open_page(
        server=file, path=f"?model=en-de&text={TEXT}&view=sentence&drawer=why&step=6", offline=True
    )
    why = page.get_by_role("region", name="why this word")
    table = why.get_by_role("region", name="tokens by measure")
    table.wait_for()
    expect(table.get_by_role("row")).to_have_count(1 + len(trace.axes["source"].tokens))
    *_, gradient, _, hidden = trace.measures([6])[0].measures
    head = table.get_by_role("columnheader").filter(has_text="gradient × input")
    correlation = re.search(r"ρ (\d\.\d+)", head.inner_text())
    assert abs(float(correlation[1]) - gradient.correlation) < 0.05
    loss = -min(hidden.values)
    token = trace.axes["source"].tokens[hidden.values.index(-loss)].lstrip("▁")
    said = re.compile(f"Without {token}, Tee would be (\\d+) percentage points less likely.")
    points = int(said.search(why.inner_text())[1])
    assert abs(points - 100 * loss) < 3
    lens = trace.lens(6)
    rungs = why.get_by_role("region", name="logit lens").locator(".rg-why__rung")
    expect(rungs).to_have_count(len(lens.layers))
    expect(rungs.last).to_contain_text("rank 1")
    heads = why.get_by_role("region", name="layers by heads").get_by_role("button")
    expected = [each.value for each in trace.attribution(6).contributions if each.head is not None]
    numbers = [float(each.replace("−", "-")) for each in heads.all_inner_texts()]
    assert np.abs(np.subtract(sorted(numbers), sorted(expected))).max() < 0.2


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """The address of a page with a classifier, an encoder and a language model."""
    path = tmp_path_factory.mktemp("page") / "kinds.html"
    return live_page(["emotions", "minilm", "shakespeare"]).write(path).as_uri()


def test_a_classifier_an_encoder_and_a_language_model_answer_in_one_file(open_page, kinds):
    text = "i feel so lonely since my friends have gone"
    page = open_page(server=kinds, path=f"?model=emotions&text={text}", offline=True)
    label = regard.load("emotions")(text)
    expect(page.locator(".rg-labels strong")).to_contain_text(label)
    model = page.get_by_label("model", exact=True)
    model.select_option("minilm")
    nearest = regard.load("minilm").trace(text).nearest[0].text
    expect(page.locator(".rg-labels strong")).to_contain_text(nearest)
    model.select_option("shakespeare")
    page.locator("[data-word]").first.wait_for()
    expect(page.locator(".rg-labels")).to_have_count(0)
    assert page.get_by_role("alert").count() == 0


# Each token takes the worker of a page so long.
SLOWLY = """
const Plain = Blob;
const before = `let now = 0; performance.now = () => (now += 100);
  const later = setTimeout; self.setTimeout = (run) => later(run, 200);`;
window.Blob = class extends Plain {
  constructor(parts, how) {
    super(how?.type === "text/javascript" ? [before, ...parts] : parts, how);
  }
};
"""


def test_words_are_shown_as_they_are_written_until_another_text_or_escape_stops_them(
    open_page, kinds
):
    page = open_page(server=kinds, path="", offline=True, new=True)
    page.add_init_script(SLOWLY)
    page.goto(f"{kinds}?model=shakespeare&text=ROMEO:&generate=6")
    text, written = page.get_by_label("text", exact=True), page.locator(".rg-progress__written")
    written.wait_for()
    so_far = written.inner_text()
    expect(written).not_to_have_text(so_far)
    assert written.inner_text().startswith(so_far)
    written.wait_for(state="detached")
    page.wait_for_url("**&head=*")
    address = page.url
    text.fill("JULIET:")
    text.press("Enter")
    written.wait_for()
    page.keyboard.press("Escape")
    written.wait_for(state="detached")
    expect(page.get_by_role("button", name="look", exact=True)).to_be_enabled()
    assert page.url == address
    for asked in ("KING:", "QUEEN:"):
        text.fill(asked)
        text.press("Enter")
        written.wait_for()
    written.wait_for(state="detached")
    page.wait_for_url("**QUEEN**")
