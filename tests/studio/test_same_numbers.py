"""The exported page, the native engine and torch: the same numbers for the same model."""

import copy
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import regard
from regard.studio.live_model import without_of
from regard.studio.live_page import live_page
from regard.studio.packing import round_weights

ROOT = Path(__file__).parents[2]
BUNDLER = ROOT / "web" / "node_modules" / ".bin" / "rolldown"
TEXTS = [
    "The old man reads a book in the garden.",
    "It is raining, but the children want to go outside.",
    "Could you tell me where the station is?",
]

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not BUNDLER.exists(), reason="needs Node.js and web/'s packages"
)


@pytest.fixture(scope="module")
def answers(tmp_path_factory) -> list[dict]:
    """What the page's engine gives, without its page: `benchmarks/live_engine.ts`."""
    folder = tmp_path_factory.mktemp("live")
    live_page("en-de").write(folder / "live.html")
    source, bundle = ROOT / "benchmarks" / "live_engine.ts", folder / "engine.mjs"
    command = [BUNDLER, source, "--platform", "node", "--format", "esm", "-o", bundle]
    subprocess.run(command, cwd=ROOT / "web", check=True, capture_output=True)
    asked = "".join(json.dumps({"text": text, "num_beams": 5}) + "\n" for text in TEXTS)
    done = subprocess.run(
        ["node", bundle, folder / "live.html"],
        input=asked,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("engine", ["torch", "native"])
def test_the_page_writes_and_looks_as_python_does_with_its_weights(engine, answers):
    translator = copy.deepcopy(regard.load("en-de"))
    round_weights(translator.model, without_of(translator.model.config))
    if engine == "native":
        translator = translator.run_by("native", precision="fp32")
    for text, answer in zip(TEXTS, answers, strict=True):
        trace = translator.trace(text, num_beams=5)
        assert trace.generation.hypotheses[0].text == answer["text"]
        for name, tap in trace.items():
            for head in range(tap.heads):
                expected = np.nan_to_num(np.asarray(tap.weights(head))).ravel()
                found = answer["maps"][f"map?head={head}&quantity=weight&tap={name}"]
                found = np.array([0.0 if value is None else value for value in found])
                assert np.abs(found - expected).max() <= 1e-5, name
