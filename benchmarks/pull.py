"""Ribbons pulled to other words: what the model writes then, how soon, and what drawn lines carry.

    python benchmarks/pull.py [--pairs TATOEBA/dev.tsv] [--sentences 50] [--model en-de]

1. Pulls: a word of six translations is made to look at another word alone, in all heads and layers,
   and the most probable token is printed; it should be that word's translation, or a form of it.
2. Lines: of each sentence the model's own words get one line each, to the word that the mean
   of all heads looks at most (the alignment of `translate(alignment="output")`), in place of all.
   The geometric mean of the probabilities of the model's own words, over the sentences, with a 95 %
   interval (bootstrap), beside the model's own heads, even looks and the same lines mixed up.
3. The page that translates by itself, in Chromium: from the move of a held ribbon onto a word to
   the frame that shows the new word.
"""

import argparse
import math
import shutil
import statistics
import tempfile
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from playwright.sync_api import sync_playwright

import regard
from regard.studio.live_page import live_page
from regard.tasks.translation.task import Translator

PAIRS = Path(__file__).parents[2] / "shared" / "data" / "tatoeba_en_de" / "dev.tsv"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WINDOW = {"width": 1440, "height": 900}
CUP = "I would like to drink a cup of tea with my friends."
# Rows, the positions that they look at, and how a translation of the word there begins.
PULLS: dict[str, list[tuple[int, int, str | tuple[str, ...]]]] = {
    CUP: [
        (4, 8, "Tee"), (4, 11, "Freund"), (4, 4, ("Getr", "Trink")), (6, 6, "Tasse"),
        (6, 11, "Freund"), (9, 4, "trink"), (9, 8, "Tee"), (0, 10, ("mein", "Mein")),
    ],
    "The house is small, but it has a large garden.": [
        (10, 1, "Haus"), (1, 10, "Garten"), (3, 9, "groß"), (9, 3, "klein"),
    ],
    "The animal did not cross the street because it was too tired.": [
        (11, 1, "Tier"), (1, 6, "Straße"), (6, 1, "Tier"),
    ],
    "My sister wants to buy a new car next week.": [
        (7, 1, "Schwester"), (1, 7, ("Auto", "Wagen")), (8, 9, "Woche"),
    ],
}  # fmt: skip
# From the event to the second frame after the word is in the document.
MOVED = """([handle, word, x, y]) => new Promise((done) => {
  const shown = document.querySelector(`[data-word="output ${word}"]`);
  const before = shown.textContent;
  const seen = new MutationObserver(() => {
    if (shown.textContent === before || !shown.textContent.includes("%")) return;
    seen.disconnect();
    requestAnimationFrame(() => requestAnimationFrame((now) => done(now - began)));
  });
  seen.observe(shown, { subtree: true, childList: true, characterData: true });
  setTimeout(() => done(NaN), 5000);
  const began = performance.now();
  document.querySelector(`[data-handle="${handle}"]`)
    .dispatchEvent(new PointerEvent("pointermove",
      { clientX: x, clientY: y, pointerId: 1, bubbles: true, pointerType: "mouse" }));
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=Path, default=PAIRS)
    parser.add_argument("--sentences", type=int, default=50)
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--part", choices=("pulls", "lines", "page"), help="of the three")
    options = parser.parse_args()
    translator = regard.load(options.model)
    if options.part in (None, "pulls"):
        pulls(translator)
    if options.part in (None, "lines"):
        lines = options.pairs.read_text(encoding="utf-8").splitlines()
        texts = [line.split("\t")[0] for line in lines]
        picked = np.random.default_rng(0).permutation(len(texts))
        drawn(translator, [texts[k] for k in picked[: options.sentences]])
    if options.part in (None, "page"):
        page(options.model)


def pulls(translator: Translator) -> None:
    """What single words become that look at another word."""
    count = hits = 0
    for text, moves in PULLS.items():
        whole = translator.trace(text)
        source = whole.axes["source"].tokens
        print(f"\n{text}\n{whole.generation.hypotheses[0].text}")
        for row, key, expected in moves:
            before = whole.generation.steps[row].token
            trace = translator.trace(text, looks={row: key})
            step = trace.generation.steps[row]
            written = " ".join(each.token for each in trace.generation.steps[row : row + 2])
            hit = written.replace("▁", "").replace(" ", "").startswith(expected)
            hits, count = hits + hit, count + 1
            print(
                f"  {before} looks at {source[key]}: {step.token} {step.probability:.2f}"
                f"{'' if hit else f'  (not {expected})'}  {trace.generation.hypotheses[0].text}"
            )
    print(f"\n{hits} of {count} pulls write the word that is pointed at, or a form of it")


def drawn(translator: Translator, texts: list[str]) -> None:
    """The model's own words under one line each, in place of all heads."""
    random = np.random.default_rng(1)
    found: dict[str, list[float]] = {"own": [], "lines": [], "even": [], "mixed up": []}
    for text in texts:
        whole = translator.trace(text, force=True)
        target = whole.generation.hypotheses[0].text
        own = translator.trace(text, target=target, force=True)
        taps = [tap for tap in own.values() if tap.kind == "cross"]
        rows, columns = taps[0].rows, taps[0].columns
        mean = sum(tap.weights().mean(0) for tap in taps) / len(taps)
        keys = mean.argmax(-1).tolist()
        shuffled = random.permutation(columns)
        drawings = {
            "own": {},
            "lines": dict(enumerate(keys)),
            "even": {row: list(range(columns)) for row in range(rows)},
            "mixed up": {row: int(shuffled[key]) for row, key in enumerate(keys)},
        }
        for name, looks in drawings.items():
            trace = translator.trace(text, target=target, looks=looks, force=True)
            logs = [math.log(max(step.probability, 1e-12)) for step in trace.generation.steps]
            found[name].append(math.exp(statistics.mean(logs)))
    print(f"\n{len(texts)} sentences: geometric mean of the probabilities of the model's own words")
    for name, values in found.items():
        low, high = interval(values)
        print(f"  {name:10} {statistics.mean(values):.3f}  (95 %: {low:.3f} to {high:.3f})")
    differences = [a - b for a, b in zip(found["lines"], found["own"], strict=True)]
    low, high = interval(differences)
    print(f"  lines - own {statistics.mean(differences):+.3f}  (95 %: {low:+.3f} to {high:+.3f})")


def interval(values: list[float]) -> tuple[float, float]:
    samples = np.random.default_rng(2).choice(values, (10_000, len(values)))
    low, high = np.quantile(samples.mean(1), [0.025, 0.975])
    return float(low), float(high)


def page(model: str) -> None:
    """The time from a move of a held ribbon to the new word, on the page that translates itself."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        file = Path(folder) / "page.html"
        live_page(model).write(file)
        times = []
        for text, moves in PULLS.items():
            query = urlencode({"model": model, "text": text, "view": "sentence", "head": "mean"})
            shown = browser.new_context(viewport=WINDOW).new_page()  # type: ignore[arg-type]
            shown.goto(f"{file.as_uri()}?{query}&pieces=token")
            shown.locator(".rg-translation__reliance").first.wait_for()
            for row, key, _ in moves:
                handle = shown.locator(f"[data-handle='{row}']")
                handle.focus()
                left = key > int(handle.get_attribute("aria-valuenow") or 0)
                shown.keyboard.press("ArrowLeft" if left else "ArrowRight")  # takes it
                shown.wait_for_timeout(500)
                box = shown.locator(f"[data-word='source {key}']").bounding_box()
                assert box is not None
                place = [row, row, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
                times.append(shown.evaluate(MOVED, place))
                shown.keyboard.press("Escape")
                shown.wait_for_timeout(300)
            shown.context.close()
        browser.close()
    spread = f"{min(times):.0f} to {max(times):.0f}, {len(times)} pulls"
    print(f"\nfrom the move to the new word: {statistics.median(times):.0f} ms (median; {spread})")


if __name__ == "__main__":
    main()
