"""`regard words`: from words to vectors, and what lies close to what."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard import course
from regard.cli.columns import columns
from regard.cli.commands.words.represent import represent
from regard.cli.commands.words.train import train
from regard.cli.options import Json, argument, model_option, option
from regard.cli.progress import waiting
from regard.errors import BadArgumentError
from regard.figures import scatter, style
from regard.lines import one_line

if TYPE_CHECKING:
    from regard.course.words import WordVectors

words = typer.Typer(name="words", add_completion=False, no_args_is_help=True)

SHIPPED = "words-en"

Model = Annotated[
    str,
    model_option(
        "words-en, or a file or folder of vectors: GloVe, word2vec, fastText .vec, or trained here."
    ),
]
Limit = Annotated[
    int | None, option("Read only this many words of the vectors.", default="all", min=1)
]


@words.callback()
def _words() -> None:
    """Turn words into vectors, and see which are close."""


words.command()(represent)
words.command()(train)


@words.command()
def near(
    word: Annotated[list[str], argument("One or more words.", "WORD...")],
    model: Model = SHIPPED,
    count: Annotated[int, option("Neighbors to list.", "--count", "-k", min=1)] = 10,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """List the words that are closest to a word, with their cosines."""
    vectors = _load(model, limit)
    neighbors_of = {each: vectors.neighbors(each, count) for each in word}
    if as_json:
        print(json.dumps(neighbors_of, ensure_ascii=False))
        return
    for each, neighbors in neighbors_of.items():
        print(each)
        for neighbor, cosine in neighbors:
            print(f"  {cosine:6.3f}  {one_line(neighbor)}")


@words.command()
def compare(
    word: Annotated[list[str], argument("Two or more words.", "WORD...")],
    model: Model = SHIPPED,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """Show the cosine of every pair of words: 1 is the same direction, 0 a right angle."""
    if len(word) < 2:
        raise BadArgumentError(f"two or more words are needed; got {len(word)}.")
    vectors = _load(model, limit)
    cosines = [[vectors.similarity(first, second) for second in word] for first in word]
    if as_json:
        print(json.dumps({"words": word, "cosines": cosines}, ensure_ascii=False))
    elif len(word) == 2:
        print(f"{cosines[0][1]:.3f}")
    else:
        rows = [
            [first, *(f"{c:.3f}" for c in row)] for first, row in zip(word, cosines, strict=True)
        ]
        print(columns([["", *word], *rows]))


@words.command()
def draw(
    word: Annotated[list[str], argument("Three or more words.", "WORD...")],
    output: Annotated[Path, option("An .svg, .pdf or .png file.", "--output", "-o")] = Path(
        "words.svg"
    ),
    model: Model = SHIPPED,
    method: Annotated[str, option("Projection to two dimensions.", metavar="pca|umap")] = "pca",
    neighbors: Annotated[int, option("Also draw this many neighbors of each word.", min=0)] = 0,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """Draw words as points in a plane, where words with similar meanings are close."""
    vectors = _load(model, limit)
    near = [each for name in word for each, _ in vectors.neighbors(name, neighbors)]
    chosen = list(dict.fromkeys(word))
    others = [each for each in dict.fromkeys(near) if each not in chosen]
    flat = scatter.to_plane(vectors.rows([*chosen, *others]), method)
    name, other = ("words", "their neighbors") if others else ("", "")
    count = len(chosen)
    clouds = [
        scatter.Cloud(name, flat.points[:count], chosen),
        scatter.Cloud(other, flat.points[count:], others),
    ]
    with waiting("drawing"):
        style.save(scatter.scatter(clouds, x_name=flat.names[0], y_name=flat.names[1]), output)
    if as_json:
        points = dict(zip([*chosen, *others], flat.points.tolist(), strict=True))
        facts = {"picture": str(output), "axes": flat.names, "points": points}
        print(json.dumps(facts, ensure_ascii=False))
    else:
        print(f"The picture is in {output}.", file=sys.stderr)


def _load(model: str, limit: int | None) -> "WordVectors":
    with waiting(f"reading {model}"):
        return course.words.load_vectors(model, limit=limit)
