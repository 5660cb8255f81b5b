"""The lessons' route: numbers of attend, geometry on request, mistakes as sentences."""

import json

import numpy as np
import pytest
import torch

from regard import attend
from regard.studio import lessons
from regard.words import WordVectors

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
        ({"text": "bnak"}, 400, "Did you mean 'bank'?"),
        (
            {"text": "bank " * 65},
            400,
            "a lesson shows at most 64 words; this text has 65: shorten it.",
        ),
        ({"text": "b" * 70_000}, 400, "a text may have 65,536 characters here; got 70,000"),
        ({"text": "bank", "spotlight": 1}, 400, "there are tokens 0 to 0; got 1"),
        ({"text": "bank", "spotlight": 0, "head": 1}, 400, "there are heads 0 to 0; got 1"),
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
