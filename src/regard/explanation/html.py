"""An explanation as one HTML page that needs no network: every step, every head, shaded weights.

In f-strings: the page is mostly cells, whose form and shade are computed; a jinja2 template would
call the same functions, and nothing would check its types.
"""

from html import escape

from regard.explanation.grid import HIDDEN, Grid, grid, shape
from regard.explanation.record import Explanation, Step

COLUMNS = 64  # of a matrix, unless all are asked for

_STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --muted: #595959; --rule: #d0d0d0;
  --ground: #fff; --weight: 0, 114, 178; }
@media (prefers-color-scheme: dark) { :root { --ink: #eee; --muted: #a8a8a8; --rule: #444;
  --ground: #16181c; --weight: 86, 180, 233; } }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: var(--ink);
  background: var(--ground); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin: 2.2rem 0 0; }
p { margin: .3rem 0; } .muted { color: var(--muted); }
.equation { font-family: "Cambria Math", "STIX Two Math", Georgia, serif; font-size: 1.05rem; }
.numbers { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .82rem; }
th { font-weight: 500; color: var(--muted); } th, td { padding: .15rem .5rem; text-align: right;
  border-bottom: 1px solid var(--rule); white-space: nowrap; }
tbody th { position: sticky; left: 0; background: var(--ground); }
.hidden { color: var(--muted); } summary { cursor: pointer; color: var(--muted); }
figure { margin: 1rem 0; overflow-x: auto; } figure svg { background: #fff; max-width: 100%;
  height: auto; }
"""


def explanation_html(
    explanation: Explanation, head: int = 0, *, whole: bool = False, picture: str = ""
) -> str:
    """The page.

    Args:
        head: which one stands open; the others are folded.
        whole: every column, not the first 64.
        picture: an SVG to show below the steps.
    """
    words = escape(" ".join(explanation.tokens))
    limit = None if whole else COLUMNS
    sections = [
        _section(explanation, number, step, head, limit)
        for number, step in enumerate(explanation.steps, start=1)
    ]
    notes = [f'<p class="muted">{escape(note)}</p>' for note in explanation.notes]
    if picture:
        sections.append(f"<h2>In two dimensions</h2>\n<figure>{_inline(picture)}</figure>")
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{words} – regard explain</title>\n<style>{_STYLE}</style>\n</head>\n<body>",
            f'<h1>{words}</h1>\n<p class="muted">{escape(explanation.settings.about)}.</p>',
            *sections,
            *notes,
            "</body>\n</html>\n",
        ]
    )


def _section(
    explanation: Explanation, number: int, step: Step, head: int, limit: int | None
) -> str:
    parts = [
        f'<section id="{step.name}">\n<h2>{number}. {escape(step.title)}</h2>',
        f"<p>{escape(step.sentence)}</p>",
        f'<p><span class="equation">{escape(step.equation)}</span>'
        f' <span class="muted">— {escape(step.symbol)}: {escape(shape(step))}</span></p>',
    ]
    for each in range(explanation.settings.heads if step.per_head else 1):
        numbers = grid(explanation, step, each, columns=limit)
        table = _table(numbers, shaded=step.name == "weights")
        if step.per_head and explanation.settings.heads > 1:
            is_open = " open" if each == head else ""
            table = f"<details{is_open}><summary>head {each}</summary>{table}</details>"
        parts.append(table)
    return "\n".join([*parts, "</section>"])


def _table(numbers: Grid, shaded: bool) -> str:
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in numbers.columns)
    rows = []
    for name, cells, row in zip(numbers.rows, numbers.cells, numbers.numbers, strict=True):
        pairs = zip(cells, row, strict=True)
        shown = "".join(_cell(cell, number, shaded) for cell, number in pairs)
        rows.append(f'<tr><th scope="row">{escape(name)}</th>{shown}</tr>')
    corner = escape(numbers.corner)
    return (
        f'<div class="numbers"><table><thead><tr><th>{corner}</th>{columns}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(text: str, number: float | None, shaded: bool) -> str:
    if text == HIDDEN:
        return f'<td class="hidden">{text}</td>'
    if shaded and number:
        # At most 0.6, so that ink stays legible on it.
        return f'<td style="background: rgba(var(--weight), {0.6 * number:.3f})">{text}</td>'
    return f"<td>{text}</td>"


def _inline(svg: str) -> str:
    """Without the XML declaration, which is for files."""
    return svg[svg.index("<svg") :]
