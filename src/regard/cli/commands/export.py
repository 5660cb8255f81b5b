"""`regard export`: a model in another form, which runs without this package."""

import json
import sys
from dataclasses import asdict
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
    model: Annotated[str, argument("A translator: a shipped model, a folder or hub:org/name.")],
    output: Annotated[Path, option("The .html file to write.", "--output", "-o")],
    as_json: Json = False,
) -> None:
    """Write a translator and the page as one HTML file: it runs in the browser, without a server or
    a network."""
    with waiting(f"reading {model}"):
        from regard.studio.translator_page import translator_page

        written = translator_page(model, output)
    if as_json:
        print(json.dumps({**asdict(written), "path": str(written.path)}, ensure_ascii=False))
    else:
        print(f"{written.path}, {written.megabytes} MB", file=sys.stderr)


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
