"""`regard words train`: vectors of the words of your own text."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from regard.cli.options import Corpus, Json, flags, option, specified
from regard.cli.progress import progress_bar, waiting
from regard.cli.texts import text_groups
from regard.errors import BadArgumentError, unknown

METHODS = ("skip-gram", "svd")
SKIP_GRAM = ("epochs", "negatives", "subsample", "learning_rate", "seed")


def _skip_gram(help: str, default: str, **more: Any) -> Any:
    """An option of skip-gram alone, whose default stands in `train_vectors`."""
    return option(f"{help} Skip-gram.", default=default, **more)


Output = Annotated[
    Path,
    option(
        "A folder, or a file for other programs: .txt or .vec (word2vec's text), .bin (its binary),"
        " each also with .gz.",
        "--output",
        "-o",
    ),
]
Method = Annotated[
    str,
    option(
        "skip-gram with negative sampling, or svd: neighbors counted and factorized.",
        metavar="|".join(METHODS),
    ),
]
Negatives = Annotated[int | None, _skip_gram("Random words for each real one.", "5", min=1)]
Subsample = Annotated[
    float | None,
    _skip_gram("Words with a larger share of the text are often skipped.", "0.001", min=0),
]


def train(
    context: typer.Context,
    file: Corpus = None,
    output: Output = Path("vectors"),
    method: Method = METHODS[0],
    dim: Annotated[int, option("Numbers in a vector.", min=1)] = 100,
    window: Annotated[int, option("Words on each side that count as neighbors.", min=1)] = 5,
    min_count: Annotated[int, option("Words that occur less often get no vector.", min=1)] = 5,
    epochs: Annotated[
        int | None, _skip_gram("How many times the text is read.", "10", min=1)
    ] = None,
    negatives: Negatives = None,
    subsample: Subsample = None,
    learning_rate: Annotated[
        float | None, _skip_gram("Initial learning rate.", "0.025", min=0)
    ] = None,
    seed: Annotated[int | None, _skip_gram("The same seed gives the same vectors.", "1")] = None,
    half: Annotated[bool, option("Write 16-bit numbers; only for a folder.", "--half")] = False,
    as_json: Json = False,
) -> None:
    """Train word vectors on your text."""
    options = specified(context, SKIP_GRAM)
    if method not in METHODS:
        raise unknown("--method", method, METHODS)
    if method == "svd" and (names := flags(options)):
        raise BadArgumentError(f"{names} belong to skip-gram; leave them out with --method svd.")
    groups = text_groups(None, file, False, what="a text")
    texts = [line.text for group in groups for line in group]
    shared = dict(dim=dim, window=window, min_count=min_count)
    if method == "svd":
        with waiting("counting neighbors"):
            from regard.words.cooccurrence import factorize_vectors

            vectors = factorize_vectors(texts, **shared)
    else:
        from regard.words.skip_gram import train_vectors

        with _training_bar() as progress:
            vectors = train_vectors(texts, **shared, **options, progress=progress)
    vectors.save(output, half=half)
    facts = {"words": len(vectors), "dim": vectors.dim, "lines": len(texts), "output": str(output)}
    if as_json:
        print(json.dumps(facts, ensure_ascii=False))
    else:
        print(f"{len(vectors):,} words, {vectors.dim} numbers each, from {len(texts):,} lines.")
        print(f"Next: regard words near {vectors.words[0]} -m {output}")


@contextmanager
def _training_bar() -> Iterator[Callable[[int, int], None]]:
    """A bar of all the texts that are to be read, over all epochs; begun when their number is
    known."""
    with ExitStack() as stack:
        advance: Any = None
        before = 0

        def progress(done: int, total: int) -> None:
            nonlocal advance, before
            if advance is None:
                advance = stack.enter_context(progress_bar(total, "training"))
            advance(done - before)
            before = done

        yield progress
