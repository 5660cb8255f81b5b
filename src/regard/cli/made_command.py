"""The commands of the tasks, made from their declarations."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from regard.cli import options
from regard.cli.command_group import LazyCommand
from regard.cli.file_options import FileOptions, without
from regard.cli.task_command import class_of
from regard.cli.training_options import takes
from regard.tasks import catalog
from regard.tasks.declaration import Kind


def task_command(verb: str) -> LazyCommand:
    """Return the command of a task; its options are there when they are needed."""
    return LazyCommand(verb, callback=partial(_make, verb), help=catalog.doing(verb).help)


def _make(verb: str) -> Callable[..., None]:
    """Return the function of a task's command, with an option for each of the task's."""
    kind, cls = catalog.doing(verb), class_of(verb)

    def command(
        texts: Annotated[options.Texts, options.texts_to(verb)] = None,
        model: str | None = None,
        input: options.Input = None,
        output: options.Output = None,
        as_json: options.JsonLines = False,
        strict: options.Strict = False,
        batch_size: options.BatchSize = kind.batch_size,
        threads: options.Threads = None,
        engine: options.Engine = "auto",
        precision: options.Precision = None,
        **arguments: object,
    ) -> None:
        common: dict[str, Any] = dict(
            texts=texts, model=model, input=input, output=output, as_json=as_json
        )
        common |= dict(strict=strict, batch_size=batch_size, threads=threads)
        common |= dict(engine=engine, precision=precision)
        cls(verb, common, arguments).run()

    signature = inspect.signature(command)
    parameters = dict(signature.parameters)
    parameters["model"] = _model(kind, cls.model_default, parameters["model"])
    command.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[
            each if each.kind is each.VAR_KEYWORD else each.replace(kind=each.KEYWORD_ONLY)
            for each in parameters.values()
        ]
    )
    command.__doc__ = kind.help
    return takes(cls.own, FileOptions, kind.options_class(), but=without(cls.roles))(command)


def _model(kind: Kind, default: str | None, parameter: inspect.Parameter) -> inspect.Parameter:
    """Return the option --model, which must be given if no model is shipped for the task."""
    shipped = default or catalog.default(catalog.VERBS[kind.verb])
    help = f"A name, a folder or hub:org/name: {kind.example}."
    hint = Annotated[str | None, options.model_option(help, default=shipped)]
    if shipped:
        return parameter.replace(annotation=hint)
    required: Any = Annotated[str, options.model_option(help)]
    return parameter.replace(annotation=required, default=inspect.Parameter.empty)
