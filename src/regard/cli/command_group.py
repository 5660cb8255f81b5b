"""Commands whose modules are imported when they are called or explained, not at every start."""

from collections import UserDict
from collections.abc import Callable
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from regard.tasks import catalog

OTHERS = (
    "evaluate",
    "ladder",
    "look",
    "roles",
    "explain",
    "meaning",
    "studio",
    "serve",
    "info",
    "get",
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

    def __getitem__(self, name: str) -> object:
        if self.data[name] is None:
            self.data[name] = _command(name)
        return self.data[name]


def _command(name: str) -> object:
    """Return the function or the typer.Typer of this name in the module of this name, as a
    command."""
    if name in catalog.VERBS:
        from regard.cli.made_command import task_command

        return task_command(name)
    member = getattr(import_module(f"regard.cli.commands.{name}"), name)
    if not isinstance(member, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(member)
        member = alone
    command = typer.main.get_command(member)
    command.name = name
    return command


class LazyCommand(TyperCommand):
    """For `@app.command(cls=LazyCommand)`: the decorated function returns the command's function.

    Only the name and the help, which are the decorated function's, are there before that.
    """

    def __init__(self, name: str | None, *, callback: Callable[[], Any], **settings: Any) -> None:
        super().__init__(name, **settings)
        self._make: Callable[[], Any] | None = callback

    def get_params(self, ctx: Any) -> list[Any]:
        if self._make is not None:
            app = typer.Typer(add_completion=False)
            app.command(self.name)(self._make())
            made = typer.main.get_command(app)
            self.params, self.callback, self._make = made.params, made.callback, None
        return super().get_params(ctx)
