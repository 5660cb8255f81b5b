"""Answers of the server for the page's own tests; run as a program, this records them."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.testclient import TestClient

from regard.studio.app import create_app

FILE = Path(__file__).parents[1] / "fixtures/answers.json"
TEXTS = ("A dog runs in the park. It barks.", "A cat runs in the park. It barks.", "It rains.")
TAPS = ("decoder.layers.1.self", "encoder.layers.0.self")
WHOLE = f"tile?height=1024&width=1024&tap={TAPS[0]}"
PARTS = [
    f"tile?tap={TAPS[0]}&head=1&row={int(level == 0 and group != 'sentence')}&height=3&width=5"
    f"&group={group}&level={level}&reduce={reduce}"
    for group in ("token", "word", "sentence")
    for level in (0, 1, 2)
    for reduce in ("max", "mean")
]
QUESTIONS = [
    *PARTS,
    *(f"{WHOLE}&{each}" for each in ("head=1&quantity=norm", "head=1&quantity=score", "head=mean")),
    *(f"cell?tap={TAPS[0]}&head=1&query={query}&key={key}" for query, key in ((5, 3), (2, 6))),
]


def _kept(html: str) -> dict[str, Any]:
    """The numbers of a one-file page, of the taps and the head that are asked about."""
    found = re.search(r'<script type="application/json" id="regard-trace">(.*?)</script>', html)
    assert found
    kept: dict[str, Any] = json.loads(found[1])
    of_head = ("vectors?", "lse?", "value_norms?")
    kept["answers"] = {
        key: answer
        for key, answer in kept["answers"].items()
        if key.endswith(tuple(f"tap={tap}" for tap in TAPS)) and "thumbnails" not in key
        if not key.startswith(of_head) or ("head=1&" in key and key.endswith(TAPS[0]))
        if key.endswith(TAPS[0]) or key.startswith("map?")
    }
    return kept


def record() -> dict[str, Any]:
    app = create_app(["en-de"], {})
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        models = client.get("/api/models").json()
        traces = [
            client.post("/api/traces", json={"model": "en-de", "text": text, "num_beams": 3}).json()
            for text in TEXTS
        ]
        at = f"/api/traces/{traces[0]['id']}/"
        kept = _kept(client.get(f"{at}export.html").text)
        answers: dict[str, Any] = {}
        for question in QUESTIONS:
            answer = client.get(at + question)
            assert answer.status_code == 200, answer.text
            answers[question] = (
                answer.json()
                if question.startswith("cell")
                else {
                    "shape": [int(side) for side in answer.headers["X-Regard-Shape"].split(",")],
                    "f32": base64.b64encode(answer.content).decode(),
                }
            )
    for i, trace in enumerate([*traces, kept["trace"]]):
        trace["id"] = f"recorded-{i % len(traces)}"
    return {"models": models, "traces": traces, "kept": kept, "answers": answers}


def _numbers(answer: Any) -> NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(answer["f32"]), "<f4")


def _same(one: Any, other: Any) -> bool:
    """True if two answers are equal but for the last digits of their numbers."""
    if isinstance(one, dict):
        if "f32" in one:
            return np.allclose(_numbers(one), _numbers(other), atol=1e-4, equal_nan=True)
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return abs(one - other) < 1e-3 if isinstance(one, float) else bool(one == other)


def test_the_server_answers_what_the_tests_of_the_page_have_recorded():
    recorded = json.loads(FILE.read_text("utf-8"))
    for trace in recorded["traces"]:
        assert trace["receipt"]["difference"] < 1e-5
    again = record()
    for part in (again, recorded):
        for trace in [*part["traces"], part["kept"]["trace"]]:
            del trace["receipt"]  # its numbers are rounding errors
    assert _same(again, recorded)


if __name__ == "__main__":
    FILE.write_text(json.dumps(record(), ensure_ascii=False, indent=0) + "\n", "utf-8")
