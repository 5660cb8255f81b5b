"""The page in Chromium: its first picture and its frames at 16,384 tokens, and BertViz beside it.

    python benchmarks/page.py [--length 16384] [--saved 131072] [--bertviz LIBRARIES]

1. A map of 12 x 12 heads (queries and keys at random, log-sum-exps known as a capture with a fused
   kernel leaves them): from asking for the page to the first picture of the whole map on screen, to
   that picture being exact, and the frames while it is dragged about.
2. 131,072 tokens, 1 x 2 heads, from a saved trace: from asking for the page to the first picture of
   the whole map. Opening the file is not in it.
3. 512 tokens, 12 x 12 heads: bytes sent to the browser and time to the first picture; with
   --bertviz LIBRARIES (`pip install bertviz`) its head view of the same weights in the same
   browser.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from playwright.sync_api import Browser, Page, sync_playwright

from regard.attention import Causal, attend
from regard.attention.record import Attention
from regard.attention.scores import scaled_dot
from regard.inspection import Tap, Trace
from regard.inspection.answers import AxisInfo
from regard.studio.app import create_app, in_background

LAYERS = HEADS = 12
PATIENCE = 180  # seconds to wait for another tool's first picture
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic"]
WINDOW = {"width": 1440, "height": 900}
READY = "canvas.rg-map__canvas[data-ready=true]"
# The first moment at which the map's canvas is not one color any more.
PAINTED = """() => new Promise((done) => {
  const look = () => {
    const canvas = document.querySelector("canvas.rg-map__canvas");
    if (canvas && canvas.width > 100) {
      const { width, height } = canvas;
      const middle = [width >> 2, height >> 2, width >> 1, height >> 1];
      const pixels = canvas.getContext("2d").getImageData(...middle).data;
      const first = pixels[0] + 256 * pixels[1] + 65536 * pixels[2];
      const colors = new Set();
      for (let i = 0; i < pixels.length; i += 404)
        colors.add(pixels[i] + 256 * pixels[i + 1] + 65536 * pixels[i + 2]);
      if (colors.size > 8) return done(performance.now());
    }
    requestAnimationFrame(look);
  };
  look();
})"""
FRAMES = """() => {
  const frames = (window.framesSeen = []);
  let last = performance.now();
  const next = (now) => { frames.push(now - last); last = now; requestAnimationFrame(next); };
  requestAnimationFrame(next);
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--length", type=int, default=16_384, help="tokens of the long map")
    parser.add_argument("--saved", type=int, default=131_072, help="tokens of the saved trace")
    parser.add_argument(
        "--bertviz",
        type=Path,
        metavar="LIBRARIES",
        help="measure BertViz beside it; a folder with the require.min.js, d3.min.js and"
        " jquery.min.js that it would load from a CDN",
    )
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    chromium = shutil.which("chromium") or sys.exit("this benchmark needs chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        print(f"Chromium {browser.version} without a GPU, {WINDOW['width']} x {WINDOW['height']}")
        with in_background(create_app([], {"long": made(options.length)})) as address:
            long_map(browser, address, options.length, options.runs)
        saved_map(browser, options.saved, options.runs)
        short = made(512)
        with in_background(create_app([], {"short": short})) as address:
            sent(browser, address, options.runs)
        if options.bertviz:
            bertviz(browser, short, options.bertviz)
        browser.close()


def made(length: int, layers: int = LAYERS, heads: int = HEADS) -> Trace:
    """Heads whose queries and keys share a direction with their neighbors."""
    draw = torch.Generator().manual_seed(0)
    taps = {}
    for layer in range(layers):
        query, key, value = torch.randn(3, 1, heads, length, 64, generator=draw).unbind()
        drift = torch.randn(1, heads, length, 64, generator=draw).cumsum(2)
        drift = 3 * drift / drift.norm(dim=-1, keepdim=True)
        tap = Tap(
            name=f"decoder.layers.{layer}.self",
            side="decoder",
            kind="self",
            layer=layer,
            attention=Attention(query + drift, key + drift, value, scaled_dot, Causal(), None),
            queries="tokens",
            keys="tokens",
        )
        # What a fused kernel gives for nothing; here it has to be computed, and for one layer only.
        if layer == layers - 1 or length <= 1024:
            tap.known_lse = attend(
                tap.query, tap.key, value, mask=Causal(), kernel="blocked", return_lse=True
            )[1]
        taps[tap.name] = tap
    tokens = AxisInfo([f"t{i}" for i in range(length)], None, None, None, prompt=length)
    return Trace(
        taps, {"tokens": tokens}, f"{layers} x {heads} heads", "generation", text=f"{length} tokens"
    )


def long_map(browser: Browser, address: str, length: int, runs: int) -> None:
    last = f"decoder.layers.{LAYERS - 1}.self"
    firsts, exacts, frames = [], [], []
    for run in range(runs):
        page = browser.new_context(viewport=WINDOW).new_page()
        page.goto(f"{address}/?trace=long&tap={last}&head={run}&scale=log")
        firsts.append(page.evaluate(PAINTED) / 1000)
        page.wait_for_selector(READY)
        exacts.append(page.evaluate("performance.now()") / 1000)
        frames += panned(page)
        page.context.close()
    frames.sort()
    print(f"\n{length:,} tokens, {LAYERS} x {HEADS} heads")
    print(f"first picture   {spread(firsts)} s after the page was asked for")
    print(f"all of it exact {spread(exacts)} s")
    middle, slow = frames[len(frames) // 2], frames[int(0.95 * len(frames))]
    mean = statistics.mean(frames)
    print(
        f"panning: {1000 / mean:.0f} frames/s; a frame takes {middle:.0f} ms (median),"
        f" {slow:.0f} ms (95th percentile), {max(frames):.0f} ms (longest of {len(frames)})"
    )


def saved_map(browser: Browser, length: int, runs: int) -> None:
    firsts = []
    with tempfile.TemporaryDirectory() as folder:
        made(length, layers=1, heads=2).save(Path(folder) / "trace.safetensors")
        saved = Trace.load(Path(folder) / "trace.safetensors")
        with in_background(create_app([], {"saved": saved})) as address:
            for run in range(runs):
                page = browser.new_context(viewport=WINDOW).new_page()
                page.goto(f"{address}/?trace=saved&landing=1&head={run % 2}")
                firsts.append(page.evaluate(PAINTED) / 1000)
                page.context.close()
    print(f"\n{length:,} tokens, 1 x 2 heads, from a saved trace")
    print(f"first picture   {spread(firsts)} s after the page was asked for")


def panned(page: Page) -> list[float]:
    """Zooms in three times, and drags the map to and fro for some seconds: milliseconds a frame."""
    box = page.locator(READY).bounding_box()
    assert box is not None
    x, y = box["x"] + 0.5 * box["width"], box["y"] + 0.6 * box["height"]
    page.mouse.move(x, y)
    for _ in range(3):
        page.mouse.wheel(0, -300)
    page.wait_for_selector(READY)
    page.evaluate(FRAMES)
    page.mouse.down()
    for step in range(120):
        across = 300 * (1 - abs(step % 60 - 30) / 15)
        page.mouse.move(x + across, y + 0.5 * across)
    page.mouse.up()
    frames: list[float] = page.evaluate("window.framesSeen")
    return frames


def sent(browser: Browser, address: str, runs: int) -> None:
    firsts, exacts, sizes = [], [], []
    for _ in range(runs):
        page = browser.new_context(viewport=WINDOW).new_page()
        count = counted(page)
        page.goto(f"{address}/?trace=short&scale=log")
        firsts.append(page.evaluate(PAINTED) / 1000)
        page.wait_for_selector(READY)
        exacts.append(page.evaluate("performance.now()") / 1000)
        page.wait_for_load_state("networkidle")
        sizes.append(sum(count))
        page.context.close()
    print(f"\n512 tokens, {LAYERS} x {HEADS} heads")
    print(
        f"regard   {statistics.median(sizes) / 1e6:>8.2f} MB sent, first picture"
        f" {spread(firsts)} s, exact {spread(exacts)} s"
    )


def counted(page: Page) -> list[int]:
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    return sizes


def bertviz(browser: Browser, trace: Trace, libraries: Path) -> None:
    """The head view of the same weights, as the HTML that it gives a notebook."""
    from bertviz import head_view

    start = time.perf_counter()
    maps = [tap.weights()[None] for tap in trace.values()]
    html: Any = head_view(maps, trace.axes["tokens"].tokens, html_action="return")
    made_in = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bertviz.html"
        file.write_text(f"<!doctype html><meta charset=utf-8><body>{html.data}", encoding="utf-8")
        size = file.stat().st_size
        del html, maps
        print(f"BertViz  {size / 1e6:>8.2f} MB in one page, made in {made_in:.1f} s,", end=" ")
        page = browser.new_context(viewport=WINDOW).new_page()
        page.set_default_timeout(1000 * PATIENCE)
        # Its libraries come from a CDN; here, from a folder.
        page.route("**/cdnjs.cloudflare.com/**", lambda route: route.fulfill(path=library(route)))

        def library(route: Any) -> Path:
            return libraries / route.request.url.rsplit("/", 1)[1]

        start = time.perf_counter()
        try:
            page.goto(file.as_uri(), wait_until="commit")
            page.wait_for_selector("svg line", state="attached")
            page.evaluate("new Promise((done) => requestAnimationFrame(() => done()))")
            print(f"first picture {time.perf_counter() - start:.1f} s")
        except Exception as error:
            waited = time.perf_counter() - start
            print(f"no picture after {waited:.0f} s ({str(error).splitlines()[0][:60]})")
        page.context.close()


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


if __name__ == "__main__":
    main()
