"""An explanation as one HTML page that needs no network, or as Markdown, from two templates."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from regard.course.explanation.record import HIDDEN, Explanation, grid, shape

COLUMNS = 64  # of a matrix on the page, unless all are asked for
MARKDOWN = (16, 12)  # rows and columns of a matrix


def explanation_html(
    explanation: Explanation, head: int = 0, *, whole: bool = False, picture: str = ""
) -> str:
    """Return the page: every step, every head, shaded weights.

    Args:
        head: which one stands open; the others are folded.
    """
    columns = None if whole else COLUMNS
    heads = range(explanation.settings.heads)
    steps = [
        (
            step,
            [
                grid(explanation, step, n, columns=columns)
                for n in (heads if step.per_head else [0])
            ],
        )
        for step in explanation.steps
    ]
    svg = picture[picture.index("<svg") :] if picture else ""  # without the declaration of a file
    return _written("html", explanation, steps=steps, head=head, picture=svg)


def explanation_markdown(explanation: Explanation, head: int = 0, *, whole: bool = False) -> str:
    """All steps with the numbers of one head."""
    rows, columns = (None, None) if whole else MARKDOWN
    steps = [
        (step, [grid(explanation, step, head, rows=rows, columns=columns)])
        for step in explanation.steps
    ]
    which = f", head {head}" if explanation.settings.heads > 1 else ""
    cut = any(numbers.cut for _, (numbers,) in steps)
    more = ["… marks what is left out; `--all` writes everything."] if cut else []
    return _written("md", explanation, which, more, steps=steps)


def _written(
    kind: str,
    explanation: Explanation,
    which: str = "",
    more: list[str] | None = None,
    **rest: object,
) -> str:
    return (
        _environment()
        .get_template(f"explanation.{kind}")
        .render(
            words=" ".join(explanation.tokens),
            about=f"{explanation.settings.about}{which}",
            notes=[*explanation.notes, *(more or [])],
            hidden=HIDDEN,
            **rest,
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("regard.course.explanation"),
        autoescape=lambda name: name == "explanation.html",
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters |= {"shape": shape, "literal": _literal}
    return environment


def _literal(text: str) -> str:
    """Return a token, not to be read as Markdown or HTML."""
    return "".join(f"\\{mark}" if mark in r"\`*_{}[]<>#|~!&" else mark for mark in text)
