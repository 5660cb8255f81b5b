"""Draws the documents' pictures: `python docs/pictures.py` writes docs/demo.svg."""

import io
import re
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

import regard
from regard.figures.terminal import alignment_grid

SENTENCE = "I would like to drink a cup of tea with my friends."


def main() -> None:
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
    (Path(__file__).parent / "demo.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
