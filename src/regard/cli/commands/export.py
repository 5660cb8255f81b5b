"""`regard export`: a model in another form, which runs without this package."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from regard.cli.options import Json, argument, option
from regard.cli.progress import waiting
from regard.studio import live_page

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
        made = live_page.live_page(models)
    print(f"{output}, {made.megabytes} MB", file=sys.stderr)
    made.write(output)
    if as_json:
        facts = {"path": str(output), "megabytes": made.megabytes, "models": made.models}
        print(json.dumps(facts | {"parameters": made.parameters}, ensure_ascii=False))
