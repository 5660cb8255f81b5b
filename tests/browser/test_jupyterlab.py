"""The page in a real JupyterLab: drawn, used, saved, and opened again without its kernel."""

import base64
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("jupyterlab") is None:
    pytest.skip("these tests drive a JupyterLab: pip install jupyterlab", allow_module_level=True)

pytestmark = pytest.mark.slow  # a JupyterLab

TOKEN = "a-token-of-the-tests"
TEXT = "I would like to drink a cup of tea with my friends."
TRACE = f"import regard\ntrace = regard.load('en-de').trace({TEXT!r})\ntrace"
SHOW = "trace.show('trace=trace&tap=decoder.layers.1.cross&head=1', height=560)"
PROSE = "\n\n".join(f"line {number}" for number in range(20))
CELLS = 4
WIDGET = ".jp-OutputArea-output .regard"
MAP = "canvas.rg-map__canvas"
ROWS, COLUMNS = 14, 14  # with the end
KERNEL_IDLE = """() => {
  const { currentWidget } = window.jupyterapp.shell;
  return currentWidget?.sessionContext?.session?.kernel?.status === "idle";
}"""
KERNEL_OR_DIALOG = """() => document.querySelector(".jp-Dialog")
  || window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel"""
SETTINGS = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}


def cell(source: str, kind: str = "code") -> dict:
    code = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {
        "cell_type": kind,
        "id": f"cell-{len(source)}",
        "metadata": {},
        "source": source,
        **code,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("notebooks")
    python = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [cell(PROSE, "markdown"), cell(TRACE), cell(SHOW), cell(PROSE + "\n", "markdown")]
    notebook = {
        "cells": cells, "metadata": {"kernelspec": python}, "nbformat": 4, "nbformat_minor": 5
    }  # fmt: skip
    (folder / "notes.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def lab(folder, tmp_path_factory) -> Iterator[str]:
    """A JupyterLab on the loopback interface, with settings of its own and no one's home."""
    home = tmp_path_factory.mktemp("home")
    places = {
        f"JUPYTER_{kind}_DIR": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")
    }
    (home / "config" / "labconfig").mkdir(parents=True)
    settings = home / "config" / "labconfig" / "default_setting_overrides.json"
    settings.write_text(json.dumps(SETTINGS), encoding="utf-8")
    env = os.environ | places | {"HOME": str(home), "IPYTHONDIR": str(home / "ipython")}
    options = {
        "ServerApp.ip": "127.0.0.1", "ServerApp.port": 0, "ServerApp.port_retries": 0,
        "ServerApp.root_dir": folder, "IdentityProvider.token": TOKEN,
        "LabApp.expose_app_in_browser": True,
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.extension_manager": "readonly",
    }  # fmt: skip
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"--{name}={value}" for name, value in options.items()]
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(command, env=env, stdout=log, stderr=log, cwd=folder)
    try:
        yield address(server, home)
    finally:
        server.terminate()  # its kernels with it
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()  # a kernel ends by itself when its server has gone
            server.wait()


def address(server: subprocess.Popen, home: Path) -> str:
    """Where the server answers, which it writes down when it does."""
    until = time.monotonic() + 180
    while time.monotonic() < until and server.poll() is None:
        for found in (home / "runtime").glob("jpserver-*.json"):
            text = found.read_text(encoding="utf-8")
            if text.rstrip().endswith("}"):
                return json.loads(text)["url"]
        time.sleep(0.1)
    raise AssertionError((home / "log").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def opened(lab, browser) -> Iterator[Callable[[str], object]]:
    """Opens notebooks, and sees to it that no other machine is asked for anything."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    own = (lab, lab.replace("http", "ws", 1), "data:", "blob:")
    elsewhere: list[str] = []
    context.on("request", lambda asked: asked.url.startswith(own) or elsewhere.append(asked.url))

    def open_(name: str):
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(f"{lab}lab/tree/{name}?token={TOKEN}&reset")
        page.locator(".jp-NotebookPanel .jp-Notebook").wait_for()
        return page

    yield open_
    context.close()
    assert elsewhere == []


def run(page, command: str, **given) -> None:
    """Starts one of JupyterLab's commands."""
    start = "([name, given]) => void window.jupyterapp.commands.execute(name, given)"
    page.evaluate(start, [command, given])


@pytest.fixture(scope="module")
def page(opened):
    """The notebook after all of its cells have run, with both widgets drawn."""
    page = opened("notes.ipynb")
    page.wait_for_function(KERNEL_IDLE)
    run(page, "notebook:run-all-cells")
    for widget, drawn in ((0, ".rg-said"), (1, f"{MAP}[data-ready=true]")):
        page.locator(WIDGET).nth(widget).wait_for(state="attached")
        reveal(page.locator(WIDGET).nth(widget)).locator(drawn).first.wait_for()
    return page


def reveal(widget):
    """Scrolls to it: JupyterLab draws no cell that is out of view."""
    widget.evaluate("each => each.scrollIntoView({ block: 'center' })")
    return widget


@pytest.fixture
def mapped(page):
    """The second widget, which shows a map, in view."""
    return reveal(page.locator(WIDGET).nth(1))


def point_at(page, widget, query: int, key: int) -> dict[str, float]:
    """Where a cell of the map is, by the map's own measure of its rulers."""
    place = widget.locator(MAP).evaluate(
        """(canvas, [query, key, rows, columns]) => {
          const box = canvas.getBoundingClientRect();
          const style = getComputedStyle(canvas.closest(".rg-map"));
          const ruler = (name) => parseFloat(style.getPropertyValue(name));
          const [left, top] = [ruler("--rg-map-left"), ruler("--rg-map-top")];
          const side = Math.min((box.width - left) / columns, (box.height - top) / rows);
          return { x: box.x + left + (key + 0.5) * side, y: box.y + top + (query + 0.5) * side };
        }""",
        [query, key, ROWS, COLUMNS],
    )
    page.mouse.move(place["x"], place["y"])
    return place


def scrolled(page) -> float:
    return page.evaluate("() => document.querySelector('.jp-WindowedPanel-outer').scrollTop")


def test_a_cell_that_ends_in_a_trace_draws_the_page(page):
    assert page.locator(WIDGET).count() == 2
    words = page.locator(WIDGET).first
    assert (
        words.get_by_role("button", name="sentence", exact=True).get_attribute("aria-pressed")
        == "true"
    )
    assert [round(each["height"]) for each in boxes(page)] == [640, 560]
    assert page.locator(".jp-RenderedImage img").count() == 2  # for the saved file
    assert not page.locator(".jp-RenderedImage img").first.is_visible()


def boxes(page) -> list[dict[str, float]]:
    return [each.bounding_box() for each in page.locator(WIDGET).all()]


def test_the_wheel_scrolls_the_notebook_until_a_click(page, mapped):
    before = scrolled(page)
    point_at(page, mapped, 4, 6)
    page.mouse.wheel(0, -60)
    page.wait_for_function(
        "before => document.querySelector('.jp-WindowedPanel-outer').scrollTop < before",
        arg=before,
    )
    reveal(mapped)
    page.mouse.click(**point_at(page, mapped, 4, 6))
    mapped.get_by_role("complementary", name="equation").wait_for()
    before = scrolled(page)
    point_at(page, mapped, 4, 6)
    page.mouse.wheel(0, -60)
    mapped.locator(f"{MAP}[data-ready=true]").wait_for()
    page.wait_for_timeout(300)
    assert scrolled(page) == before
    page.keyboard.press("0")  # the whole map again


def test_a_click_opens_the_drawer_beside_the_map_with_its_labels_in_order(mapped):
    drawer = mapped.get_by_role("complementary", name="equation")
    pair = drawer.locator(".rg-pair")
    assert re.split(r"\n+", pair.inner_text().strip()) == [
        "query 4", "eine", "predicts T", "key 6", "cup"
    ]  # fmt: skip
    sides = [each.bounding_box() for each in pair.locator(".rg-pair__side").all()]
    assert sides[0]["y"] == sides[1]["y"]
    side = pair.locator(".rg-pair__side").first.locator("> *")
    name, token = (side.nth(place).bounding_box() for place in (0, 1))
    assert name["x"] == token["x"]
    assert name["y"] + name["height"] <= token["y"] + 1
    canvas, aside = mapped.locator(MAP).bounding_box(), drawer.bounding_box()
    assert canvas["x"] + canvas["width"] <= aside["x"] + 1


def test_keys_over_the_widget_do_not_reach_the_notebook(page, mapped):
    mapped.locator(MAP).focus()
    for key in ("b", "x", "d", "d", "0", "0", "m", "z"):
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    assert page.locator(".jp-Cell").count() == CELLS
    assert page.locator(".jp-Dialog").count() == 0
    assert page.locator(WIDGET).count() == 2


def test_switching_off_gives_a_number(page, mapped):
    mapped.locator(MAP).focus()
    page.keyboard.press("a")
    changed = mapped.get_by_label("switch off").locator(".rg-change__number")
    changed.wait_for()
    assert re.fullmatch(r"Δ [−+]\d.*", changed.inner_text().strip())


def test_both_widgets_follow_the_theme_of_jupyterlab(page):
    themes = "all => all.map(each => each.dataset.theme)"
    for theme, name in (("JupyterLab Dark", "dark"), ("JupyterLab Light", "light")):
        run(page, "apputils:change-theme", theme=theme)
        page.locator(f"{WIDGET}[data-theme={name}]").nth(1).wait_for()
        assert page.locator(WIDGET).evaluate_all(themes) == [name, name]


@pytest.fixture(scope="module")
def saved(page, folder) -> Path:
    """The notebook's file, saved from inside a widget by the notebook's own keys."""
    path = folder / "notes.ipynb"
    page.locator(f"{WIDGET} {MAP}").focus()
    with page.expect_response(
        lambda answer: answer.request.method == "PUT" and "notes" in answer.url
    ):
        page.keyboard.press("Control+s")
    return path


def test_the_saved_notebook_holds_a_picture_and_says_what_it_is(saved):
    notebook = json.loads(saved.read_text(encoding="utf-8"))
    shown = [cell["outputs"] for cell in notebook["cells"] if cell.get("outputs")]
    assert len(shown) == 2
    for picture, page in shown:
        png = base64.b64decode(picture["data"]["image/png"])
        assert png.startswith(b"\x89PNG")
        assert len(png) < 150_000
        assert list(page["data"]) == ["application/vnd.jupyter.widget-view+json", "text/plain"]
        for output in (picture, page):
            text = "".join(output["data"]["text/plain"])
            assert re.fullmatch(r"<Trace of en-de: 10 attention layers, .* of target>", text)


def test_after_a_restart_of_the_kernel_the_widget_says_what_to_do(page, saved, mapped):
    run(page, "kernelmenu:restart")
    page.locator(".jp-Dialog .jp-mod-accept").click()
    page.locator(".jp-Dialog").wait_for(state="detached")
    page.wait_for_function(KERNEL_IDLE)
    mapped.locator(MAP).focus()
    page.keyboard.press("ArrowRight")
    mapped.get_by_role("alert").get_by_text("run the cell again").first.wait_for()


def test_its_author_opens_it_again_without_the_kernel(page, saved, opened):
    page.close()
    again = opened("notes.ipynb")
    assert_pictured(again)


def test_a_colleague_opens_it_without_a_kernel(saved, opened):
    """Another machine has not signed the file, and has no such kernel."""
    notebook = json.loads(saved.read_text(encoding="utf-8"))
    notebook["metadata"] = {}
    (saved.parent / "colleague.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    page = opened("colleague.ipynb")
    assert_pictured(page)
    assert "Trace of en-de" in page.locator(".jp-RenderedText").first.inner_text()


def assert_pictured(page) -> None:
    """Without a kernel, both pictures are there, in their size on the screen."""
    page.wait_for_function(KERNEL_OR_DIALOG)
    if page.locator(".jp-Dialog").count():
        page.locator(".jp-Dialog button", has_text="No Kernel").click()
    else:  # JupyterLab has started one of its own accord
        page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.sessionContext.session")
    pictures = page.locator(".jp-RenderedImage img")
    pictures.nth(1).wait_for()
    assert [round(each.bounding_box()["width"]) for each in pictures.all()] == [481, 481]
    assert page.locator(WIDGET).count() == 0


def test_other_programs_show_the_picture(saved):
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--stdout", saved.name]
    html = subprocess.run(command, cwd=saved.parent, capture_output=True, text=True, check=True)
    assert html.stdout.count('src="data:image/png;base64,') == 2
    assert " object at 0x" not in html.stdout
