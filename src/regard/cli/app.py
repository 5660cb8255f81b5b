"""The `regard` command and its subcommands."""

import textwrap
from typing import Annotated

import typer

from regard import __version__
from regard.checkpoints import shipped
from regard.cli.command_group import CommandGroup

app = typer.Typer(
    name="regard",
    cls=CommandGroup,
    help="Transformers you can see through.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"regard {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; may be given anywhere.")
    ] = False,
) -> None:
    """Transformers you can see through: train them, run them, look at what they attend to."""  # noqa: D401 -- the help
    if context.invoked_subcommand is None:
        print(first_words())


def first_words() -> str:
    """Return the text of `regard` without a command: what to try first, and the shipped models."""
    models = ", ".join(f"{name} ({each.what})" for name, each in shipped.SHIPPED.items())
    models = textwrap.fill(f"Shipped models: {models}.", 80)
    return f"""\
Transformers you can see through. Try:

  regard translate "Where is the station?" --attention
  regard look en-de "Where is the station?"   # every head, in the browser
  regard studio                               # lessons, and your own models
  regard train translation pairs.tsv          # a translator of your own

{models}
regard info says what each is for; regard --help lists everything."""
