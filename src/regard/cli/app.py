"""The `regard` command: its subcommands, and what becomes of their errors."""

import sys
import textwrap
import traceback
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from regard import __version__, catalog
from regard.cli.command_group import CommandGroup
from regard.cli.ending import ended_by_signals, is_interruption
from regard.cli.errors import sentence
from regard.cli.streams import prepare_streams, say

app = typer.Typer(
    name="regard",
    cls=CommandGroup,
    help="Transformers you can see through.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command and exits: 0, 2 for a mistake the user can mend, 130 when interrupted, 141
    when what reads its output has ended."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    debug = _take_debug(arguments)
    try:
        prepare_streams()
        with ended_by_signals():
            code = typer.main.get_command(app).main(
                arguments, prog_name="regard", standalone_mode=False
            )
    except KeyboardInterrupt:  # before a command has begun, which catches it
        code = 130
    except SystemExit as ending:
        if isinstance(ending.__context__, BrokenPipeError):  # which typer ends with a 1
            sys.exit(141)
        raise
    except Exception as error:
        code = 130 if is_interruption(error) else _failed(error, arguments, debug)
    if code == 130:
        say("interrupted.")
    sys.exit(code if isinstance(code, int) else 0)


def _failed(error: Exception, arguments: Sequence[str], debug: bool) -> int:
    """Says what is wrong; the exit code."""
    message = sentence(error, _flags(arguments))
    if debug or message is None:  # a mistake of ours: its report needs the traceback
        traceback.print_exception(error)
    elif message:  # none where the help has been shown instead
        say(message)
    return 1 if message is None else 2


def _flags(arguments: Sequence[str]) -> dict[str, str]:
    """The options of the command that the arguments name: parameter → flag."""
    command = typer.main.get_command(app)
    for argument in arguments:
        command = getattr(command, "commands", {}).get(argument, command)
    parameters = command.get_params(typer.Context(command))
    return {
        parameter.name or "": parameter.opts[0]
        for parameter in parameters
        if parameter.opts[0][:2] == "--"
    }


def _take_debug(arguments: list[str]) -> bool:
    """--debug counts in any place: it is added to the end of a command that has failed."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    if "--debug" not in arguments[:end]:
        return False
    arguments.remove("--debug")
    return True


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
    """Transformers you can see through: train them, run them, look at what they attend to."""
    if context.invoked_subcommand is None:
        print(first_words())


def first_words() -> str:
    """The text of `regard` without a command: what to try first, and the shipped models."""
    shipped = ", ".join(f"{name} ({each.what})" for name, each in catalog.SHIPPED.items())
    models = textwrap.fill(f"Shipped models: {shipped}.", 80)
    return f"""\
Transformers you can see through. Try:

  regard translate "Where is the station?" --attention
  regard look en-de "Where is the station?"   # every head, in the browser
  regard studio                               # lessons, and your own models
  regard train translation pairs.tsv          # a translator of your own

{models}
regard info says what each is for; regard --help lists everything."""
