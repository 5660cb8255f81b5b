"""`regard export`: a model in another form, which runs without this package."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from regard.cli.options import Json, argument, option
from regard.cli.progress import waiting

export = typer.Typer(name="export", add_completion=False, no_args_is_help=True)


@export.callback()
def _export() -> None:
    """Write a model in a form that runs without this package."""


@export.command()
def page(
    models: Annotated[
        list[str], argument("Models that read or write texts: shipped, folders or hub:org/name.")
    ],
    output: Annotated[Path, option("The .html file to write.", "--output", "-o")],
    as_json: Json = False,
) -> None:
    """Write models and the page as one HTML file: it runs in the browser, without a server or a
    network. Its size is said before it is written."""
    with waiting(f"reading {', '.join(models)}"):
        from regard.studio.live_page import live_page

        made = live_page(models)
    print(f"{output}, {made.megabytes} MB", file=sys.stderr)
    made.write(output)
    if as_json:
        facts = {"path": str(output), "megabytes": made.megabytes, "models": made.models}
        print(json.dumps(facts | {"parameters": made.parameters}, ensure_ascii=False))


@export.command()
def onnx(
    model: Annotated[str, argument("A shipped model's name, a model folder or hub:org/name.")],
    output: Annotated[Path, argument("The folder to write; a new or an empty one.")],
    precision: Annotated[
        str,
        option(
            "What matrices are multiplied in: int8 makes them a quarter of the size, int4 a sixth;"
            " embeddings stay as they are.",
            metavar="fp32|int8|int4",
        ),
    ] = "fp32",
    as_json: Json = False,
) -> None:
    """Write a model as ONNX graphs, which ONNX Runtime runs in other languages, with the tokenizer
    and a README.md that says how: inputs, outputs and the decoding loop."""
    with waiting(f"reading {model}"):
        from regard.exporting.onnx_folder import export_onnx

        written = export_onnx(model, output, precision)
    if as_json:
        facts = {
            "folder": str(written.folder),
            "graphs": written.graphs,
            "own_operators": written.own_operators,
            "bytes": written.bytes,
        }
        print(json.dumps(facts, ensure_ascii=False))
        return
    print(
        f"{written.folder}, {written.bytes / 1e6:.1f} MB; README.md says how to run it",
        file=sys.stderr,
    )
