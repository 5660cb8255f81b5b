"""Striking a word of the source on the page: milliseconds from the click to the new sentence.

    python benchmarks/strike.py [--text TEXT] [--model en-de]

Each word of the sentence is struck once and brought back, in Chromium: by the server, and in the
file of `regard export page`. A click counts from its event to the frame that shows the new
sentence; the server has not answered any of the requests before. The parts of a server's answer are
measured in this process, without a browser.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, sync_playwright

import regard
from regard.inspection.views.needed import reliances
from regard.studio.app import create_app, in_background
from regard.studio.live_page import live_page

TEXT = "I would like to drink a cup of tea with my friends."
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic"]
WINDOW = {"width": 1440, "height": 900}
STRIKE = "button.rg-translation__strike"
# From the click's event to the frame after the sentence is in the document.
CLICKED = """(button) => new Promise((done) => {
  const shown = () => document.querySelectorAll(".rg-changed__chip").length > 0;
  const seen = new MutationObserver(() => {
    if (!shown()) return;
    seen.disconnect();
    requestAnimationFrame(() => requestAnimationFrame((now) => done(now - began)));
  });
  seen.observe(document.body, { subtree: true, childList: true, characterData: true });
  const began = performance.now();
  button.click();
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", default=TEXT)
    parser.add_argument("--model", default="en-de")
    options = parser.parse_args()
    chromium = shutil.which("chromium") or sys.exit("this benchmark needs chromium")
    print(f"{options.model}: {options.text}")
    parts(options.model, options.text)
    query = urlencode({"model": options.model, "text": options.text, "view": "sentence"})
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        with in_background(create_app([options.model], {})) as address:
            report("by the server", clicks(browser, f"{address}/?{query}&head=mean"))
        file = Path(folder) / "page.html"
        live_page(options.model).write(file)
        report("in the file", clicks(browser, f"{file.as_uri()}?{query}&head=mean"))
        browser.close()


def parts(model: str, text: str) -> None:
    """What the server's answer takes, and what the page asks for afterwards."""
    translator = regard.load(model)
    words = translator.trace(text).axes["source"].words or []
    struck = [[*range(*word)] for word in words]
    for each in struck[:3]:
        _ = translator.trace(text, without=each).receipt  # the first are slower
    writing, receipts, bars = [], [], []
    for each in struck:
        began = time.perf_counter()
        trace = translator.trace(text, without=each)
        written = time.perf_counter()
        _ = trace.receipt
        ready = time.perf_counter()
        list(reliances(trace))
        bars.append(1000 * (time.perf_counter() - ready))
        receipts.append(1000 * (ready - written))
        writing.append(1000 * (written - began))
    report("translating without a word, and its maps", writing)
    report("their receipt", receipts)
    report("the bars, asked for afterwards", bars)


def clicks(browser: Browser, address: str) -> list[float]:
    """A strike of each word, one after the other, from the whole sentence."""
    page = browser.new_context(viewport=WINDOW).new_page()  # type: ignore[arg-type]
    page.goto(address)
    page.locator(STRIKE).first.wait_for(state="attached")
    page.locator(".rg-translation__reliance").first.wait_for(state="attached")
    found = []
    for number in range(page.locator(STRIKE).count()):
        page.wait_for_load_state("networkidle")
        found.append(page.locator(STRIKE).nth(number).evaluate(CLICKED))
        page.locator(".rg-changed__chip").click()
        page.locator(".rg-changed__chip").wait_for(state="detached")
        page.locator(".rg-translation__reliance").first.wait_for(state="attached")
    page.context.close()
    return found


def report(what: str, times: list[float]) -> None:
    spread = f"{min(times):.0f} to {max(times):.0f}, {len(times)} words"
    print(f"{what:<42} {statistics.median(times):>5.0f} ms (median; {spread})", flush=True)


if __name__ == "__main__":
    main()
