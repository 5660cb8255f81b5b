"""`regard explain`: every step of attention on one's own sentence, with its numbers."""

import json
import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard import course, figures
from regard.cli.options import (
    FIGURES,
    argument,
    check_ending,
    flags,
    model_option,
    option,
    specified,
)
from regard.cli.progress import waiting
from regard.cli.texts import destination, whole_text
from regard.errors import BadArgumentError
from regard.files import whole_file
from regard.lines import is_number

if TYPE_CHECKING:
    from regard.course.explanation.record import Explanation

WORDS = "words-en"
# What a model has of its own, and the attention on word vectors is asked for.
SETTINGS = ("score", "mask", "temperature", "heads", "head_dim", "positions", "projections")

ModelName = Annotated[
    str | None,
    model_option(
        "A shipped model's name, a model folder or hub:org/name. Without one: attention without"
        " parameters, on word vectors."
    ),
]
Attention = Annotated[
    str | None,
    option(
        "Attention of the model: self-attention of one side, or cross-attention.",
        metavar="encoder|decoder|cross",
    ),
]
Target = Annotated[str | None, option("A translation whose cross-attention is explained.")]
Score = Annotated[
    str | None,
    option("dot, scaled_dot, cosine, gaussian or average.", default="scaled_dot", metavar="NAME"),
]
Mask = Annotated[
    str | None,
    option(
        "What is hidden: nothing, the future, or all but N words on each side.",
        default="none",
        metavar="none|causal|N",
    ),
]
HeadDim = Annotated[int | None, option("Dimensions of a head.", default="all")]
Positions = Annotated[
    bool | None, option("Add sinusoids, so that the order of the words counts.", "--positions")
]
Projections = Annotated[
    str | None,
    option(
        "Make query, key and value from the vectors with random matrices, or use the vectors"
        " themselves.",
        default="none",
        metavar="none|random",
    ),
]
Window = Annotated[str | None, option("Only these words of a longer text.", metavar="START:END")]
Word = Annotated[int, option("The token that --geometry shows, from 0.", min=0)]
Xlsx = Annotated[Path | None, option("Write a workbook whose cells are formulas: change a number.")]
Geometry = Annotated[Path | None, option("Draw the arrows of a head as .svg, .pdf or .png.")]
Whole = Annotated[bool, option("Show every row and column, not only the first ones.", "--all")]


def explain(
    context: typer.Context,
    sentence: Annotated[
        str | None, argument("The sentence, in quotes; otherwise read stdin.")
    ] = None,
    model: ModelName = None,
    layer: Annotated[int | None, option("Layer of the model, from 0.", min=0)] = None,
    attention: Attention = None,
    target: Target = None,
    head: Annotated[int, option("Head whose numbers are shown.", min=0)] = 0,
    vectors: Annotated[str, option("Word vectors: a shipped name, or a file or folder.")] = WORDS,
    score: Score = None,
    mask: Mask = None,
    temperature: Annotated[
        float | None, option("Scores are divided by this number.", default="1")
    ] = None,
    heads: Annotated[int | None, option("Heads that share the vector.", default="1")] = None,
    head_dim: HeadDim = None,
    positions: Positions = None,
    projections: Projections = None,
    window: Window = None,
    word: Word = 0,
    html: Annotated[Path | None, option("Write one HTML page.")] = None,
    xlsx: Xlsx = None,
    geometry: Geometry = None,
    markdown: Annotated[bool, option("Write Markdown to stdout.", "--markdown")] = False,
    as_json: Annotated[bool, option("Write all numbers as one JSON object.", "--json")] = False,
    whole: Whole = False,
) -> None:
    """Explain attention on a sentence: each step's equation, shape and numbers."""
    if markdown and as_json:
        raise BadArgumentError("give either --markdown or --json; got both.")
    check_ending("--html", html, (".html", ".htm"))
    check_ending("--xlsx", xlsx, (".xlsx",))
    check_ending("--geometry", geometry, FIGURES)
    settings = specified(context, SETTINGS)
    part = _part(window)
    nothing = 'there is no sentence; give one in quotes: regard explain "a sentence".'
    text = whole_text(nothing) if sentence is None else sentence
    if model is None:
        if names := flags(specified(context, ("layer", "attention", "target"))):
            raise BadArgumentError(
                f"a model is needed for {names}; give one, such as --model en-de."
            )
        explanation = _of_words(text, vectors, part, settings)
    else:
        if names := flags(settings):
            raise BadArgumentError(
                f"{model} has these of its own; leave out {names}, or --model for word vectors."
            )
        with waiting(f"running {model}"):
            explanation = course.explanation.sentence.explain(
                model, text, layer=layer, attention=attention, target=target, part=part
            )
    _check_head(explanation, head, word)
    if xlsx:
        _write_workbook(explanation, xlsx)
    if geometry:
        _draw(explanation, head, word, geometry)
        _say("picture", geometry)
    if html:
        _write_page(explanation, head, word, html, whole=whole)
    if not (html or xlsx or geometry) or markdown or as_json:
        _print(explanation, head, markdown, as_json, whole)


def _of_words(text: str, vectors: str, part: slice, settings: dict[str, Any]) -> "Explanation":
    with waiting("reading the word vectors"):
        words = course.words.load_vectors(vectors)
    mask = settings.get("mask", "none")
    if is_number(mask):
        settings |= {"mask": "window", "window": int(mask)}
    return course.explanation.sentence.explain_words(
        text, words, part=part, source=Path(vectors).name, **settings
    )


def _write_workbook(explanation: "Explanation", path: Path) -> None:
    with waiting("writing the workbook"), whole_file(path) as file:
        course.explanation.workbook.workbook(explanation, file)
    _say("workbook", path)


def _draw(explanation: "Explanation", head: int, word: int, path: Path) -> None:
    planes = course.explanation.geometry(explanation, head=head, spotlight=word)
    figures.style.save(
        figures.geometry.geometry_figure(planes, explanation.tokens, explanation.key_tokens), path
    )


def _write_page(
    explanation: "Explanation", head: int, word: int, path: Path, *, whole: bool
) -> None:
    picture = _svg(explanation, head, word)
    page = course.explanation.pages.explanation_html(
        explanation, head, whole=whole, picture=picture
    )
    with destination(path) as file:
        file.write(page)
    _say("page", path)


def _say(what: str, path: Path) -> None:
    print(f"The {what} is in {path}.", file=sys.stderr)


def _svg(explanation: "Explanation", head: int, word: int) -> str:
    """Read the picture as text; empty where no package draws."""
    if find_spec("matplotlib") is None:
        return ""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "geometry.svg"
        _draw(explanation, head, word, path)
        return path.read_text(encoding="utf-8")


def _print(
    explanation: "Explanation", head: int, markdown: bool, as_json: bool, whole: bool
) -> None:
    if as_json:
        print(json.dumps(asdict(explanation), ensure_ascii=False, allow_nan=False))
    elif markdown:
        print(course.explanation.pages.explanation_markdown(explanation, head, whole=whole), end="")
    else:
        print(course.explanation.terminal.explanation_text(explanation, head, whole=whole))


def _part(window: str | None) -> slice:
    if window is None:
        return slice(None)
    start, colon, end = window.partition(":")
    if not colon or not all(each == "" or is_number(each) for each in (start, end)):
        raise BadArgumentError(
            f"--window must be START:END, counted in words from 0, such as 0:32; got {window!r}."
        )
    return slice(int(start or 0), int(end) if end else None)


def _check_head(explanation: "Explanation", head: int, word: int) -> None:
    heads, tokens = explanation.settings.heads, len(explanation.tokens)
    if head >= heads:
        source = explanation.settings.tap or explanation.settings.source
        raise BadArgumentError(f"{source} has heads 0 to {heads - 1}; got {head}.")
    if word >= tokens:
        raise BadArgumentError(f"--word must be from 0 to {tokens - 1} here; got {word}.")
