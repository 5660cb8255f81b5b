"""The lessons' route: numbers of attend, geometry on request, mistakes as sentences."""

import json

import numpy as np
import pytest
import torch

from regard import attend
from regard.course.words import WordVectors
from regard.studio import lessons
from regard.tasks.loading import load

TEXT = "The old man bought a small red car."
NAMES = ["the", "river", "bank", "grows", "money"]


@pytest.fixture
def ask(client, monkeypatch):
    draw = np.random.default_rng(5)
    words = WordVectors(NAMES, draw.normal(size=(5, 6)).astype(np.float32))
    monkeypatch.setattr(lessons, "_words", lambda: words)

    def post(**request):
        escaped = json.dumps(request)  # half a surrogate pair too
        headers = {"Content-Type": "application/json"}
        answer = client.post("/api/explain", content=escaped, headers=headers)
        return answer.status_code, answer.json()

    post.words = words
    return post


def step(lesson, name):
    return next(each for each in lesson["explanation"]["steps"] if each["name"] == name)


def test_the_numbers_are_attends(ask):
    status, lesson = ask(text="The river bank", score="cosine", temperature=0.5)
    assert status == 200
    assert lesson["geometry"] is None
    x = torch.from_numpy(ask.words.rows(["the", "river", "bank"])).double()
    unit = x / x.norm(dim=-1, keepdim=True)
    expected = attend(unit, unit, x, score=lambda q, k: q @ k.mT / 0.5)
    assert np.allclose(step(lesson, "attended")["values"][0], expected, atol=1e-12)


def test_every_setting_changes_the_numbers(ask):
    plain = ask(text="The river bank grows", head_dim=2)[1]
    for change in (
        {"score": "gaussian"}, {"mask": "causal"}, {"mask": "window", "window": 1},
        {"temperature": 3}, {"heads": 2}, {"head_dim": 4}, {"positions": True},
        {"projections": "random"}, {"start": 1}, {"end": 2},
    ):  # fmt: skip
        status, other = ask(**{"text": "The river bank grows", "head_dim": 2} | change)
        assert status == 200, other
        assert step(other, "residual")["values"] != step(plain, "residual")["values"], change
    causal = ask(text="The river bank grows", mask="window", window=1)[1]
    wider = ask(text="The river bank grows", mask="window", window=2)[1]
    assert step(causal, "masked")["values"] != step(wider, "masked")["values"]


def test_a_spotlight_brings_the_geometry_of_a_head(ask):
    _, lesson = ask(text="river bank", heads=2, head_dim=2, head=1, spotlight=1)
    found = lesson["geometry"]
    assert (found["token"], found["head"], found["spotlight"]) == ("bank", 1, 1)
    assert [plane["name"] for plane in found["planes"]] == ["embeddings", "query and key", "value"]
    assert np.allclose(found["path"][-1], found["planes"][2]["arrows"]["attended"][0])


@pytest.mark.parametrize(
    ("request_", "status", "sentence"),
    [
        ({"text": ""}, 400, "the sentence has no word"),
        (
            {"text": "bank " * 65},
            400,
            "a lesson shows at most 64 words; this text has 65: shorten it.",
        ),
        ({"text": "b" * 70_000}, 400, "a text may have 65,536 characters here; got 70,000"),
        ({"text": "bank", "spotlight": 1}, 400, "there are tokens 0 to 0; got 1"),
        ({"text": "bank", "spotlight": 0, "head": 1}, 400, "there are heads 0 to 0; got 1"),
        (
            {"text": "bank", "projections": "trained", "layer": 6},
            400,
            "there are layers 0 to 5; got 6",
        ),
        (
            {"text": "bank", "projections": "trained", "spotlight": 1},
            400,
            "there are words 0 to 0; got 1",
        ),
        ({"text": "bank", "spotlight": 0, "temperature": 1e-320}, 400, "must be at least 1e-100"),
        ({"text": "\ud800 bank"}, 400, "not valid Unicode: it has the lone surrogate U+D800"),
        ({"text": "bank", "temperature": 0}, 422, "temperature: input should be greater than 0"),
        ({"text": "bank", "score": "dots"}, 422, "score: input should be 'dot', "),
        ({}, 422, "text: field required"),
    ],
)
def test_mistakes_are_sentences(ask, request_, status, sentence):
    got, answer = ask(**request_)
    assert got == status
    assert sentence in answer["detail"]


def test_a_window_of_a_long_text_is_explained(ask):
    status, lesson = ask(text="bank " * 5000 + "river", start=4999)
    assert status == 200
    assert lesson["explanation"]["tokens"] == ["bank", "river"]


def test_an_unknown_word_has_the_vector_of_the_word_that_is_spelled_most_like_it(ask):
    status, lesson = ask(text="the bnak 日本", score="dot")
    assert status == 200
    assert lesson["stand_ins"] == {"bnak": "bank", "日本": None}
    assert lesson["explanation"]["tokens"] == ["the", "bnak", "日本"]
    vectors = step(lesson, "vectors")["values"][0]
    assert np.allclose(vectors[1], ask.words["bank"])
    assert vectors[2] == [0.0] * 6


@pytest.mark.parametrize("text", ["The cat sat on the mat", "Starbucks 2024", "😀 ∑ don’t"])
def test_no_word_of_a_sentence_stops_a_lesson(client, text):
    answer = client.post("/api/explain", json={"text": text, "spotlight": 0})
    assert answer.status_code == 200
    lesson = answer.json()
    assert lesson["words"] == list(range(len(lesson["explanation"]["tokens"])))
    assert lesson["dimensions"] == 40


def test_a_trained_head_has_the_weights_of_the_models_own_trace(client):
    asked = {"text": TEXT.rstrip("."), "projections": "trained", "layer": 2, "head": 2}
    lesson = client.post("/api/explain", json={**asked, "spotlight": 5}).json()
    trace = load("en-de").trace(asked["text"])
    whole = torch.arange(len(trace.axes["source"].tokens))
    weights = trace["encoder.layers.2.self"].tile(2, whole, whole)
    assert np.allclose(step(lesson, "weights")["values"][2], weights, atol=1e-5)
    tokens, words = lesson["explanation"]["tokens"], lesson["words"]
    assert words[-1] is None
    assert tokens[lesson["geometry"]["spotlight"]] == tokens[words.index(5)]
    assert lesson["stand_ins"] == {}


def test_the_head_of_the_lesson_looks_for_the_word_before(client):
    text = "the boy eats an apple and an orange by the river"
    asked = {"text": text, "projections": "trained", "layer": 3}
    lesson = client.post("/api/explain", json=asked).json()
    heads = np.array(step(lesson, "weights")["values"])
    before = np.diagonal(heads, -1, 1, 2)[:, :-1].mean(1)  # without the end of the sentence
    assert before.argmax() == 2
    assert before[2] > 0.7
