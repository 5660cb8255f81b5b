"""`regard explain`: every step of attention on one's own sentence, with its numbers."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.lines import read_text
from regard.cli.progress import waiting
from regard.cli.streams import open_stdin
from regard.cli.texts import destination
from regard.errors import BadArgumentError

if TYPE_CHECKING:
    from regard.explanation.record import Explanation

WORDS = "words-en"
FIGURES = (".svg", ".pdf", ".png")


def explain(
    sentence: Annotated[
        str | None, typer.Argument(help="The sentence, in quotes; otherwise read stdin.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            help="A shipped model's name, a model folder or hub:org/name. Without one: attention"
            " without parameters, on word vectors.",
        ),
    ] = None,
    layer: Annotated[
        int | None, typer.Option("--layer", min=0, help="Layer of the model, from 0.")
    ] = None,
    attention: Annotated[
        str | None,
        typer.Option(
            "--attention",
            metavar="encoder|decoder|cross",
            help="Attention of the model: self-attention of one side, or cross-attention.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", help="A translation whose cross-attention is explained."),
    ] = None,
    head: Annotated[int, typer.Option("--head", min=0, help="Head whose numbers are shown.")] = 0,
    vectors: Annotated[
        str, typer.Option("--vectors", help="Word vectors: a shipped name, or a file or folder.")
    ] = WORDS,
    score: Annotated[
        str | None,
        typer.Option(
            "--score",
            metavar="NAME",
            help="dot, scaled_dot, cosine, gaussian or average.",
            show_default="scaled_dot",
        ),
    ] = None,
    mask: Annotated[
        str | None,
        typer.Option(
            "--mask",
            metavar="none|causal|N",
            help="What is hidden: nothing, the future, or all but N words on each side.",
            show_default="none",
        ),
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option("--temperature", help="Scores are divided by this number.", show_default="1"),
    ] = None,
    heads: Annotated[
        int | None, typer.Option("--heads", help="Heads that share the vector.", show_default="1")
    ] = None,
    head_dim: Annotated[
        int | None,
        typer.Option("--head-dim", help="Dimensions of a head.", show_default="all"),
    ] = None,
    positions: Annotated[
        bool | None,
        typer.Option("--positions", help="Add sinusoids, so that the order of the words counts."),
    ] = None,
    projections: Annotated[
        str | None,
        typer.Option(
            "--projections",
            metavar="none|random",
            help="Make query, key and value from the vectors with random matrices, or use the"
            " vectors themselves.",
            show_default="none",
        ),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option("--window", metavar="START:END", help="Only these words of a longer text."),
    ] = None,
    word: Annotated[
        int,
        typer.Option("--word", min=0, help="The token that --geometry shows, from 0."),
    ] = 0,
    html: Annotated[Path | None, typer.Option("--html", help="Write one HTML page.")] = None,
    xlsx: Annotated[
        Path | None,
        typer.Option("--xlsx", help="Write a workbook whose cells are formulas: change a number."),
    ] = None,
    geometry: Annotated[
        Path | None,
        typer.Option("--geometry", help="Draw the arrows of a head as .svg, .pdf or .png."),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown to stdout.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write all numbers as one JSON object.")
    ] = False,
    whole: Annotated[
        bool, typer.Option("--all", help="Show every row and column, not only the first ones.")
    ] = False,
) -> None:
    """Explain attention on a sentence: each step's equation, shape and numbers."""
    if markdown and as_json:
        raise BadArgumentError("give either --markdown or --json; got both.")
    _check_endings(html, xlsx, geometry)
    settings = {
        "score": score,
        "mask": mask,
        "temperature": temperature,
        "heads": heads,
        "head_dim": head_dim,
        "positions": positions,
        "projections": projections,
    }
    settings = {name: value for name, value in settings.items() if value is not None}
    part = _part(window)
    text = _text(sentence)
    if model is None:
        _no_model({"--layer": layer, "--attention": attention, "--target": target})
        found = _of_words(text, vectors, part, settings)
    else:
        if settings:
            names = ", ".join(f"--{name.replace('_', '-')}" for name in settings)
            raise BadArgumentError(
                f"{model} has these of its own; leave out {names}, or --model for word vectors."
            )
        found = _of_model(text, model, layer, attention, target, part)
    _check_head(found, head, word)
    _write(found, head, word, html, xlsx, geometry, whole)
    if not (html or xlsx or geometry) or markdown or as_json:
        _print(found, head, markdown, as_json, whole)


def _of_words(text: str, vectors: str, part: slice, settings: dict[str, Any]) -> "Explanation":
    with waiting("reading the word vectors"):
        from regard.explanation.sentence import explain_words
        from regard.words import load_vectors

        words = load_vectors(vectors)
    mask = settings.get("mask", "none")
    if mask.isdecimal():
        settings |= {"mask": "window", "window": int(mask)}
    return explain_words(text, words, part=part, source=Path(vectors).name, **settings)


def _of_model(
    text: str,
    model: str,
    layer: int | None,
    attention: str | None,
    target: str | None,
    part: slice,
) -> "Explanation":
    with waiting(f"running {model}"):
        from regard.explanation.sentence import explain

        return explain(model, text, layer=layer, attention=attention, target=target, part=part)


def _write(
    explanation: "Explanation",
    head: int,
    word: int,
    html: Path | None,
    xlsx: Path | None,
    geometry: Path | None,
    whole: bool,
) -> None:
    from regard.files import whole_file

    if xlsx is not None:
        from regard.explanation.workbook import workbook

        with waiting("writing the workbook"), whole_file(xlsx) as file:
            workbook(explanation, file)
        _say("workbook", xlsx)
    if geometry is not None:
        from regard.figures.style import save

        save(_figure(explanation, head, word), geometry)
        _say("picture", geometry)
    if html is not None:
        from regard.explanation.html import explanation_html

        picture = _svg(explanation, head, word)
        page = explanation_html(explanation, head, whole=whole, picture=picture)
        with whole_file(html) as file:
            file.write_text(page, encoding="utf-8")
        _say("page", html)


def _say(what: str, path: Path) -> None:
    print(f"The {what} is in {path}.", file=sys.stderr)


def _figure(explanation: "Explanation", head: int, word: int) -> Any:
    from regard.explanation import geometry
    from regard.figures.geometry import geometry_figure

    found = geometry(explanation, head=head, spotlight=word)
    return geometry_figure(found, explanation.tokens, explanation.key_tokens)


def _svg(explanation: "Explanation", head: int, word: int) -> str:
    """The same as text; nothing where no package draws."""
    from importlib.util import find_spec
    from tempfile import TemporaryDirectory

    if find_spec("matplotlib") is None:
        return ""
    from regard.figures.style import save

    with TemporaryDirectory() as folder:
        path = Path(folder) / "geometry.svg"
        save(_figure(explanation, head, word), path)
        return path.read_text(encoding="utf-8")


def _print(
    explanation: "Explanation", head: int, markdown: bool, as_json: bool, whole: bool
) -> None:
    with destination(None) as out:
        if as_json:
            import json
            from dataclasses import asdict

            print(json.dumps(asdict(explanation), ensure_ascii=False, allow_nan=False), file=out)
        elif markdown:
            from regard.explanation.markdown import explanation_markdown

            print(explanation_markdown(explanation, head, whole=whole), end="", file=out)
        else:
            from regard.explanation.terminal import explanation_text

            print(explanation_text(explanation, head, whole=whole), file=out)


def _text(sentence: str | None) -> str:
    if sentence is not None:
        return sentence
    stdin = open_stdin('there is no sentence; give one in quotes: regard explain "a sentence".')
    return read_text(stdin, name="stdin")


def _part(window: str | None) -> slice:
    if window is None:
        return slice(None)
    start, colon, end = window.partition(":")
    if not colon or not all(each == "" or each.isdecimal() for each in (start, end)):
        raise BadArgumentError(
            f"--window must be START:END, counted in words from 0, such as 0:32; got {window!r}."
        )
    return slice(int(start or 0), int(end) if end else None)


def _check_endings(html: Path | None, xlsx: Path | None, geometry: Path | None) -> None:
    for option, path, endings in (
        ("--html", html, (".html", ".htm")),
        ("--xlsx", xlsx, (".xlsx",)),
        ("--geometry", geometry, FIGURES),
    ):
        if path is not None and path.suffix.lower() not in endings:
            raise BadArgumentError(f"{option} must end in {', '.join(endings)}; got {path.name!r}.")


def _no_model(options: dict[str, object]) -> None:
    names = [name for name, value in options.items() if value is not None]
    if names:
        raise BadArgumentError(
            f"a model is needed for {', '.join(names)}; give one, such as --model en-de."
        )


def _check_head(explanation: "Explanation", head: int, word: int) -> None:
    heads, tokens = explanation.settings.heads, len(explanation.tokens)
    if head >= heads:
        source = explanation.settings.tap or explanation.settings.source
        raise BadArgumentError(f"{source} has heads 0 to {heads - 1}; got {head}.")
    if word >= tokens:
        raise BadArgumentError(f"--word must be from 0 to {tokens - 1} here; got {word}.")
