"""`regard encode`: texts to vectors, as JSON lines or one NPY file."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.lines import Line
from regard.cli.options import BatchSize, Input, Threads
from regard.cli.texts import destination, line_named, lines_bar, text_groups

if TYPE_CHECKING:
    from regard.tasks.embedding import Embedder, Embedding

Write = Callable[[list[Line], "list[Embedding]"], None]


def encode(
    model: Annotated[
        str, typer.Option("--model", "-m", help="Folder or hub:org/name of an encoder.")
    ],
    texts: Annotated[
        list[str] | None,
        typer.Argument(help="Texts to encode, each in quotes; otherwise read --input or stdin."),
    ] = None,
    input: Input = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write: an array (lines, width) if its name ends in .npy, otherwise JSON"
            " lines. A failed run leaves no partial file.",
        ),
    ] = None,
    pooling: Annotated[
        str | None,
        typer.Option(
            "--pooling",
            metavar="mean|cls|max",
            help="How the tokens' states become one vector.",
            show_default="model's",
        ),
    ] = None,
    normalize: Annotated[
        bool | None,
        typer.Option(
            "--normalize/--no-normalize",
            help="Scale each vector to length one, or not.",
            show_default="model's",
        ),
    ] = None,
    batch_size: BatchSize = 32,
    threads: Threads = None,
) -> None:
    """Turn texts into vectors that are close if the texts have similar meanings.

    One line in, one vector out. Input lines may be JSON objects with a "text", whose other fields
    pass through to JSON lines.
    """
    groups = text_groups(texts, input, True, what="a text")
    import torch

    from regard.api.loading import load

    if threads:
        torch.set_num_threads(threads)
    embedder = load(model, "feature-extraction")
    cut = lines = 0
    with (
        _writer(output, embedder) as write,
        lines_bar(input, "encoding") as bar,
    ):
        for group in groups:
            with line_named(group):
                found = embedder.run(
                    [line.text for line in group],
                    pooling=pooling,
                    normalize=normalize,
                    batch_size=batch_size,
                    progress=bar,
                )
            write(group, found)
            lines += len(group)
            cut += sum(each.truncated for each in found)
    summary = f"{lines:,} texts → vectors of {embedder.model.config.d_model} numbers"
    if cut:
        summary += f"; {cut:,} were longer than {embedder.max_length} tokens and were cut"
    print(f"regard: {summary}.", file=sys.stderr)


@contextmanager
def _writer(output: Path | None, embedder: "Embedder") -> Iterator[Write]:
    if output is not None and output.suffix == ".npy":
        with _npy(output, embedder.model.config.d_model) as write:
            yield write
        return
    with destination(output) as file:

        def write(lines: list[Line], found: "list[Embedding]") -> None:
            for line, each in zip(lines, found, strict=True):
                entry = dict(line.fields) or {"text": line.text}
                entry["embedding"] = [float(f"{x:.9g}") for x in each.vector]  # all of a float32
                print(json.dumps(entry, ensure_ascii=False), file=file)
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

        def write(lines: list[Line], found: "list[Embedding]") -> None:
            nonlocal rows
            for each in found:
                file.write(each.vector.astype("<f4").tobytes())
            rows += len(found)

        yield write
        header(file)
