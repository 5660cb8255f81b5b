"""The notebook's widget answers as the server does."""

import asyncio
import base64
import io
import json
import threading

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
