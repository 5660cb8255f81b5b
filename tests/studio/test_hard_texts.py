"""Hard texts: the studio and the exported page show what `regard translate` writes."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import regard
from fixtures.hard_texts import TEXTS, rounded
from regard.errors import BadArgumentError
from regard.studio.live_page import live_page

ROOT = Path(__file__).parents[2]
BUNDLER = ROOT / "web" / "node_modules" / ".bin" / "rolldown"
pytestmark = pytest.mark.filterwarnings("ignore:.*seem to be in another language")
NOTHING = "has nothing to translate: it stays as it is."


@pytest.mark.long("300 texts")
@pytest.mark.parametrize("model", TEXTS)
def test_python_writes_what_the_page_is_compared_with(model: str) -> None:
    found = rounded(model)([each["text"] for each in TEXTS[model]], force=True)
    assert found == [each["translation"] for each in TEXTS[model]]


@pytest.mark.long("300 texts")
@pytest.mark.parametrize("model", TEXTS)
def test_a_trace_says_the_sentence_and_its_translation_as_they_are_written(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    translator = rounded(model)
    config, all_looked, expected = translator.configured({}), [], []
    answers: dict[str, str] = {}
    for each in TEXTS[model]:
        if not each["sentences"]:
            with pytest.raises(BadArgumentError, match=NOTHING):
                translator.trace(each["text"])
        for number, sentence in enumerate(each["sentences"], 1):
            all_looked.append(translator.looked_at(each["text"], number, whole=False))
            expected.append(sentence["shown"])
            answers |= zip(sentence["units"], sentence["answers"], strict=True)
    ids = [translator.encode(translator.tidied(looked.text)) for looked in all_looked]
    found = translator._decoded(ids, config, range(len(ids)), 32)
    monkeypatch.setattr(translator, "answers_to", lambda units, _: [answers[u] for u in units])
    for looked, hypotheses in zip(all_looked, found, strict=True):
        looked.written(hypotheses, config)
    assert [looked.texts[0] for looked in all_looked] == expected


@pytest.mark.parametrize(
    "text",
    ["My email is anna@example.org.", "I ❤️ you.", "Where is the <b>station</b>?", "Hello 👋",
     "PLEASE CLOSE THE DOOR.", "See %s or {file}: it costs $20."],
)  # fmt: skip
def test_no_stand_in_is_a_label_of_a_trace(text: str) -> None:
    translator = regard.load("en-de")
    trace = translator.trace(text)
    source, target = trace.axes["source"].tokens, trace.axes["target"].tokens
    spelled = ["".join(each).replace("▁", " ").split() for each in (source[:-1], target[1:])]
    assert [" ".join(each) for each in spelled] == [text, translator(text)]
    generation = trace.generation
    assert [step.token for step in generation.steps][:-1] == target[1:]
    assert generation.hypotheses[0].text == translator(text)
    names = {candidate.token for step in generation.steps for candidate in step.candidates}
    assert not names & {"▁Boston", "▁5"}


def of_each_kind(model: str) -> list[dict[str, Any]]:
    """The first of the hard texts of each kind: what spans they have, their case and their
    sentences; all of them are put together by the page's own tests."""
    translator, kinds = regard.load(model), dict[Any, dict[str, Any]]()
    for each in TEXTS[model]:
        its = [*translator.passages(each["text"])]
        spans = frozenset(span.kind for passage in its for span in passage.spans)
        cases = frozenset(passage.case for passage in its)
        kinds.setdefault((spans, cases, min(len(its), 2)), each)
    return list(kinds.values())


@pytest.mark.long("300 texts")
@pytest.mark.skipif(
    shutil.which("node") is None or not BUNDLER.exists(), reason="needs Node.js and web/'s packages"
)
def test_the_page_writes_the_same(tmp_path: Path) -> None:
    live_page([*TEXTS]).write(tmp_path / "live.html")
    source, bundle = ROOT / "benchmarks" / "live_engine.ts", tmp_path / "engine.mjs"
    command = [BUNDLER, source, "--platform", "node", "--format", "esm", "-o", bundle]
    subprocess.run(command, cwd=ROOT / "web", check=True, capture_output=True)
    asked: list[dict[str, Any]] = []
    expected: list[str] = []
    for model in TEXTS:
        for each in of_each_kind(model):
            numbers = [{"sentence": k + 1} for k in range(len(each["sentences"]))] or [{}]
            asked += [{"model": model, "text": each["text"], "maps": False} | n for n in numbers]
            expected += [s["shown"] for s in each["sentences"]] or [NOTHING]
    done = subprocess.run(
        ["node", bundle, tmp_path / "live.html"],
        input="".join(json.dumps(each) + "\n" for each in asked),
        capture_output=True,
        text=True,
        check=True,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    shown = [
        each.get("text", NOTHING if each.get("refusal", "").endswith(NOTHING) else each)
        for each in found
    ]
    differ = [(a["text"], e, s) for a, e, s in zip(asked, expected, shown, strict=True) if e != s]
    assert differ == []
