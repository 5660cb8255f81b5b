"""`regard export`: a model in another form."""

import typer

from regard.cli.commands.export.page import page

export = typer.Typer(name="export", no_args_is_help=True)


@export.callback()
def _export() -> None:
    """Write a model as something that runs without Python."""


export.command()(page)
