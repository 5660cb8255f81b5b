"""The lessons: what stands on the screen is what `attend` computes, and the road can be walked."""

import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import torch

import regard
from regard.attention import Causal, cosine, gaussian, scaled, scaled_dot
from regard.course.words import load_vectors
from regard.studio.export import to_html

LESSONS = (
    "words", "average", "alike", "softmax", "scale", "qkv", "heads", "order", "masks", "similarity",
    "block", "layers", "cross", "next", "training", "yours",
)  # fmt: skip
SENTENCE = "money in the bank and water in the river"
WORDS = SENTENCE.split()


@pytest.fixture
def learn(open_page):
    """Opens a lesson and waits for its picture."""

    def open_(lesson: str, *, width: int = 1280, height: int = 800, scheme: str = "light", **query):
        path = "/?" + urlencode({"learn": lesson, **query})
        page = open_page(path, width=width, height=height, scheme=scheme)
        drawn(page, lesson)
        return page

    return open_


def drawn(page, lesson: str) -> None:
    picture = page.locator(f".rg-learn__picture[data-lesson={lesson}][aria-busy=false]")
    picture.locator("table, svg, canvas").first.wait_for()


def write(page, sentence: str, word: str) -> None:
    """Writes a sentence and waits until the picture speaks of it."""
    page.get_by_label("your sentence").fill(sentence)
    page.locator(".rg-learn__picture").get_by_text(word, exact=True).first.wait_for()


def result(page, what: str) -> list[float]:
    """Every number of the picture whose description fits, in order."""
    cells = page.locator(".rg-learn__picture [data-says]").evaluate_all(
        "cells => cells.map((cell) => [cell.dataset.says, Number(cell.dataset.value)])"
    )
    return [value for says, value in cells if re.fullmatch(f"{what}: .*", says)]


@pytest.fixture(scope="module")
def x() -> torch.Tensor:
    return torch.from_numpy(load_vectors("words-en").rows(WORDS)).double()


@pytest.mark.parametrize(
    ("query", "score"),
    [
        ({"score": "dot", "temperature": 1}, "dot"),
        ({"score": "scaled_dot", "temperature": 1}, "scaled_dot"),
        ({"score": "scaled_dot", "temperature": 2}, lambda q, k: scaled_dot(q, k) / 2),
        ({"score": "cosine", "temperature": 0.25}, lambda q, k: cosine(q, k) / 0.25),
        ({"score": "gaussian", "temperature": 8}, lambda q, k: gaussian()(q, k) / 8),
        ({"score": "average"}, "average"),
    ],
)
def test_another_sentence_shows_what_attend_computes(learn, x, query, score):
    page = learn("similarity", **query)
    write(page, SENTENCE, "money")
    page.get_by_role("radio", name="bank").click()
    page.locator(".rg-table__row--lit", has_text="bank").wait_for()
    bank = WORDS.index("bank")
    eye = torch.eye(len(WORDS), dtype=torch.float64)
    weights = regard.attend(x, x, eye, score=score)[bank]
    row = page.locator(".rg-attention .rg-table__share[data-value]").evaluate_all(
        "cells => cells.map((cell) => Number(cell.dataset.value))"
    )
    assert row == pytest.approx(weights.tolist(), abs=1e-9)
    output = regard.attend(x, x, x, score=score)[bank]
    assert result(page, r"output of bank, number \d+") == pytest.approx(output.tolist(), abs=1e-9)


def test_the_scale_lesson_shows_the_softmax_with_and_without_the_root(learn, x):
    page = learn("scale", sentence=SENTENCE, word=WORDS.index("river"))
    eye = torch.eye(len(WORDS), dtype=torch.float64)
    for title, score in ((r"softmax\(a·b\)", scaled(1.0)), (r"softmax\(a·b / √\d+\)", scaled_dot)):
        weights = regard.attend(x, x, eye, score=score)[-1]
        shown = result(page, rf"river → \w+: weight, {title}")
        assert shown == pytest.approx(weights.tolist(), abs=1e-9)


def test_a_masked_cell_is_hatched_and_the_others_are_attends(learn, x):
    page = learn("masks", sentence=SENTENCE)
    eye = torch.eye(len(WORDS), dtype=torch.float64)
    weights = regard.attend(x, x, eye, score=lambda q, k: scaled_dot(q, k) / 4, mask=Causal())
    shown = torch.tensor(result(page, r"\w+ → \w+: weight")).view(len(WORDS), -1)
    future = torch.ones_like(shown, dtype=torch.bool).triu(1)
    assert (shown[future] == -torch.inf).all()
    torch.testing.assert_close(shown[~future].double(), weights[~future], atol=1e-6, rtol=0)
    assert page.locator(".rg-matrix__cell--hidden").count() == int(future.sum())


def test_the_picture_of_words_has_their_own_numbers(learn, x):
    page = learn("words", sentence=SENTENCE, head_dim="all")
    shown = torch.tensor(result(page, r"\w+, number \d+: vector")).view(len(WORDS), -1)
    torch.testing.assert_close(shown.double(), x, atol=1e-6, rtol=0)


def test_order_counts_only_with_positions(learn):
    page = learn("order", sentence="the dog bites the man")
    how_far = r"how far the output of \w+ moved"
    assert max(result(page, how_far)) < 1e-12
    page.get_by_role("group", name="positions").get_by_role("button", name="on").click()
    page.locator(
        ".rg-table__share[data-value]:not([data-value='0'])", has_text="0."
    ).first.wait_for()
    drawn(page, "order")
    assert max(result(page, how_far)) > 0.01


def test_the_weighted_values_end_at_the_output(learn):
    page = learn("qkv", sentence=SENTENCE, word=3, projections="random")
    assert page.get_by_text("exact: two dimensions").count() == 2
    ends = page.locator(".rg-arrows__arrow--step .rg-arrows__reach").last.get_attribute("d")
    output = page.locator(".rg-arrows__arrow--output .rg-arrows__reach").get_attribute("d")
    tip = [float(each) for each in ends.split("L")[1].split()]
    assert tip == pytest.approx([float(each) for each in output.split("L")[1].split()], abs=0.01)


def test_pointing_at_a_word_shows_its_row_and_at_a_number_says_it(learn):
    page = learn("alike", sentence=SENTENCE, word=0)
    page.get_by_role("radio", name="river").hover()
    page.locator(".rg-table__row--lit", has_text="river").wait_for()
    page.locator(".rg-attention .rg-table__number[data-says]").first.hover()
    page.locator(".rg-table__row--lit", has_text="money").wait_for()  # back to the chosen one
    told_of = page.locator(".rg-learn__readout")
    told_of.get_by_text(re.compile(r"money → money: score: \d")).wait_for()


def test_a_sentence_without_words_is_refused_beside_it_and_the_picture_stays(
    browser, address
):  # a refused request is logged in the console, which `open_page` would not let pass
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}/?learn=alike")
    drawn(page, "alike")
    field = page.get_by_label("your sentence")
    field.fill("")
    page.locator(".rg-sentence__error", has_text="no word").wait_for()
    assert field.get_attribute("aria-invalid") == "true"
    assert page.locator(".rg-attention tbody tr").count() == 11  # of the sample
    page.get_by_text("still the picture of “the boy eats").wait_for()
    field.fill("the river")
    page.locator(".rg-attention tbody tr").nth(1).wait_for()
    page.locator(".rg-learn__stale").wait_for(state="detached")
    page.locator(".rg-sentence__error:empty").wait_for(state="attached")
    context.close()


def test_a_server_that_has_gone_is_said_and_asked_again(browser, address):
    context = browser.new_context()
    page = context.new_page()
    page.route("**/api/explain", lambda route: route.abort())
    page.goto(f"{address}/?learn=alike")
    picture = page.locator(".rg-learn__picture")
    picture.get_by_text("The server does not respond").wait_for()
    assert "vectors" not in picture.inner_text()
    page.unroute("**/api/explain")
    picture.get_by_role("button", name="try again").click()
    drawn(page, "alike")
    context.close()


def test_next_and_previous_walk_the_whole_road_and_back_goes_back(learn):
    page = learn("words")
    titles = []
    for name in LESSONS:
        drawn(page, name)
        titles.append(page.get_by_role("heading", level=2).inner_text())
        if name != LESSONS[-1]:
            page.get_by_role("button", name="next →").click()
    assert len(set(titles)) == len(LESSONS)
    assert page.get_by_role("button", name="next →").is_disabled()
    page.get_by_role("button", name="previous").click()
    page.get_by_role("heading", name=titles[-2]).wait_for()
    page.go_back()
    page.get_by_role("heading", name=titles[-1]).wait_for()


def test_a_link_holds_the_lesson_and_reset_undoes_it(learn, wait_for_address):
    page = learn("heads", sentence=SENTENCE, word=3, heads=2, projections="random")
    assert page.get_by_label("your sentence").input_value() == SENTENCE
    assert page.get_by_role("radio", name="bank").get_attribute("aria-checked") == "true"
    page.get_by_role("group", name="heads").get_by_role("button", name="8").click()
    wait_for_address(page, "heads", "8")
    page.reload()
    drawn(page, "heads")
    assert page.locator(".rg-headmaps .rg-matrix").count() == 8
    page.get_by_role("button", name="reset").click()
    wait_for_address(page, "heads", None)
    assert parse_qs(urlsplit(page.url).query) == {"learn": ["heads"]}
    page.go_back()
    wait_for_address(page, "heads", "8")


def test_the_keyboard_reaches_everything(learn, wait_for_address):
    page = learn("words")
    page.keyboard.press("]")
    drawn(page, "average")
    assert page.evaluate("document.activeElement.id") == "rg-learn-title"
    page.keyboard.press("[")
    drawn(page, "words")
    page.get_by_role("radio", checked=True).focus()
    page.keyboard.press("ArrowLeft")
    wait_for_address(page, "word", "6")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.tagName") == "INPUT"


def test_learn_is_reached_from_the_inspector_and_left_for_it(open_page, ready, at):
    page = open_page(at(tap="decoder.layers.1.self", head=2))
    ready(page)
    page.get_by_role("button", name="learn", exact=True).click()
    drawn(page, "words")
    page.get_by_role("button", name="inspect", exact=True).click()
    ready(page)
    assert parse_qs(urlsplit(page.url).query)["tap"] == ["decoder.layers.1.self"]
    page.go_back()
    drawn(page, "words")


def test_the_last_lesson_translates_without_a_struck_word_and_opens_the_inspector(
    learn, ready, wait_for_address
):
    page = learn("yours", sentence="a dog runs by the river")
    text = page.locator(".rg-yours__text")
    whole = text.inner_text()
    page.get_by_role("button", name="strike out dog").click(force=True)  # shown under the pointer
    page.locator(".rg-yours__text", has_not_text=whole).wait_for()
    wait_for_address(page, "struck", "1")
    page.locator(".rg-changed").get_by_text("before").wait_for()
    page.reload()
    drawn(page, "yours")
    page.locator(".rg-word--struck", has_text="dog").wait_for()
    assert text.inner_text() != whole
    page.get_by_role("button", name="open in the inspector").click()
    wait_for_address(page, "without", "1")
    wait_for_address(page, "view", "sentence")


def test_an_unknown_word_borrows_a_vector_and_says_so(learn):
    page = learn("alike", sentence="The cat sat on the mat")
    page.get_by_text("“mat” has no vector of its own and borrows that of “meat”").wait_for()
    assert page.locator(".rg-attention tbody tr").count() == 6
    page.get_by_label("your sentence").fill("Starbucks 2024")
    page.locator(".rg-sentence .rg-note:not([role=status], label)", has_text="2024").wait_for()
    assert page.locator(".rg-words__word--unknown").count() == 2
    drawn(page, "alike")


def test_query_key_and_value_have_no_names_before_their_lesson(learn):
    page = learn("words")
    for name in LESSONS[: LESSONS.index("qkv")]:
        drawn(page, name)
        shown = page.locator(".rg-learn__lesson").inner_text().lower()
        assert not re.search(r"\b(query|key|keys|value)\b|q·k", shown), name
        page.keyboard.press("]")


def test_the_softmax_lesson_shows_e_to_the_score_and_its_share(learn, x):
    page = learn("softmax", sentence=SENTENCE, word=3, temperature=8)
    scores = x @ x[3] / 8
    rows = r"bank → \w+: "
    assert result(page, rows + "score") == pytest.approx(scores.tolist(), abs=1e-9)
    assert result(page, rows + "e to the score") == pytest.approx(scores.exp().tolist(), rel=1e-9)
    weights = scores.softmax(0).tolist()
    assert result(page, rows + "weight") == pytest.approx(weights, abs=1e-9)


def test_the_next_word_follows_top_k_and_the_steps_follow_the_arrows(learn, wait_for_address):
    page = learn("next", sentence="I like tea.")
    page.get_by_role("group", name="top-k").get_by_role("button", name="2").click()
    page.get_by_text("2 of 12,000 tokens can be drawn.").wait_for()
    shown = result(page, r".*: chance now")
    assert sum(chance > 0 for chance in shown) == 2
    assert sum(shown) == pytest.approx(1, abs=1e-6)
    page.get_by_role("radiogroup", name="word to write").get_by_role("radio", checked=True).focus()
    page.keyboard.press("ArrowRight")
    wait_for_address(page, "step", "2")


def test_training_is_walked_by_the_keyboard(learn, wait_for_address):
    page = learn("training")
    page.get_by_role("slider", name="step").focus()
    page.keyboard.press("End")
    wait_for_address(page, "moment", "10")
    page.get_by_text("nedrag", exact=True).wait_for()


def test_the_language_is_kept_on_the_road_and_in_the_link(learn, wait_for_address):
    page = learn("words")
    page.get_by_label("language").select_option("de")
    page.get_by_role("heading", name="Wörter werden Vektoren").wait_for()
    wait_for_address(page, "language", "de")
    page.get_by_role("button", name="weiter").click()
    drawn(page, "average")
    page.reload()
    page.get_by_role("heading", name="Der Mittelwert von allem").wait_for()
    assert page.locator(".rg-app").get_attribute("lang") == "de"
    page.get_by_label("Sprache").select_option("hi")
    page.get_by_role("heading", name="सबका औसत").wait_for()


def test_a_page_without_a_server_offers_no_lessons(open_page, trace, tmp_path):
    to_html(trace, tmp_path / "page.html")
    page = open_page("?learn=words", server=(tmp_path / "page.html").as_uri(), offline=True)
    page.locator("canvas.rg-map__canvas[data-ready=true]").first.wait_for()
    assert page.get_by_role("button", name="learn", exact=True).count() == 0


# A width changes the layout, a scheme the colors: neither changes what the other decides.
@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 390),
        ("dark", 1280),
        *(
            pytest.param(scheme, width, marks=pytest.mark.slow)
            for scheme, width in [
                ("dark", 390), ("light", 600), ("dark", 600), ("light", 1280), ("light", 1440),
                ("dark", 1440),
            ]
        ),
    ],
)  # fmt: skip
def test_every_lesson_fits_its_width_and_is_accessible(learn, violations, scheme: str, width: int):
    page = learn("words", scheme=scheme, width=width, heads=8, head_dim="all")
    page.emulate_media(reduced_motion="reduce")  # nothing is measured while it fades in
    said = []
    for name in LESSONS:
        drawn(page, name)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        inner = page.locator(".rg-learn__picture").evaluate("it => it.scrollWidth - it.clientWidth")
        assert inner <= 0, name
        said += [f"{name}: {each}" for each in violations(page)]
        page.keyboard.press("]")
    assert said == []
