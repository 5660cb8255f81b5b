"""`regard words train`: vectors of the words of your own text."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard import course
from regard.cli.options import Corpus, Json, flags, option, specified
from regard.cli.progress import progress_bar, waiting
from regard.cli.texts import text_groups
from regard.errors import BadArgumentError, unknown

if TYPE_CHECKING:
    from typer.models import OptionInfo

METHODS = ("skip-gram", "svd")
DIM = 100
WHOLE = ("method", "dim")  # of vectors that begin from nothing
SKIP_GRAM = ("epochs", "negatives", "subsample", "learning_rate", "seed")


def _skip_gram(help: str, default: str, **more: object) -> "OptionInfo":
    """Return an option of skip-gram alone, whose default stands in `train_vectors`."""
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
    str | None,
    option(
        "skip-gram with negative sampling, or svd: neighbors counted and factorized.",
        default=METHODS[0],
        metavar="|".join(METHODS),
    ),
]
From = Annotated[
    str | None,
    option(
        "Keep these vectors, and add the words that they lack: words-en, or a file or folder.",
        "--from",
    ),
]
Word = Annotated[
    list[str] | None,
    option("With --from, add only this; repeat it for more.", "--word", metavar="WORD"),
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
    base_model: From = None,
    word: Word = None,
    method: Method = None,
    dim: Annotated[int | None, option("Numbers in a vector.", default="100", min=1)] = None,
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
    """Train word vectors on your text, or add its words to trained ones."""
    options = specified(context, SKIP_GRAM)
    if base_model is None:
        _check_method(method, word, options)
    elif useless := flags(specified(context, (*WHOLE, *SKIP_GRAM))):
        raise BadArgumentError(
            f"--from keeps the vectors of {base_model} as they are; leave out {useless}."
        )
    groups = text_groups(None, file, False, what="a text")
    texts = [line.text for group in groups for line in group]
    shared = dict(window=window, min_count=min_count)
    before = 0
    if base_model is not None:
        with waiting("adding words"):
            trained = course.words.load_vectors(base_model)
            before = len(trained)
            vectors = course.words.cooccurrence.extend_vectors(
                trained, texts, words=word or None, **shared
            )
    elif method == "svd":
        with waiting("counting neighbors"):
            vectors = course.words.cooccurrence.factorize_vectors(texts, dim=dim or DIM, **shared)
    else:
        with _training_bar() as progress:
            vectors = course.words.cooccurrence.train_vectors(
                texts, dim=dim or DIM, **shared, **options, progress=progress
            )
    vectors.save(output, half=half)
    added = {} if base_model is None else {"added": vectors.words[before:]}
    facts = {"words": len(vectors), **added, "dim": vectors.dim, "lines": len(texts)}
    if as_json:
        print(json.dumps({**facts, "output": str(output)}, ensure_ascii=False))
        return
    count = (
        f"{len(vectors):,} words"
        if base_model is None
        else (f"{before:,} words of {base_model} and {len(vectors) - before:,} new")
    )
    print(f"{count}, {vectors.dim} numbers each, from {len(texts):,} lines.")
    print(f"Next: regard words near {vectors.words[before]} -m {output}")


def _check_method(method: str | None, word: list[str] | None, options: dict[str, Any]) -> None:
    """Raise BadArgumentError for what does nothing without --from."""
    if method not in (None, *METHODS):
        raise unknown("--method", method, METHODS)
    if method == "svd" and (names := flags(options)):
        raise BadArgumentError(f"{names} belong to skip-gram; leave them out with --method svd.")
    if word:
        raise BadArgumentError("--word names what is added to the vectors of --from; give both.")


@contextmanager
def _training_bar() -> Iterator[Callable[[int, int], None]]:
    """Return a bar of all the texts that are to be read, over all epochs; begun when their number
    is known."""
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
