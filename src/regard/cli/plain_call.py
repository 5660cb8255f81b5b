"""Calls of the tasks' commands that are read without typer, whose import and whose parsing take
longer than a translation: texts and options of which nothing can be wrong."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regard.checkpoints import shipped
from regard.cli import looked, task_command
from regard.tasks import catalog

if TYPE_CHECKING:
    from regard.cli.looked import PlainLook
    from regard.cli.task_command import TaskCommand

FLAGS = {"--json": "as_json", "--strict": "strict"}
VALUES = {"--model": "model", "-m": "model", "--engine": "engine", "--precision": "precision"}


def plain_call(arguments: Sequence[str]) -> "TaskCommand | PlainLook | None":
    """Return the call of a task's command or of a look that prints; None for whatever typer is to
    read, help and mistakes too."""
    verb, *rest = arguments or ("",)
    if verb == "look":
        return plain_look(rest)
    if verb not in catalog.VERBS:
        return None
    command, texts = task_command.class_of(verb), list[str]()
    common: dict[str, Any] = {"texts": texts}
    following = iter(rest)
    for argument in following:
        if argument in FLAGS:
            common[FLAGS[argument]] = True
        elif argument in VALUES and not (value := next(following, "-")).startswith("-"):
            common[VALUES[argument]] = value
        elif argument.startswith("-"):
            return None
        else:
            texts.append(argument)
    default = command.model_default or catalog.default(catalog.VERBS[verb])
    return task_command.call(verb, **common) if texts and (common.get("model") or default) else None


def plain_look(arguments: Sequence[str]) -> "PlainLook | None":
    """Return a call of `regard look` that prints; None for whatever typer is to read."""
    flags, values = (
        {"--terminal": "terminal", "--json": "as_json"},
        {"--tap": "tap", "--head": "head"},
    )
    settings, plain, following = dict[str, Any](), list[str](), iter(arguments)
    for argument in following:
        if argument in flags:
            settings[flags[argument]] = True
        elif argument in values and not (value := next(following, "-")).startswith("-"):
            settings[values[argument]] = value
        elif argument.startswith("-"):
            return None
        else:
            plain.append(argument)
    if len(plain) != 2 or not plain[1].strip() or not {"terminal", "as_json"} & settings.keys():
        return None
    model, text = plain
    return looked.PlainLook(model, text.strip(), **settings) if shipped.find(model) else None
