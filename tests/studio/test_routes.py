"""The server's answers are the trace's numbers; mistakes are sentences."""

import io
import json
import math
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

import regard
from regard.inspection import thumbnails

CROSS = "decoder.layers.1.cross"
SELF = "decoder.layers.1.self"
JSON = {"Content-Type": "application/json"}


def numbers(answer):
    shape = [int(size) for size in answer.headers["x-regard-shape"].split(",")]
    return np.frombuffer(answer.content, "<f4").reshape(shape)


def of_tile(client, **asked):
    answer = client.get("/api/traces/given/tile", params=asked)
    assert answer.status_code == 200, answer.text
    return answer


def test_the_models_are_those_given(client):
    (model,) = client.get("/api/models").json()
    assert (model["name"], model["task"], model["max_tokens"]) == ("en-de", "translation", 511)
    assert model["description"] == "en → de, 6 + 2 layers, 4 heads"


def test_a_given_trace_is_listed_and_described(client, trace):
    assert client.get("/api/traces").json()[0] == {
        "id": "given", "model": "en-de", "text": trace.text, "request": None, "pinned": True,
    }  # fmt: skip
    found = client.get("/api/traces/given").json()
    assert [tap["name"] for tap in found["taps"]] == list(trace)
    tap = next(tap for tap in found["taps"] if tap["name"] == CROSS)
    assert (tap["rows"], tap["columns"]) == (trace[CROSS].rows, trace[CROSS].columns)
    assert (tap["score"], tap["quantities"]) == ("q·k / √64", ["weight", "norm", "score"])
    assert found["axes"]["source"]["tokens"] == trace.axes["source"].tokens
    assert found["receipt"]["difference"] == trace.receipt.difference
    assert found["can_ablate"] is True
    assert len(found["generation"]["hypotheses"]) == 3


def test_a_tile_is_the_taps_weights_to_the_bit(client, trace):
    answer = of_tile(client, tap=CROSS, head=3, row=2, column=1, height=5, width=3)
    assert answer.headers["x-regard-origin"] == "2,1"
    assert answer.headers["x-regard-dtype"] == "float32"
    assert answer.headers["content-type"] == "application/octet-stream"
    assert "content-encoding" not in answer.headers
    exact = trace[CROSS].weights(3, slice(2, 7), slice(1, 4))
    assert np.array_equal(numbers(answer), exact.numpy())


def test_what_the_mask_forbids_is_nan(client, trace):
    values = numbers(of_tile(client, tap=SELF, head=0))
    rows, columns = np.indices(values.shape)
    assert np.array_equal(np.isnan(values), columns > rows)
    seen = ~np.isnan(values)
    assert np.array_equal(values[seen], trace[SELF].weights(0).numpy()[seen])


def test_norms_and_scores_can_be_had_instead_of_weights(client, trace):
    norms = numbers(of_tile(client, tap=CROSS, head=1, quantity="norm"))
    np.testing.assert_allclose(norms, trace[CROSS].norms(1).numpy(), rtol=1e-6)
    scores = numbers(of_tile(client, tap=CROSS, head=1, quantity="score"))
    assert np.array_equal(scores, trace[CROSS].scores(1).numpy())


def test_the_mean_over_heads_and_a_coarser_level(client, trace):
    values = numbers(of_tile(client, tap=CROSS, head="mean", level=1))
    exact = trace[CROSS].weights().mean(0).numpy()
    blocks = [[exact[i : i + 2, j : j + 2].max() for j in range(0, exact.shape[1], 2)]
              for i in range(0, exact.shape[0], 2)]  # fmt: skip
    np.testing.assert_allclose(values, blocks, rtol=1e-6)


def test_words_have_the_sum_over_columns_and_the_mean_over_rows(client, trace):
    values = numbers(of_tile(client, tap=CROSS, head=2, group="word"))
    weights = trace[CROSS].weights(2)
    queries, keys = trace.axes["target"].words, trace.axes["source"].words
    expected = [[float(weights[a:b, c:d].sum(1).mean()) for c, d in keys] for a, b in queries]
    np.testing.assert_allclose(values, expected, rtol=1e-5)


def test_thumbnails_are_a_picture_of_each_head(client, trace):
    answer = client.get("/api/traces/given/thumbnails", params={"tap": CROSS, "size": 7})
    pictures = numbers(answer)
    assert pictures.shape[0] == 4
    assert max(pictures.shape[1:]) <= 7
    assert np.array_equal(pictures, thumbnails(trace[CROSS], 7)[0])


def test_a_summary_says_what_heads_are_like(client, trace):
    found = client.get("/api/traces/given/summary", params={"tap": CROSS}).json()
    weights = trace[CROSS].weights().double()
    entropy = torch.special.entr(weights).sum(-1).mean(-1) / np.log(2)
    assert [head["distance"] for head in found["heads"]] == [None] * 4  # between two sequences
    for head, expected in zip(found["heads"], entropy.tolist(), strict=True):
        assert head["entropy"] == pytest.approx(expected, rel=1e-5)
    own = client.get("/api/traces/given/summary", params={"tap": SELF}).json()
    assert all(head["distance"] >= 0 for head in own["heads"])


def test_a_cell_has_every_number_behind_its_weight(client, trace):
    asked = {"tap": CROSS, "head": 2, "query": 4, "key": 3}
    cell = client.get("/api/traces/given/cell", params=asked).json()
    tap = trace[CROSS]
    query, key = np.array(cell["query_vector"]), np.array(cell["key_vector"])
    assert np.array_equal(query, tap.query[0, 2, 4].double().numpy())
    assert cell["dot"] == pytest.approx(query @ key)
    assert cell["scale"] == 1 / 8
    assert cell["score"] == pytest.approx(cell["dot"] * cell["scale"], rel=1e-5)
    assert cell["weight"] == pytest.approx(np.exp(cell["score"] - cell["lse"]), rel=1e-5)
    assert cell["weight"] == pytest.approx(float(tap.weights(2)[4, 3]), rel=1e-6)
    assert cell["norm"] == pytest.approx(cell["weight"] * cell["value_norm"])
    assert (cell["allowed"], cell["bias"]) == (True, None)
    assert cell["query_token"] == trace.axes["target"].tokens[4]
    shown = sum(look["weight"] for look in cell["row"])
    assert shown + cell["row_rest"] == pytest.approx(1, abs=1e-5)
    row = tap.row(2, 4)
    assert [look["position"] for look in cell["row"]] == row.argsort(descending=True)[:10].tolist()
    assert cell["column"][0]["weight"] == pytest.approx(float(tap.column(2, 3).max()), rel=1e-6)


def test_a_cell_that_the_mask_forbids_has_a_score_and_no_weight(client):
    asked = {"tap": SELF, "head": 0, "query": 2, "key": 5}
    cell = client.get("/api/traces/given/cell", params=asked).json()
    assert (cell["allowed"], cell["weight"]) == (False, 0)
    assert np.isfinite(cell["score"])


def test_looks_are_the_largest_of_a_row_or_a_column(client, trace):
    asked = {"tap": SELF, "head": "mean", "query": 3, "k": 3}
    looks = client.get("/api/traces/given/looks", params=asked).json()
    row = trace[SELF].weights().mean(0)[3]
    assert [look["position"] for look in looks["looks"]] == row.topk(3).indices.tolist()
    assert looks["rest"] == pytest.approx(float(1 - row.topk(3).values.sum()), abs=1e-6)
    asked = {"tap": SELF, "head": 0, "key": 3, "k": 99}
    looks = client.get("/api/traces/given/looks", params=asked).json()["looks"]
    rows = trace[SELF].rows
    assert sorted(look["position"] for look in looks) == list(range(3, rows))  # from there on


@pytest.mark.parametrize("sink", [True, False])
def test_heads_are_ranked_by_what_they_give_from_one_word_to_another(client, trace, sink):
    """Of the layers that compare the same two texts, whichever of them is named."""
    asked = {"tap": CROSS, "query": 7, "key": 6, "count": 3, "sink": sink}
    looks = client.get("/api/traces/given/between", params=asked).json()
    weights = {
        (tap.name, head): float(row[6] if sink else row[6] / row[1:].sum())
        for tap in trace.values()
        if tap.kind == "cross"
        for head, row in enumerate(tap.weights()[:, 7])
    }
    best = sorted(weights, key=lambda place: -weights[place])[:3]
    assert [(look["tap"], look["head"]) for look in looks] == best
    assert [look["weight"] for look in looks] == pytest.approx(
        [weights[each] for each in best], rel=1e-4
    )


def test_without_the_sink_the_first_key_has_no_weight(client):
    asked = {"tap": CROSS, "query": 7, "key": 0, "sink": False}
    looks = client.get("/api/traces/given/between", params=asked).json()
    assert {look["weight"] for look in looks} == {0}


def test_switching_a_head_off_changes_the_output(client):
    asked = {"what": "head", "tap": CROSS, "head": 1, "step": 2}
    found = client.post("/api/traces/given/ablate", json=asked).json()
    assert found["step"] == 2
    assert found["delta"] == pytest.approx(found["after"] - found["before"])
    assert found["delta"] != 0


def test_a_text_is_traced_once_and_found_by_its_id(client):
    asked = {"model": "en-de", "text": "Good morning, everyone.", "num_beams": 2}
    first = client.post("/api/traces", json=asked)
    assert first.status_code == 200
    found = first.json()
    assert client.post("/api/traces", json=asked).json() == found
    assert client.get(f"/api/traces/{found['id']}").json() == found
    other = client.post("/api/traces", json={**asked, "hypothesis": 1}).json()
    assert other["id"] != found["id"]
    assert other["generation"]["shown"] == 1


def test_a_trace_is_listed_with_the_request_that_makes_it_again(client):
    asked = {"model": "en-de", "text": "A cat sleeps.", "num_beams": 2, "without": ["1"]}
    id = client.post("/api/traces", json=asked).json()["id"]
    listed = {each["id"]: each["request"] for each in client.get("/api/traces").json()}
    assert {name: listed[id][name] for name in asked} == asked
    assert client.post("/api/traces", json=listed[id]).json()["id"] == id
    assert listed["given"] is None  # the server was passed it


def test_a_model_is_listed_with_its_own_options(client):
    (model,) = client.get("/api/models").json()
    own = regard.load("en-de").generation
    assert model["options"] == {
        "num_beams": own.num_beams, "temperature": 1, "top_k": 50, "top_p": 1, "seed": 0,
        "sentence": 1,
    }  # fmt: skip


def test_a_model_decodes_by_its_own_settings_unless_a_request_says_otherwise(client):
    own = regard.load("en-de").generation.num_beams
    found = client.post("/api/traces", json={"model": "en-de", "text": "Good evening."}).json()
    assert len(found["generation"]["hypotheses"]) == own


def test_words_that_are_struck_out_are_part_of_the_request(client):
    asked = {"model": "en-de", "text": "I drink my tea.", "num_beams": 1}
    whole = client.post("/api/traces", json=asked).json()
    without = client.post("/api/traces", json={**asked, "without": ["2"]}).json()
    assert without["id"] != whole["id"]
    assert without["notes"][-1] == "struck out: no other position sees “my”"
    reliance = client.get(f"/api/traces/{whole['id']}/reliance").json()
    assert [[each["first"], each["end"]] for each in reliance] == whole["axes"]["source"]["words"]
    assert all(each["change"] < 0.5 for each in reliance)
    across = client.get(f"/api/traces/{whole['id']}/reliance?way=across").json()
    assert across != reliance
    assert {len(each["changes"]) for each in across} == {len(whole["generation"]["steps"])}
    refused = client.post("/api/traces", json={**asked, "without": ["99"]})
    assert refused.status_code == 400
    assert refused.json()["detail"].startswith("positions of source must be from 0 to ")


def test_heads_and_edges_that_are_off_are_part_of_the_request(client):
    asked = {"model": "en-de", "text": "I drink my tea.", "num_beams": 1}
    whole = client.post("/api/traces", json=asked).json()
    first = CROSS.replace("1", "0")
    heads = [f"{tap}:{head}" for tap in (CROSS, first) for head in range(4)]
    parts = [*heads, f"{SELF}:0:3:1"]
    without = client.post("/api/traces", json={**asked, "without": parts}).json()
    assert (whole["can_rewrite"], without["can_rewrite"]) == (True, True)
    assert without["notes"][-9] == f"switched off: head 0 of {first}"
    assert without["notes"][-1].endswith(f"in head 0 of {SELF}")
    one, other = (each["generation"]["hypotheses"][0]["text"] for each in (whole, without))
    assert one != other
    refused = client.post("/api/traces", json={**asked, "without": [f"{CROSS}:4"]})
    assert refused.json()["detail"] == f"{CROSS} has heads 0 to 3; got 4."


def test_looks_are_part_of_the_request(client):
    asked = {"model": "en-de", "text": "I drink my tea.", "num_beams": 1}
    whole = client.post("/api/traces", json=asked).json()
    pulled = client.post("/api/traces", json={**asked, "looks": ["1:3"]}).json()
    assert pulled["id"] != whole["id"]
    assert pulled["notes"][-1].endswith(
        "sees “tea” alone, in " + ", ".join(CROSS.replace("1", str(layer)) for layer in range(2))
    )
    first, second = (each["generation"]["steps"] for each in (whole, pulled))
    assert (first[0]["id"], second[1]["token"]) == (second[0]["id"], "▁Tee")
    refused = client.post("/api/traces", json={**asked, "looks": ["tea"]})
    assert refused.status_code == 400
    assert refused.json()["detail"].startswith("a look must be a row and the position")


def test_a_forced_word_is_followed_by_what_the_model_writes_then(client):
    asked = {"model": "en-de", "text": "I drink my tea."}
    steps = client.post("/api/traces", json=asked).json()["generation"]["steps"]
    other = next(each for each in steps[1]["candidates"] if each["id"] != steps[1]["id"])
    beginning = [steps[0]["id"], other["id"]]
    found = client.post("/api/traces", json={**asked, "forced_beginning": beginning}).json()
    forced = found["generation"]["steps"]
    assert [each["id"] for each in forced[:2]] == beginning
    assert forced[1]["probability"] == pytest.approx(other["probability"], rel=1e-4)
    assert found["notes"][1].startswith("forced: the output begins with “Ich ")
    logs = sum(math.log(each["probability"]) for each in forced)
    own = regard.load("en-de").generation
    score = found["generation"]["hypotheses"][0]["score"]
    assert score == pytest.approx(logs / len(forced) ** own.length_penalty, rel=1e-3)


def test_tokens_are_drawn_by_a_seed(client):
    asked = {"model": "en-de", "text": "I drink my tea.", "temperature": 3.0}

    def drawn(seed):
        answer = client.post("/api/traces", json={**asked, "seed": seed}).json()
        return [each["id"] for each in answer["generation"]["steps"]]

    assert drawn(1) == drawn(1) != drawn(2)
    assert drawn(None) == drawn(0)  # without a seed too, a link gives one text


def test_a_saved_trace_is_opened_from_its_bytes(client, trace, tmp_path):
    trace.save(tmp_path / "a.safetensors")
    contents = (tmp_path / "a.safetensors").read_bytes()
    found = client.post("/api/files", content=contents).json()
    assert (found["text"], found["can_ablate"]) == (trace.text, False)
    tile = {"tap": CROSS, "head": 1}
    one, other = (
        client.get(f"/api/traces/{id}/tile", params=tile).content for id in (found["id"], "given")
    )
    assert one == other
    refused = client.post("/api/files", content=contents[:999])
    assert refused.status_code == 400
    assert refused.json()["detail"].startswith("this file is not a complete safetensors file")


def test_a_translation_can_be_given(client):
    asked = {"model": "en-de", "text": "Good morning.", "target": "Guten Abend."}
    found = client.post("/api/traces", json=asked).json()
    assert found["generation"]["hypotheses"][0]["text"] == "Guten Abend."


def test_exports_hold_the_same_numbers(client, trace):
    asked = {"tap": CROSS, "head": 1, "row": 2, "height": 3, "quantity": "norm"}
    answer = client.get("/api/traces/given/export.npz", params=asked)
    assert answer.headers["content-disposition"] == 'attachment; filename="regard.npz"'
    kept = np.load(io.BytesIO(answer.content))
    norms = trace[CROSS].norms(1, slice(2, 5)).numpy()
    np.testing.assert_allclose(kept["values"], norms, rtol=1e-6)
    assert kept["rows"].tolist() == trace.axes["target"].tokens[2:5]
    assert (kept["origin"].tolist(), str(kept["quantity"])) == ([2, 0], "norm")


MISTAKES = [
    ("/api/traces/none", 404, "there is no trace 'none' here any more; trace the text again."),
    ("/api/traces/given/summary?tap=x", 400, "tap must be one of encoder.layers.0.self"),
    (f"/api/traces/given/tile?tap={CROSS}&head=4", 400, f"{CROSS} has heads 0 to 3; got 4."),
    (f"/api/traces/given/tile?tap={CROSS}&head=-1", 422, "head: "),
    (f"/api/traces/given/tile?tap={CROSS}&head=0&row=99", 400, "row must be from 0 to "),
    (f"/api/traces/given/tile?tap={CROSS}&head=0&level=41", 400, "level must be from 0"),
    (f"/api/traces/given/tile?tap={CROSS}&head=0&height=0", 422, "height: "),
    (f"/api/traces/given/tile?tap={CROSS}&head=0&every=3", 400, "every must be a power of two"),
    (f"/api/traces/given/tile?tap={CROSS}&head=0&quantity=x", 422, "quantity: "),
    (f"/api/traces/given/tile?tap={CROSS}", 422, "head: field required."),
    (f"/api/traces/given/thumbnails?tap={CROSS}&size=0", 422, "size: "),
    (f"/api/traces/given/cell?tap={CROSS}&head=0&query=99&key=0", 400, "query must be from 0"),
    (f"/api/traces/given/cell?tap={CROSS}&head=mean&query=0&key=0", 400, "the numbers behind"),
    (f"/api/traces/given/looks?tap={CROSS}&head=0", 400, "give either a query"),
    (f"/api/traces/given/between?tap={CROSS}&query=999&key=0", 400, "query must be"),
    (f"/api/traces/given/export.npz?tap={CROSS}&head=0&row=99", 400, "an export has from 1 to"),
    ("/api/nothing", 404, "there is nothing at /api/nothing; the page is at /."),
]  # fmt: skip


@pytest.mark.parametrize(("path", "status", "begins"), MISTAKES)
def test_a_mistake_is_a_sentence(client, path, status, begins):
    answer = client.get(path)
    detail = answer.json()["detail"]
    assert (answer.status_code, detail[: len(begins)]) == (status, begins)
    assert detail.endswith(".")
    assert "\n" not in detail


REFUSED = [
    ({"model": "en-fr", "text": "a"}, "model must be one of en-de; got 'en-fr'."),
    ({"model": "../shipped/en-de", "text": "a"}, "model must be one of en-de"),
    ({"model": "en-de", "text": " \n"}, "there is no text to look at; write a sentence."),
    ({"model": "en-de", "text": "a", "target": " "}, "the target is empty"),
    ({"model": "en-de", "text": "a " * 600}, "a text may have 511 tokens with en-de; got 600."),
    ({"model": "en-de", "text": "a" * 40_000}, "en-de takes 511 tokens; a text of 40,000 char"),
    ({"model": "en-de", "text": "\ud800 dog"}, "the text is not valid Unicode: it has the lone"),
    ({"model": "en-de", "text": "a", "target": "\udfff"}, "the target is not valid Unicode"),
    ({"model": "\ud800", "text": "a"}, "model must be one of en-de"),
    ({"model": "en-de", "text": "a", "num_beams": 0}, "num_beams must be from 1 to 64; got 0."),
    ({"model": "en-de", "text": "a", "hypothesis": 9}, "the search found hypotheses 0 to 4"),
    ({"model": "en-de"}, "text: field required."),
    ({"model": "en-de", "text": "a", "temperature": -1}, "temperature must be above 0"),
    ({"model": "en-de", "text": "a", "seed": 1, "num_beams": 4}, "do_sample=True needs num_beams"),
    ({"model": "en-de", "text": "a", "forced_beginning": [10**6]}, "forced_beginning must be"),
    (
        {"model": "en-de", "text": "a", "target": "b", "seed": 1},
        "a target leaves nothing to search",
    ),
    ({"model": "en-de", "text": "a", "generate": 4}, "en-de does not take `generate` when it is"),
]


@pytest.mark.parametrize(("asked", "begins"), REFUSED)
def test_what_cannot_be_traced_is_refused_with_a_sentence(client, asked, begins):
    escaped = json.dumps(asked)  # half a surrogate pair too, as a page's JSON.stringify does
    answer = client.post("/api/traces", content=escaped, headers=JSON)
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"].startswith(begins)


def test_what_is_not_there_cannot_be_switched_off(client):
    asked = {"what": "edge", "tap": CROSS, "head": 0, "query": 99, "key": 0, "step": 0}
    answer = client.post("/api/traces/given/ablate", json=asked)
    assert (answer.status_code, answer.json()["detail"][:22]) == (400, "query must be from 0 t")


def test_a_request_that_is_given_up_leaves_the_queue(client):
    """A page that traces while the user types must not make later texts wait for earlier ones."""
    import asyncio

    from starlette.exceptions import HTTPException

    from regard.studio.routes import in_turn

    library = client.app.state.library
    busy, ran = threading.Event(), []
    first = library.models_thread.submit(busy.wait, 90)

    class Gone:
        async def receive(self):
            return {"type": "http.disconnect"}

    async def give_up():
        await in_turn(Gone(), library.models_thread, lambda: ran.append("given up"))

    # On a thread of its own: in this one, tests in a browser leave an event loop running.
    with ThreadPoolExecutor(1) as other, pytest.raises(HTTPException):
        other.submit(lambda: asyncio.run(give_up())).result(timeout=60)  # the first is not done
    busy.set()
    assert first.result(timeout=60)
    library.models_thread.submit(lambda: ran.append("next")).result(timeout=60)
    assert ran == ["next"]


def test_a_trace_that_is_given_up_stops_between_two_layers(client, monkeypatch):
    """The model's thread is free for the next text, and nothing is kept of the one given up."""
    import asyncio

    from regard.engine.native import keeping as module
    from regard.progress import Stopped, Work, current
    from regard.studio.requests import TraceRequest
    from regard.studio.routes import in_turn

    library, seen, job_of, layers = client.app.state.library, [], [], []
    wanted = TraceRequest("en-de", "A text that is given up.")
    check = module.check

    def slow() -> None:  # called at each layer
        layers.append(1)
        job_of.append(current())
        seen.append(client.get("/api/working").json())
        gone.set()
        assert job_of[0]._stop.wait(60)
        check()

    monkeypatch.setattr(module, "check", slow)
    monkeypatch.setattr(module, "BLOCK", 1)  # so that each layer asks for another
    gone = threading.Event()

    class Page:
        async def receive(self):
            await asyncio.to_thread(gone.wait)
            return {"type": "http.disconnect"}

    def trace():
        with pytest.raises(Stopped):
            library.trace(wanted)
        raise Stopped

    with ThreadPoolExecutor(1) as other, pytest.raises(Exception, match="client has gone"):
        other.submit(lambda: asyncio.run(in_turn(Page(), library.models_thread, trace))).result(90)
    library.models_thread.submit(int).result(60)
    assert len(layers) == 1
    assert isinstance(job_of[0], Work)
    assert (seen[0]["text"], seen[0]["stage"]) == (wanted.text, "capturing attention")
    assert client.get("/api/working").json() is None
    assert wanted.id not in [each.id for each in library.listed()]


def test_a_trace_is_by_text_where_model_and_text_ask_for_it_again(client):
    made = client.post("/api/traces", json={"model": "en-de", "text": "A dog runs."}).json()["id"]
    other = {"model": "en-de", "text": "A dog runs.", "hypothesis": 1}
    second = client.post("/api/traces", json=other).json()["id"]
    found = [client.get(f"/api/traces/{id}").json()["by_text"] for id in (made, second, "given")]
    assert found == [True, False, False]
