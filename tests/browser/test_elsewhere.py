"""What is exported: arrays, figures, the one-file page, and the page in a notebook."""

import io
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from regard.studio.export import to_html

TEXT = "I would like to drink a cup of tea with my friends."
CROSS = "decoder.layers.1.cross"
SVG = "{http://www.w3.org/2000/svg}"
# What a notebook gives the widget: an element, and a model that carries messages to the kernel.
NOTEBOOK = """async (query) => {
  const { default: widget } = await import("/regard.js");
  const captured = new Set();
  const say = (content, buffers) => captured.forEach((each) => each(content, buffers));
  const traits = { query, height: 700, abilities: { trace: false, ablate: true, export: false } };
  const model = {
    get: (name) => traits[name],
    on: (event, callback) => event === "msg:custom" && captured.add(callback),
    off: (event, callback) => captured.delete(callback),
    async send({ id, path, body, cancel }) {
      if (cancel) return;
      const headers = { "Content-Type": "application/json" };
      const post = body && { method: "POST", headers, body: JSON.stringify(body) };
      const answer = await fetch("/api" + path, post || {});
      const shape = answer.headers.get("X-Regard-Shape");
      if (!answer.ok) say({ id, detail: (await answer.json()).detail }, []);
      else if (!shape) say({ id, json: await answer.json() }, []);
      else {
        const buffer = new DataView(await answer.arrayBuffer());
        say({ id, shape: shape.split(",").map(Number) }, [buffer]);
      }
    },
  };
  widget.render({ model, el: document.getElementById("cell") });
}"""


@pytest.fixture
def export(open_page, ready, at):
    def download(kind: str) -> Path:
        page = open_page(at(tap=CROSS, head=1))
        ready(page)
        page.locator("summary", has_text="export").click()
        with page.expect_download() as found:
            page.get_by_role("button", name=re.compile(kind, re.I)).click()
        return Path(found.value.path())

    return download


def test_what_is_exported_is_what_is_shown(export, trace):
    with np.load(export("npz")) as stored:
        values = stored["values"]
    np.testing.assert_allclose(values, trace[CROSS].weights(1).numpy(), atol=1e-6)


# What a picture says: of the map or the sentence, or of the drawer beside it.
VIEWS = {
    "map": ("mit → meinen", {"view": "map"}),
    "lines": ("decoder layer 1, heads 1, 3", {"view": "sentence", "heads": "1,3"}),
    "ribbons": ("meinen", {"view": "sentence"}),
    "word": ("candidates of step 5", {"drawer": "word", "step": 4, "beams": 4}),
    "why": ("direct logit attribution", {"drawer": "why", "step": 4}),
    "pin": ("the two differ in head; one color scale for both", {"other": f"2,{CROSS}"}),
}


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_a_picture_that_any_reader_of_svg_reads(open_page, at, view):
    said, more = VIEWS[view]
    page = open_page(at(tap=CROSS, head=1, **more))
    drawn = page.locator("canvas[data-ready=true]")
    part = ".rg-drawer" if "drawer" in more else "#rg-hero"
    page.locator(part).get_by_text(said).or_(drawn).locator("visible=true").first.wait_for()
    while page.locator(".regard [aria-busy=true]").count():
        page.wait_for_timeout(100)
    page.locator("summary", has_text="export").click()
    with page.expect_download() as download:
        name = "picture of the drawer, SVG" if "drawer" in more else "picture, SVG"
        page.get_by_role("button", name=name).click()
    picture = download.value.path().read_text(encoding="utf-8")
    root = ElementTree.fromstring(picture)
    text = "".join("".join(each.itertext()) for each in root.iter(f"{SVG}text"))
    assert said in text
    assert ("meinen" in text) == (view != "why")
    # Nothing is of this page: no class, no variable, no address.
    assert not re.search(r'class=|var\(|href="(?!data:)|foreignObject', picture)
    used = set(re.findall(r"url\(#([^)]+)\)", picture))
    assert used <= {each.get("id") for each in root.iter()}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_has_the_map_in_the_colors_of_the_screen(open_page, ready, at, scheme):
    page = open_page(at(tap=CROSS, head=1), scheme=scheme)
    ready(page)
    page.locator("summary", has_text="export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="picture, PNG").click()
    made = Image.open(download.value.path()).convert("RGB")
    shown = Image.open(io.BytesIO(page.locator("canvas.rg-map__canvas").screenshot()))
    # Where the canvas begins in the picture: a margin, and over it the title's two lines.
    place = made.resize((made.width // 3, made.height // 3)).crop((16, 42, 16 + 560, 42 + 480))
    difference = np.asarray(place, float) - np.asarray(shown.convert("RGB").crop((0, 0, 560, 480)))
    assert np.abs(difference).mean() < 6
    assert np.asarray(place, float).std() > 20


def test_one_file_opens_without_a_network(open_page, ready, read_focus, trace, tmp_path):
    assert to_html(trace, tmp_path / "page.html") == []
    query = f"?tap={CROSS}&head=1&focus=7,10"
    page = open_page(query, server=(tmp_path / "page.html").as_uri(), offline=True)
    ready(page)
    assert read_focus(page, 7, 10) == pytest.approx(float(trace[CROSS].weights(1)[7, 10]), rel=1e-6)
    page.keyboard.press("e")
    page.get_by_label("the weight, step by step").wait_for()
    page.locator("summary", has_text="export").click()
    pictures = ["picture, SVG", "picture, PNG"]
    of_drawer = [each.replace("picture", "picture of the drawer") for each in pictures]
    assert page.locator(".rg-menu__item").all_inner_texts() == pictures + of_drawer
    with page.expect_download() as download:
        page.get_by_role("button", name="picture, SVG", exact=True).click()
    assert "meinen" in download.value.path().read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def coarse_file(middle_trace, tmp_path_factory) -> str:
    """A file that has no room for single cells."""
    path = tmp_path_factory.mktemp("coarse") / "page.html"
    assert to_html(middle_trace, path, limit_mb=1.0)
    return path.as_uri()


# How JupyterLab styles the lists of definitions in a cell's output.
CELL = """<!doctype html><link rel=stylesheet href=/regard.css>
<style>
  .jp-RenderedHTMLCommon dl dt { float: left; clear: left; padding: 0 0 0 40px; width: 20% }
  .jp-RenderedHTMLCommon dl dd { float: left; margin-left: 40px; width: 80% }
</style>
<h1>notes</h1><div class="jp-RenderedHTMLCommon"><div id=cell></div></div>"""


@pytest.fixture
def notebook(open_page, ready, address):
    """A page at the server's address, so that its messages may be carried, with the widget."""

    def open_(query: str):
        page = open_page()
        asked = {"model": "en-de", "text": TEXT}
        id = page.request.post(f"{address}/api/traces", data=asked).json()["id"]
        page.route("**/notebook", lambda route: route.fulfill(body=CELL, content_type="text/html"))
        page.goto(f"{address}/notebook")
        page.evaluate(NOTEBOOK, f"trace={id}&tap={CROSS}&head=1&{query}")
        ready(page)
        return page

    return open_


@pytest.mark.slow  # JupyterLab itself is in test_jupyterlab.py
def test_a_notebook_shows_the_same_number(notebook, read_focus, trace):
    page = notebook("focus=7,10")
    assert read_focus(page, 7, 10) == pytest.approx(float(trace[CROSS].weights(1)[7, 10]), rel=1e-5)
    assert page.url.endswith("/notebook")  # the address bar is the notebook's own
    page.keyboard.press("e")
    page.get_by_label("switch off").wait_for()
    page.keyboard.press("a")
    page.get_by_label("switch off").get_by_text("Δ").wait_for()


@pytest.mark.slow  # JupyterLab itself is in test_jupyterlab.py
def test_keys_pressed_in_the_widget_do_not_reach_the_notebook(notebook):
    page = notebook("focus=7,10")
    page.evaluate("""() => {
      window.captured = [];
      document.addEventListener("keydown", (event) => window.captured.push(event.key));
    }""")
    page.locator("canvas.rg-map__canvas").focus()
    for key in ("b", "x", "d", "0", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("window.captured") == []
    assert page.locator("#cell").get_attribute("data-lm-suppress-shortcuts") == "true"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("b")
    assert page.evaluate("window.captured") == ["b"]


@pytest.mark.slow  # JupyterLab itself is in test_jupyterlab.py
def test_the_notebooks_styles_do_not_reach_the_drawer(notebook):
    page = notebook("focus=4,6&drawer=cell")
    pair = page.locator(".rg-pair")
    pair.wait_for()
    floats = "all => all.map(each => getComputedStyle(each).float)"
    assert set(pair.locator("*").evaluate_all(floats)) == {"none"}
    query, token = (pair.locator(".rg-pair__side").first.locator("> *").nth(i) for i in (0, 1))
    assert (
        query.bounding_box()["y"] + query.bounding_box()["height"] <= token.bounding_box()["y"] + 1
    )
    assert query.bounding_box()["x"] == token.bounding_box()["x"]


@pytest.mark.parametrize("width", [900, 1440])
def test_a_click_in_a_long_file_leaves_the_map_at_rest(open_page, drawn, coarse_file, width):
    """The legend of a coarse map says more than one line holds, beside an open drawer above all."""
    page = open_page("?head=1", server=coarse_file, offline=True, width=width)
    canvas = drawn(page)
    box = canvas.bounding_box()
    canvas.click(position={"x": box["width"] * 0.3, "y": box["height"] * 0.6})
    page.get_by_role("complementary", name="equation").wait_for()
    page.evaluate(
        """canvas => {
      window.changed = performance.now();
      new MutationObserver(() => (window.changed = performance.now()))
        .observe(canvas, { attributeFilter: ["width", "height", "data-level"] });
    }""",
        canvas.element_handle(),
    )
    page.wait_for_function("() => performance.now() - window.changed > 700")
    middle = "c => [...c.getContext('2d').getImageData(c.width * 0.4, c.height * 0.8, 1, 1).data]"
    assert canvas.evaluate(middle)[:3] != [0, 0, 0]
