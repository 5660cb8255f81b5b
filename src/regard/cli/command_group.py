"""Commands whose modules are imported when they are called or explained, not at every start."""

from collections import UserDict
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from regard import catalog

OTHERS = (
    "run",
    "evaluate",
    "ladder",
    "look",
    "explain",
    "meaning",
    "studio",
    "serve",
    "info",
    "pack",
    "doctor",
)
GROUPS = ("train", "words", "export")


class CommandGroup(TyperGroup):
    """For `typer.Typer(cls=CommandGroup)`: the group has the commands of these names, in order."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands(dict.fromkeys((*catalog.VERBS, *OTHERS, *GROUPS)))


class _Commands(UserDict[str, Any]):
    """Commands by name. Looking one up imports its module; going through the names does not."""

    def __getitem__(self, name: str) -> Any:
        if self.data[name] is None:
            self.data[name] = _command(name)
        return self.data[name]


def _command(name: str) -> Any:
    """The function or the typer.Typer of this name in the module of this name, as a command."""
    if name in catalog.VERBS:
        from regard.cli.task_command import task_command

        return task_command(name)
    found = getattr(import_module(f"regard.cli.commands.{name}"), name)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        found = alone
    command = typer.main.get_command(found)
    command.name = name
    return command
