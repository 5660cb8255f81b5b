"""`regard classify`: a label for each text, pair of texts or image."""

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.lines import Line
from regard.cli.options import BatchSize, Input, Output, Threads
from regard.cli.texts import destination, line_named, lines_bar, one_line, text_groups
from regard.errors import BadArgumentError

if TYPE_CHECKING:
    from regard.tasks.classification import Classification


def classify(
    model: Annotated[
        str,
        typer.Option(
            "--model", "-m", help="Folder or hub:org/name of a classifier of texts or images."
        ),
    ],
    texts: Annotated[
        list[str] | None,
        typer.Argument(help="Texts or images, each in quotes; otherwise read --input or stdin."),
    ] = None,
    input: Input = None,
    output: Output = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help='Write one JSON object per line. Input lines may be objects with a "text" and, for'
            ' pairs, a "text_pair"; their other fields pass through.',
        ),
    ] = False,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Each text is two, separated by a tab.")
    ] = False,
    images: Annotated[
        bool, typer.Option("--images", help="Each text is the name of an image file.")
    ] = False,
    top_k: Annotated[
        int,
        typer.Option(
            "--top-k",
            min=1,
            help="Labels to show for each text; if more than one, as line number, label and score.",
        ),
    ] = 1,
    batch_size: BatchSize = 32,
    threads: Threads = None,
) -> None:
    """Label texts or images.

    One line in, one line out: the best label and its probability, separated by a tab. An empty
    line stays empty.
    """
    if pairs and images:
        raise BadArgumentError("give either --pairs or --images; got both.")
    groups = text_groups(texts, input, as_json, what="an image" if images else "a text")
    import torch

    from regard.api.loading import load

    if threads:
        torch.set_num_threads(threads)
    options: dict[str, Any] = {"top_k": top_k, "batch_size": batch_size}
    classifier = load(model, "image-classification" if images else "text-classification")
    with (
        destination(output) as file,
        lines_bar(input, "classifying") as bar,
    ):
        for group in groups:
            lines = [line for line in group if line.text.strip()]
            bar(len(group) - len(lines))
            columns: list[Any] = [[line.text for line in lines]]
            if pairs:
                columns = [list(column) for column in zip(*map(_pair, lines), strict=True)]
            with line_named(lines):
                results = classifier.run(*columns, progress=bar, **options) if lines else []
            found = dict(zip((line.number for line in lines), results, strict=True))
            for line in group:
                result = found.get(line.number)
                if result and result.truncated:
                    print(
                        f"regard: line {line.number} is too long for the model; its end was"
                        " ignored.",
                        file=sys.stderr,
                    )
                print(_json(line, result) if as_json else _plain(line, result, top_k), file=file)
            file.flush()


def _pair(line: Line) -> tuple[str, str]:
    second = line.fields.get("text_pair")
    if isinstance(second, str):
        return line.text, second
    parts = line.text.split("\t")
    if len(parts) != 2:
        raise BadArgumentError(
            f"line {line.number} must be two texts with one tab between them (or a JSON object"
            f' with "text" and "text_pair"); it has {len(parts) - 1} tabs.'
        )
    return parts[0], parts[1]


def _json(line: Line, result: "Classification | None") -> str:
    entry = dict(line.fields) or {"text": line.text}
    labels = result.labels if result else []
    entry["labels"] = [{"label": each.label, "score": each.score} for each in labels]
    return json.dumps(entry, ensure_ascii=False)


def _plain(line: Line, result: "Classification | None", top_k: int) -> str:
    if result is None:
        return f"{line.number}\t\t" if top_k > 1 else ""
    if top_k == 1:
        return f"{one_line(result.best.label)}\t{result.best.score:.4f}"
    return "\n".join(
        f"{line.number}\t{one_line(each.label)}\t{each.score:.4f}" for each in result.labels
    )
