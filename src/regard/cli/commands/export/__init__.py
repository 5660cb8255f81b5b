"""`regard export`: a model in another form."""

import typer

from regard.cli.commands.export.onnx import onnx
from regard.cli.commands.export.page import page

export = typer.Typer(name="export", add_completion=False, no_args_is_help=True)


@export.callback()
def _export() -> None:
    """Write a model in a form that runs without this package."""


export.command()(page)
export.command()(onnx)
