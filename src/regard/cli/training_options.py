"""Options of the commands that train, made from the fields of a class of options."""

import inspect
import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import Field, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from regard.cli.streams import is_first_process
from regard.lazy import torch

if TYPE_CHECKING:
    from regard.options import Options

OptionsT = TypeVar("OptionsT", bound="Options")
Command = Callable[..., None]


def takes(*kinds: type[Any], but: frozenset[str] = frozenset()) -> Callable[[Command], Command]:
    """Return a decorator: the command gets an option for each field that is one, as a keyword.

    An option that the user does not give is None, so that the class's own default counts. Of fields
    of one name the first is shown.

    Args:
        but: fields that the command has no option for.
    """
    settings: dict[str, Any] = {}
    for kind in kinds:
        hints = get_type_hints(kind)
        for setting in fields(kind):
            if setting.metadata:
                settings.setdefault(setting.name, (hints[setting.name], setting))
    options = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=False if setting.default is False else None,
            annotation=_annotation(hint, setting),
        )
        for name, (hint, setting) in settings.items()
        if name not in but
    ]

    def add(command: Command) -> Command:
        signature = inspect.signature(command)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]
        every = sorted(own + options, key=lambda each: each.name == "threads")

        @wraps(command)
        def with_options(**arguments: object) -> None:
            command(**arguments)

        with_options.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
        with_options.__annotations__ = {each.name: each.annotation for each in every}
        return with_options

    return add


def options_from(kind: type[OptionsT], arguments: dict[str, Any]) -> OptionsT:
    """Return the options that a command was given; those it was not given keep their defaults."""
    return kind(**{name: value for name, value in arguments.items() if value is not None})


def _annotation(hint: Any, setting: "Field[Any]") -> object:
    about, name, default = setting.metadata, setting.name, setting.default
    shown = about["shown"] or (
        False if default is None or default is False or default == () else str(default)
    )
    if default == ():
        hint = list[str]
    bounds = f"; {about['bounds']}." if about["bounds"] else "."
    option = typer.Option(
        *(about["flag"] or f"--{name.replace('_', '-')}").split(),
        help=about["help"].removesuffix(".") + bounds,
        show_default=shown,
        metavar=about["metavar"],
        rich_help_panel=about["panel"],
    )
    return Annotated[hint if default is False else hint | None, option]


def use_run_threads(threads: int | None, run: Path) -> None:
    """Compute with `threads`; by default with as many as the run in the folder began with, if this
    machine has them and there are as many processes, so that the same command gives the same
    bits."""
    from regard.training import RunFolder
    from regard.training.processes import launched

    if threads is None:
        fold = run / "folds" / "1"
        began = RunFolder(fold if fold.is_dir() else run)
        threads = began.threads if began.processes == launched() else None
        if threads in (None, torch.get_num_threads()) or threads > (os.cpu_count() or 1):
            return
        if is_first_process():
            print(f"Using --threads {threads}, as this run did when it began.", file=sys.stderr)
    torch.set_num_threads(threads)


def command_line() -> str:
    """Return the command as it was given, for the model card."""
    from regard.training.processes import launched

    several = launched()
    start = "regard" if several == 1 else f"torchrun --nproc-per-node {several} -m regard"
    return f"{start} {shlex.join(sys.argv[1:])}"
