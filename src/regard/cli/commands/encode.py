"""`regard encode`: texts to vectors, as JSON lines or one NPY file."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from regard.cli import options
from regard.cli.lines import Line
from regard.cli.options import model_option, option
from regard.cli.refusals import Refusals
from regard.cli.streams import say
from regard.cli.texts import destination, json_line, lines_bar, text_groups

if TYPE_CHECKING:
    from regard.tasks.embedding import Embedding

Write = Callable[[list[tuple[Line, "Embedding | None"]]], None]

Output = Annotated[
    Path | None,
    option(
        "File to write: an array (lines, width) if its name ends in .npy, otherwise JSON lines. A"
        " failed run leaves no partial file.",
        "--output",
        "-o",
    ),
]
Pooling = Annotated[
    str | None,
    option("How the tokens' states become one vector.", default="model's", metavar="mean|cls|max"),
]
Normalize = Annotated[
    bool | None,
    option(
        "Scale each vector to length one, or not.", "--normalize/--no-normalize", default="model's"
    ),
]


def encode(
    texts: Annotated[options.Texts, options.texts_to("encode")] = None,
    model: Annotated[
        str, model_option("A shipped model's name, a folder or hub:org/name of an encoder.")
    ] = "sentences",
    input: options.Input = None,
    output: Output = None,
    pooling: Pooling = None,
    normalize: Normalize = None,
    strict: options.Strict = False,
    batch_size: options.BatchSize = 32,
    threads: options.Threads = None,
    engine: options.Engine = "auto",
    precision: options.Precision = None,
) -> None:
    """Turn texts into vectors that are close if the texts have similar meanings.

    One line in, one vector out. Input lines may be JSON objects with a "text", whose other fields
    pass through to JSON lines. A line that cannot be read is named, and has null or a row of NaN
    in a vector's place; the exit code is then 2.
    """
    groups = text_groups(texts, input, True, what="a text", keep_bad=not strict)
    from regard.api.loading import load

    embedder = load(model, "feature-extraction")
    embedder = options.run_by(embedder, engine, precision, threads)
    cut = 0
    width = embedder.width

    def encoded(lines: list[Line], progress: Any) -> "list[Embedding]":
        return embedder.run(
            [line.text for line in lines],
            pooling=pooling,
            normalize=normalize,
            batch_size=batch_size,
            progress=progress,
        )

    refusals = Refusals(encoded, keep_going=not (texts or strict), blank=True)
    with _writer(output, width) as write, lines_bar(input, "encoding") as bar:
        for group in groups:
            found = refusals.answers(group, bar)
            write(found)
            cut += sum(each.truncated for _, each in found if each is not None)
    texts_read = "1 text" if refusals.total == 1 else f"{refusals.total:,} texts"
    summary = f"{texts_read} → vectors of {width} numbers"
    if cut:
        were = "was" if cut == 1 else "were"
        summary += f"; {cut:,} {were} longer than {embedder.max_length} tokens and {were} cut"
    say(f"{summary}.")
    refusals.end()


@contextmanager
def _writer(output: Path | None, width: int) -> Iterator[Write]:
    if output is not None and output.suffix == ".npy":
        with _npy(output, width) as write:
            yield write
        return
    with destination(output) as file:

        def write(found: "list[tuple[Line, Embedding | None]]") -> None:
            for line, each in found:
                # Nine digits are all of a float32.
                vector = None if each is None else [float(f"{x:.9g}") for x in each.vector]
                print(json_line(line, embedding=vector), file=file)
            file.flush()

        yield write


@contextmanager
def _npy(output: Path, width: int) -> Iterator[Write]:
    """Rows as they come; the header, which has room for it, learns their number at the end."""
    import numpy as np

    from regard.files import whole_file

    rows = 0

    def header(file: Any) -> None:
        file.seek(0)
        described = {"descr": "<f4", "fortran_order": False, "shape": (rows, width)}
        np.lib.format.write_array_header_1_0(file, described)

    with whole_file(output) as path, path.open("wb") as file:
        header(file)

        def write(found: "list[tuple[Line, Embedding | None]]") -> None:
            nonlocal rows
            for _, each in found:
                vector = np.full(width, np.nan) if each is None else each.vector
                file.write(vector.astype("<f4").tobytes())
            rows += len(found)

        yield write
        header(file)
