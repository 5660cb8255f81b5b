"""The page that holds a translator, `regard export page`: its speed, and its agreement with Python.

    python benchmarks/live.py --text TATOEBA/dev.tsv [--model en-de] [--sentences 200]

1. Opened from the disk in Chromium with the network off: from navigation to the first translation
   on screen, in a browser that has just started; then from Enter to that of further sentences, and
   what the page's worker takes for a word of them, with the model's own number of beams.
2. The engine alone in Node.js: milliseconds a word written, greedy and with 4 beams.
3. The engine beside Python: the share of sentences with the same text, by the weights rounded as
   the page has them and by the model's own; the largest difference of any attention weight from
   Python's with the rounded weights, over the same translation.
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
from regard.studio.packing import round_weights
from regard.studio.translator_page import translator_page, without_of
from regard.translation.translator import Translator

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
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = translator_page(options.model, Path(folder) / "live.html")
        print(f"{options.model}: {file.megabytes} MB")
        in_browser(file.path)
        in_worker(options.model, file.path)
        sentences = sentences_of(options.text, options.sentences)
        agreement(options.model, file.path, sentences, Path(folder))


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
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_context(bypass_csp=True).new_page()  # to measure inside the worker
        page.goto(path.as_uri())
        page.evaluate(SHOWN, "")
        page.wait_for_timeout(1000)
        looks = page.workers[0].evaluate(IN_WORKER, [model, NEXT])
        browser.close()
    print(f"  a word in its worker: {spread([ms / words for ms, words in looks])} ms")


def asked(page: Page, before: str) -> list[tuple[float, int]]:
    """Milliseconds and written words of each of the further sentences."""
    found = []
    for text in NEXT:
        box = page.locator("textarea").first
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
    node = shutil.which("node") or sys.exit("this benchmark needs Node.js")
    bundle = folder / "engine.mjs"
    source = Path(__file__).with_name("live_engine.ts")
    command = ["npx", "rolldown", str(source), "--platform", "node", "--format", "esm"]
    subprocess.run([*command, "-o", str(bundle)], cwd=WEB, check=True, capture_output=True)
    own = regard.load(model)
    assert isinstance(own, Translator)
    rounded = copy.deepcopy(own)
    round_weights(rounded.model, without_of(rounded.model.config))
    for beams in BEAMS:
        process = subprocess.Popen(
            [node, str(bundle), str(page)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        same = {"rounded": 0, "own": 0}
        differences, times, words = [], 0.0, 0
        for text in sentences:
            answer = of_engine(process, {"text": text, "num_beams": beams})
            times, words = times + answer["ms"], words + len(answer["text"].split())
            python = rounded.trace(text, num_beams=beams)
            same["rounded"] += sentence(python) == answer["text"]
            same["own"] += sentence(own.trace(text, num_beams=beams)) == answer["text"]
            differences.append(difference(rounded, text, python, process))
        process.kill()
        count = len(sentences)
        print(f"{beams} beam{'s' * (beams > 1)}, {count} sentences:")
        print(f"  same text as Python with the page's weights: {same['rounded'] / count:.1%}")
        print(f"  same text as Python with the model's own: {same['own'] / count:.1%}")
        print(f"  largest difference of a weight: {max(differences):.1e}")
        print(f"  the engine alone: {times / words:.1f} ms a word, maps included")


def of_engine(process: "subprocess.Popen[str]", request: dict[str, Any]) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def difference(model: Translator, text: str, trace: Any, process: "subprocess.Popen[str]") -> float:
    """The largest difference of any map's weight, over the translation that Python found."""
    target = sentence(trace)
    python = model.trace(text, target=target)
    answer = of_engine(process, {"text": text, "target": target})
    worst = 0.0
    for name, tap in python.items():
        for head in range(tap.weights().shape[-3]):
            expected = torch.nan_to_num(tap.weights(head)).numpy().ravel()
            values = answer["maps"][f"map?head={head}&quantity=weight&tap={name}"]
            found = np.array([0.0 if value is None else value for value in values])
            worst = max(worst, float(np.abs(found - expected).max()))
    return worst


def sentence(trace: Any) -> str:
    return str(trace.generation.hypotheses[0].text)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
