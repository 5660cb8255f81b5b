"""What is exported: arrays, figures, the one-file page, and the page in a notebook."""

import re
from pathlib import Path

import numpy as np
import pytest

from regard.studio.export import to_html

TEXT = "I would like to drink a cup of tea with my friends."
CROSS = "decoder.layers.2.cross"
# What a notebook gives the widget: an element, and a model that carries messages to the kernel.
NOTEBOOK = """async (query) => {
  const { default: widget } = await import("/regard.js");
  const captured = new Set();
  const say = (content, buffers) => captured.forEach((each) => each(content, buffers));
  const traits = { query, height: 700, abilities: { trace: false, ablate: true, export: false } };
  const model = {
    get: (name) => traits[name],
    on: (event, callback) => captured.add(callback),
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
            page.get_by_text(re.compile(kind, re.I)).first.click()
        return Path(found.value.path())

    return download


def test_what_is_exported_is_what_is_shown(export, trace):
    with np.load(export("npz")) as stored:
        values = stored["values"]
    np.testing.assert_allclose(values, trace[CROSS].weights(1).numpy(), atol=1e-6)


def test_the_figure_is_an_svg_with_the_words(export):
    text = export("svg").read_text(encoding="utf-8")
    assert text.lstrip().startswith("<?xml")
    assert "Freunden" in text


def test_one_file_opens_without_a_network(open_page, ready, read_focus, trace, tmp_path):
    assert to_html(trace, tmp_path / "page.html") == []
    query = f"?tap={CROSS}&head=1&focus=7,10"
    page = open_page(query, server=(tmp_path / "page.html").as_uri(), offline=True)
    ready(page)
    assert read_focus(page, 7, 10) == pytest.approx(float(trace[CROSS].weights(1)[7, 10]), rel=1e-6)
    page.keyboard.press("e")
    page.get_by_label("the weight, step by step").wait_for()


def test_a_notebook_shows_the_same_number(open_page, ready, read_focus, address, trace):
    page = open_page()
    asked = {"model": "en-de", "text": TEXT}
    id = page.request.post(f"{address}/api/traces", data=asked).json()["id"]
    # Another page, at the server's address so that its messages may be carried.
    cell = "<!doctype html><link rel=stylesheet href=/regard.css><h1>notes</h1><div id=cell></div>"
    page.route("**/notebook", lambda route: route.fulfill(body=cell, content_type="text/html"))
    page.goto(f"{address}/notebook")
    page.evaluate(NOTEBOOK, f"trace={id}&tap={CROSS}&head=1&focus=7,10")
    ready(page)
    assert read_focus(page, 7, 10) == pytest.approx(float(trace[CROSS].weights(1)[7, 10]), rel=1e-6)
    assert page.url.endswith("/notebook")  # the address bar is the notebook's own
    page.keyboard.press("e")
    page.get_by_label("switch off").wait_for()
    page.keyboard.press("a")
    page.get_by_label("switch off").get_by_text("Δ").wait_for()
