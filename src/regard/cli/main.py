"""A call of the `regard` command, and what becomes of its errors."""

import os
import sys
import traceback
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NoReturn

from regard.cli.ending import ended_by_signals, is_interruption
from regard.cli.errors import sentence
from regard.cli.plain_call import plain_call
from regard.cli.streams import prepare_streams, say
from regard.errors import BadArgumentError

# Options whose value is text, which may be empty; of others, such as a path, "" is a mistake.
TEXTS = {"--api-key", "--data-note", "--labels", "--prefix", "--separator", "--stop", "--system"}


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and exits: 0, 2 for a mistake the user can mend, 3 for a model that has
    learned nothing, 130 when interrupted, 141 when what reads its output has ended."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    debug = _take_debug(arguments)
    try:
        prepare_streams()
        with ended_by_signals():
            code = _run(arguments)
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


def _run(arguments: list[str]) -> object:
    """Run a command; the exit code, or None."""
    _check_values(arguments)
    if (call := plain_call(arguments)) is not None:
        try:
            return call.run()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is not written
            sys.exit(141)
    import typer

    from regard.cli.app import app

    command = typer.main.get_command(app)
    return command.main(arguments, prog_name="regard", standalone_mode=False)


def _failed(error: Exception, arguments: Sequence[str], debug: bool) -> int:
    """Says what is wrong; the exit code."""
    message = sentence(error, _flags(arguments))
    if debug or message is None:  # a mistake of ours: its report needs the traceback
        traceback.print_exception(error)
    elif message:  # none where the help has been shown instead
        say(message, by_all=getattr(error, "of_another_process", False))
    return 1 if message is None else getattr(error, "exit_code", 2)


def _check_values(arguments: Sequence[str]) -> None:
    """Refuse an empty value of an option, which as a path would be the current folder."""
    options = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    empty = [flag for flag, value in pairwise(options) if value == ""]
    empty += [option[:-1] for option in options if option.startswith("--") and option[-1] == "="]
    if any(flag.startswith("-") for flag in empty):
        valued = {flag for each in _parameters(arguments) if not each.is_flag for flag in each.opts}
        for flag in empty:
            if flag in valued - TEXTS:
                raise BadArgumentError(f"{flag} is empty. Give a value, or leave it out.")


def _flags(arguments: Sequence[str]) -> dict[str, str]:
    """Return the options of the command that the arguments name: parameter → flag."""
    return {each.name or "": each.opts[0] for each in _parameters(arguments)}


def _parameters(arguments: Sequence[str]) -> list[Any]:
    """Return the options of the command that the arguments name."""
    import typer

    from regard.cli.app import app

    command: Any = typer.main.get_command(app)
    for argument in arguments:
        command = getattr(command, "commands", {}).get(argument, command)
    parameters = command.get_params(typer.Context(command))
    return [parameter for parameter in parameters if parameter.opts[0][:2] == "--"]


def _take_debug(arguments: list[str]) -> bool:
    """--debug counts in any place: it is added to the end of a command that has failed."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    if "--debug" not in arguments[:end]:
        return False
    arguments.remove("--debug")
    return True
