"""Draws the documents' pictures: `python docs/pictures.py` writes docs/demo.svg and docs/images/.

The page's pictures need Chromium and playwright; `python docs/pictures.py terminal` does without,
`python docs/pictures.py lessons` draws the lessons alone, and `… film` the film of a pull.
"""

import io
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from PIL import Image
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

import regard
from regard.figures.terminal import alignment_grid

SENTENCE = "I would like to drink a cup of tea with my friends."
HERE = Path(__file__).parent
CROSS, SELF = "decoder.layers.1.cross", "decoder.layers.1.self"
WIDE, NARROW = (1440, 900), (420, 860)

# name: size, color scheme, what the address asks for
PAGES: dict[str, tuple[tuple[int, int], str, dict[str, object]]] = {
    "map": (WIDE, "light", dict(tap=CROSS, head=1)),
    "equation": (WIDE, "dark", dict(tap=SELF, head=3, focus="5,3", drawer="cell")),
    "ablation": (
        WIDE,
        "light",
        dict(tap=CROSS, head=1, focus="6,8", drawer="cell", ablate="token"),
    ),
    "flow": (WIDE, "light", dict(tap=CROSS, head=1, view="sentence", heads="1,3", locked="6")),
    "generation": (WIDE, "light", dict(tap=CROSS, head=1, view="sentence", drawer="word")),
    "translation": (WIDE, "dark", dict(tap=CROSS, head="mean", view="sentence")),
    "struck": (WIDE, "light", dict(tap=CROSS, head="mean", view="sentence", without="10")),
    "why": (WIDE, "dark", dict(tap=CROSS, head=1, view="sentence", drawer="why", step=6)),
    "compare": (WIDE, "light", dict(tap=CROSS, head=1, other=f"3,{CROSS}")),
    "narrow": (NARROW, "light", dict(tap=CROSS, head=1)),
}
ROAD = (
    "words", "average", "alike", "softmax", "scale", "qkv", "heads", "order", "masks", "similarity",
    "block", "layers", "cross", "next", "training", "yours",
)  # fmt: skip
LESSONS: dict[str, tuple[tuple[int, int], str, dict[str, object]]] = {
    **{f"learn-{name}": ((1280, 800), "light", dict(learn=name)) for name in ROAD},
    "learn-order": ((1280, 800), "light", dict(learn="order", positions="true")),
    "learn-dark": ((1280, 800), "dark", dict(learn="qkv")),
    "learn-narrow": ((390, 844), "light", dict(learn="alike")),
}

# Nothing is being computed, and the heads are ranked for the word where there is one.
SETTLED = """() => !document.querySelector(
    "[aria-busy=true], .rg-note[role=status]:not(:empty), "
    + ".rg-which:has(.rg-which__title strong):not(:has(.rg-look__best))")"""


def main() -> None:
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()


def terminal() -> None:
    """A terminal with what `make demo` prints."""
    translator = regard.load("en-de")
    result = translator.run([SENTENCE], alignment="output")[0]
    caption = translator.alignment_caption("output")
    assert result.alignment is not None
    grid = alignment_grid(
        result.source_words,
        result.target_words,
        result.alignment,
        caption=caption,
        width=92,
        color=True,
    )
    console = Console(record=True, width=92, file=io.StringIO())
    console.print(f'[bold]$[/bold] regard translate "{SENTENCE}" --attention', highlight=False)
    console.print(result.text, highlight=False)
    console.print(Text.from_ansi(grid))
    # The format asks the network for a font; the reader's own monospaced one will do.
    without_fonts = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    svg = console.export_svg(title="regard", code_format=without_fonts)
    (HERE / "demo.svg").write_text(svg, encoding="utf-8")


def figures() -> None:
    """Figures as a paper has them, by `trace.figure`."""
    trace = regard.load("en-de").trace(SENTENCE)
    trace.figure(HERE / "images" / "figure.svg", tap=CROSS, head=1)


def lessons() -> None:
    """Every lesson of the page as it begins."""
    pages(LESSONS)


def film() -> None:
    """A ribbon that is pulled: six seconds of the translation, without its surroundings."""
    with studio() as (address, browser):
        page = browser.new_page(viewport={"width": 1180, "height": 640}, device_scale_factor=1)
        page.add_init_script("localStorage.setItem('regard.hint', '1')")
        asked = dict(model="en-de", text=SENTENCE, view="sentence", head="mean")
        page.goto(f"{address}/?{urlencode(asked)}")
        page.locator(".rg-translation__reliance").first.wait_for()
        page.wait_for_function(SETTLED)
        page.evaluate(FINGER)
        words = page.locator("[data-word^=output]").all_inner_texts()
        handle = middle(page.locator(f"[data-handle='{words.index('Tasse')}']"))
        tea = middle(page.locator("[data-word^=source]").filter(has_text="tea"))
        box = page.locator(".rg-links").bounding_box()
        clip = {**box, "x": box["x"] - 8, "width": box["width"] + 16}
        frames = []

        def shoot(count: int, path: Callable[[float], Point] | None = None) -> None:
            for frame in range(count):
                if path is not None:
                    page.mouse.move(*path((frame + 1) / count))
                page.wait_for_timeout(40)
                frames.append(page.screenshot(clip=clip))

        start = handle[0] - 150, handle[1] + 120
        page.mouse.move(*start)
        shoot(14)
        shoot(8, between(start, handle))
        page.mouse.down()
        shoot(2)
        shoot(16, between(handle, tea))
        shoot(14)
        page.mouse.up()
        shoot(21)
    pictures = [Image.open(io.BytesIO(png)).convert("RGB") for png in frames]
    pictures[0].save(
        HERE / "images" / "pull.webp", save_all=True, append_images=pictures[1:],
        duration=FRAME, loop=0, quality=60, method=6, minimize_size=True,
    )  # fmt: skip


FRAME = 80  # milliseconds
# A headless browser draws no pointer.
FINGER = """() => {
  const finger = document.createElement("div");
  finger.style.cssText = "position:fixed;z-index:99;width:26px;height:26px;margin:-13px;"
    + "border-radius:50%;pointer-events:none;background:rgb(217 119 6 / 45%);"
    + "border:2px solid rgb(217 119 6)";
  document.body.append(finger);
  const follow = ({ clientX, clientY }) =>
    Object.assign(finger.style, { left: `${clientX}px`, top: `${clientY}px` });
  for (const name of ["pointermove", "mousemove"]) addEventListener(name, follow, true);
}"""

Point = tuple[float, float]


def middle(element: Any) -> Point:
    box = element.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def between(start: Point, end: Point) -> Callable[[float], Point]:
    """A way that begins and ends slowly."""

    def at(part: float) -> Point:
        eased = part * part * (3 - 2 * part)
        return tuple(one + eased * (other - one) for one, other in zip(start, end, strict=True))  # type: ignore[return-value]

    return at


@contextmanager
def studio() -> Iterator[tuple[str, Any]]:
    """Where a studio with en-de answers, and a browser."""
    from playwright.sync_api import sync_playwright

    from regard.studio.app import create_app, in_background

    chromium = shutil.which("chromium") or sys.exit("the page's pictures need chromium")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with in_background(create_app(["en-de"], {})) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        yield address, browser
        browser.close()


def pages(
    wanted: dict[str, tuple[tuple[int, int], str, dict[str, object]]], **always: object
) -> None:
    """Views of the page, as a reader's browser shows them."""
    with studio() as (address, browser):
        for name, ((width, height), scheme, asked) in wanted.items():
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme=scheme,  # type: ignore[arg-type]
                device_scale_factor=1.5,
            )
            context.add_init_script("localStorage.setItem('regard.hint', '1')")
            page = context.new_page()
            asked = dict(asked)
            ablate = asked.pop("ablate", None)
            page.goto(f"{address}/?{urlencode({**always, **asked})}")
            page.wait_for_load_state("networkidle")
            if ablate:
                choices = page.get_by_label("switch off").get_by_role("button")
                choices.nth(("edge", "head", "token").index(str(ablate))).click()
                page.get_by_text("Δ").first.wait_for()
            page.wait_for_function(SETTLED)
            page.wait_for_timeout(600)  # patterns come in after the picture itself
            save(page.screenshot(), HERE / "images" / f"{name}.png")
            context.close()


def save(png: bytes, path: Path) -> None:
    """Writes a picture in 256 colors, a third of the bytes."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def views() -> None:
    """The page's views."""
    figures()
    pages(PAGES, model="en-de", text=SENTENCE)


PARTS = {"terminal": terminal, "views": views, "lessons": lessons, "film": film}

if __name__ == "__main__":
    main()
