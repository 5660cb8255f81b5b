"""The page that holds models, `regard export page`: its speed, and its agreement with Python.

    python benchmarks/live.py --text TATOEBA/dev.tsv [--model en-de] [--sentences 200]
    python benchmarks/live.py --text TATOEBA/dev.tsv --kinds [--sentences 500]

1. Opened from the disk in Chromium with the network off: from navigation to the first translation
   on screen, in a browser that has just started; then from Enter to that of further sentences, and
   what the page's worker takes for a word of them, with the model's own number of beams.
2. The engine alone in Node.js: milliseconds a word written, greedy and with 4 beams.
3. The engine beside Python: the share of sentences with the same text, by the weights rounded as
   the page has them and by the model's own.

With --kinds, of a translator, a classifier, an encoder and a language model instead: the share of
texts with the same tokens, read and written, as the native engine and torch find them in fp32 with
the rounded weights, and the largest difference of any attention weight from theirs.
"""

import argparse
import copy
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from playwright.sync_api import Page, sync_playwright

import regard
from regard.studio.live_model import config_of, without_of
from regard.studio.live_page import live_page
from regard.studio.packing import round_weights
from regard.tasks.translation.task import Translator

WEB = Path(__file__).parent.parent / "web"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WINDOW = {"width": 1440, "height": 900}
NEXT = (
    "The old man reads a book in the garden.",
    "My sister wants to buy a new car next week.",
    "It is raining, but the children want to go outside.",
    "We have known each other since we were children.",
    "Could you tell me where the station is?",
)
OPENS = 5
BEAMS = (1, 4)
KINDS: dict[str, dict[str, Any]] = {  # with what is asked of each
    "en-de": {"num_beams": 5},
    "emotions": {},
    "minilm": {},
    "shakespeare": {"generate": 20},
}
# The time since navigation began at which a translation other than the one before is on screen.
SHOWN = """(before) => new Promise((done, fail) => {
  setTimeout(() => fail(new Error("no translation within a minute")), 60_000);
  const look = () => {
    const line = document.querySelector("[aria-label='tokens of target']")?.textContent ?? "";
    if (line && line !== before) requestAnimationFrame(() => done([performance.now(), line]));
    else requestAnimationFrame(look);
  };
  look();
})"""


ENTER = """addEventListener("keydown", () => (window.entered = performance.now()),
  { once: true, capture: true })"""
# Milliseconds and written words of each text, in the worker.
IN_WORKER = """async ([model, texts]) => {
  const [found, reply] = [[], self.postMessage];
  for (const text of texts) {
    let words = 0;
    self.postMessage = ({ answer }) => {
      words = answer.info.generation.hypotheses[0].text.split(" ").length;
    };
    const before = performance.now();
    await self.onmessage({ data: { id: -1, what: "trace", wanted: { model, text } } });
    found.push([performance.now() - before, words]);
    self.postMessage = reply;
    await new Promise((done) => setTimeout(done, 100));
  }
  return found;
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=Path, required=True, help="sentences, one a line")
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--kinds", action="store_true", help="compare four kinds of models")
    options = parser.parse_args()
    sentences = sentences_of(options.text, options.sentences)
    with tempfile.TemporaryDirectory() as folder:
        if options.kinds:
            for model, asked in KINDS.items():
                same_numbers(model, asked, sentences, Path(folder))
            return
        page = live_page(options.model)
        print(f"{options.model}: {page.megabytes} MB")
        path = page.write(Path(folder) / "live.html")
        in_browser(path)
        in_worker(options.model, path)
        agreement(options.model, path, sentences, Path(folder))


def in_browser(path: Path) -> None:
    chromium = shutil.which("chromium") or sys.exit("this benchmark needs chromium")
    opened, looks = [], []
    with sync_playwright() as playwright:
        for _ in range(OPENS):
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            context = browser.new_context(viewport=WINDOW, offline=True)  # type: ignore[arg-type]
            page = context.new_page()
            page.goto(path.as_uri(), wait_until="commit")  # with a sentence of its own
            at, line = page.evaluate(SHOWN, "")
            opened.append(at)
            looks.extend(asked(page, line))
            browser.close()
    print(f"open to first translation: {spread(opened)} ms, {OPENS} browsers")
    print(f"Enter to translation: {spread([ms for ms, _ in looks])} ms, {len(looks)} sentences")
    print(f"  a word on screen: {spread([ms / words for ms, words in looks])} ms")


def in_worker(model: str, path: Path) -> None:
    chromium, looks = shutil.which("chromium"), []
    with sync_playwright() as playwright:
        for _ in range(OPENS):
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            page = browser.new_context(bypass_csp=True).new_page()  # to measure inside the worker
            page.goto(path.as_uri())
            page.evaluate(SHOWN, "")
            page.wait_for_timeout(1000)
            looks += page.workers[0].evaluate(IN_WORKER, [model, NEXT])
            browser.close()
    print(f"  a word in its worker: {spread([ms / words for ms, words in looks])} ms")


def asked(page: Page, before: str) -> list[tuple[float, int]]:
    """Milliseconds and written words of each of the further sentences."""
    found = []
    for text in NEXT:
        box = page.get_by_label("text", exact=True)
        box.fill(text)
        page.evaluate(ENTER)
        box.press("Enter")
        at, before = page.evaluate(SHOWN, before)
        start = page.evaluate("window.entered")
        found.append((at - start, len(before.split())))
        page.wait_for_timeout(500)  # the pictures of this sentence are not the next one's time
    return found


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def sentences_of(path: Path, count: int) -> list[str]:
    lines = (line.split("\t")[0] for line in path.read_text(encoding="utf-8").splitlines())
    kept = [line for line in lines if 3 <= len(line.split()) <= 40]
    step = max(1, len(kept) // count)
    return kept[::step][:count]


def agreement(model: str, page: Path, sentences: list[str], folder: Path) -> None:
    own = regard.load(model)
    assert isinstance(own, Translator)
    rounded = with_rounded_weights(own)
    for beams in BEAMS:
        process = started(page, folder)
        same = {"rounded": 0, "own": 0}
        times, words = 0.0, 0
        for text in sentences:
            answer = of_engine(process, {"text": text, "num_beams": beams})
            times, words = times + answer["ms"], words + len(answer["text"].split())
            same["rounded"] += sentence(rounded.trace(text, num_beams=beams)) == answer["text"]
            same["own"] += sentence(own.trace(text, num_beams=beams)) == answer["text"]
        process.kill()
        count = len(sentences)
        print(f"{beams} beam{'s' * (beams > 1)}, {count} sentences:")
        print(f"  same text as Python with the page's weights: {same['rounded'] / count:.1%}")
        print(f"  same text as Python with the model's own: {same['own'] / count:.1%}")
        print(f"  the engine alone: {times / words:.1f} ms a word, maps included")


def same_numbers(model: str, asked: dict[str, Any], texts: list[str], folder: Path) -> None:
    """Two lines: tokens and weights of the page's engine beside the native engine's and torch's."""
    process = started(live_page(model).write(folder / "live.html"), folder)
    torch_own = with_rounded_weights(regard.load(model))
    engines = {
        "native": torch_own.run_by("native", precision="fp32"),
        "torch": torch_own.run_by("torch"),
    }
    same, worst = dict.fromkeys(engines, 0), dict.fromkeys(engines, 0.0)
    for text in texts:
        answer = of_engine(process, {"text": text} | asked)
        for name, engine in engines.items():
            trace = engine.trace(text, **asked)
            if tokens(trace) != (answer["read"], answer["written"]):
                continue
            same[name] += 1
            worst[name] = max(worst[name], difference(trace, answer["maps"]))
    process.kill()
    for name in engines:
        print(
            f"{model} beside {name}, {len(texts)} texts: same tokens {same[name] / len(texts):.1%},"
            f" largest difference of a weight {worst[name]:.1e}"
        )


def tokens(trace: Any) -> tuple[list[int], list[int]]:
    """Ids that were read, and those that were written or the likeliest entry of each output."""
    [read, *_] = trace.read.values()
    if trace.generation is not None:
        prompt = len(read[0]) - (len(trace.output_ids) if "tokens" in trace.axes else 0)
        return read[0].tolist()[:prompt], list(trace.output_ids)
    if trace.rerun is None:
        return read[0].tolist(), []
    logits = trace.rerun(lambda name, call: None)
    return read[0].tolist(), logits[0].argmax(-1).tolist()


def with_rounded_weights(model: Any) -> Any:
    rounded = copy.deepcopy(model)
    round_weights(rounded.model, without_of(config_of(rounded)))
    return rounded


def started(page: Path, folder: Path) -> "subprocess.Popen[str]":
    """The page's engine in Node.js."""
    node = shutil.which("node") or sys.exit("this benchmark needs Node.js")
    bundle = folder / "engine.mjs"
    source = Path(__file__).with_name("live_engine.ts")
    command = ["npx", "rolldown", str(source), "--platform", "node", "--format", "esm"]
    subprocess.run([*command, "-o", str(bundle)], cwd=WEB, check=True, capture_output=True)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen([node, str(bundle), str(page)], text=True, **pipes)  # type: ignore[call-overload,no-any-return]


def of_engine(process: "subprocess.Popen[str]", request: dict[str, Any]) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def difference(trace: Any, maps: dict[str, list[float | None]]) -> float:
    """The largest difference of any map's weight."""
    worst = 0.0
    for name, tap in trace.items():
        for head in range(tap.heads):
            expected = np.nan_to_num(np.asarray(tap.weights(head))).ravel()
            values = maps[f"map?head={head}&quantity=weight&tap={name}"]
            found = np.array([0.0 if value is None else value for value in values])
            worst = max(worst, float(np.abs(found - expected).max()))
    return worst


def sentence(trace: Any) -> str:
    return str(trace.generation.hypotheses[0].text)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
