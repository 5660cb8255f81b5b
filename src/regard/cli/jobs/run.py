"""`regard run`: a task over whole files, in parts that survive a crash, here or on a cluster."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from regard.cli import options
from regard.cli.command_group import LazyCommand
from regard.cli.options import argument, model_option, option
from regard.cli.progress import progress_bar
from regard.cli.refusals import say_doubts
from regard.cli.streams import say
from regard.cli.training_options import takes
from regard.errors import BadArgumentError, check_choice
from regard.options import Options, with_options
from regard.options import option as setting
from regard.tasks import catalog

if TYPE_CHECKING:
    from regard.cli.jobs import Job, Summary

RUNNERS = ("local", "ray")

Input = Annotated[
    str,
    argument(
        "File of Parquet, JSON lines, CSV or TSV with names in the first row, or text with one text"
        " a line (.txt, …), all but the first also .gz; or a pattern in quotes, such as"
        " 'parts/*.jsonl'."
    ),
]
Output = Annotated[
    Path, argument("File to write, completely or not at all: .parquet, .jsonl, or text.")
]
IdColumn = Annotated[
    str | None,
    option(
        "Column of the records' ids: the output repeats it, and leaves the other columns out.",
        "--id",
        metavar="COLUMN",
    ),
]
Delimiter = Annotated[
    str | None,
    option("Between the cells of CSV.", default="as the first lines look", metavar="CHARACTER"),
]
Runner = Annotated[
    str,
    option("Where the workers are: here, or actors of Ray.", metavar="|".join(RUNNERS)),
]
Address = Annotated[
    str | None,
    option(
        "Of a Ray cluster, such as auto or ray://host:10001; without it, Ray is started here.",
        metavar="ADDRESS",
    ),
]
Workers = Annotated[
    int, option("Workers; each holds the model where torch computes, and on Ray.", min=1)
]
Threads = Annotated[
    int | None,
    option("CPU threads of each worker.", default="the cores, shared by the workers", min=1),
]
ShardSize = Annotated[
    int, option("Lines per part; a crash loses at most one part per worker.", min=1)
]
ComputedBy = Annotated[str | None, typer.Option("--computed-by", hidden=True)]


class Tasks(TyperGroup):
    """A command for each task; its name may stand anywhere among the arguments."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        names = [arg for arg in args if arg in catalog.VERBS]
        if names:
            place = args.index(names[0])
            args = [args[place], *args[:place], *args[place + 1 :]]
        elif (first := next((arg for arg in args if arg[:1] != "-"), None)) is not None:
            check_choice("task", first, catalog.VERBS)
        return super().parse_args(ctx, args)


run = typer.Typer(name="run", add_completion=False, no_args_is_help=True, cls=Tasks)


@run.callback()
def _tasks() -> None:
    """Do a task for every line of files.

    What is done is kept: after Ctrl-C or a crash, the same command continues. A line that cannot be
    answered is left out, and OUTPUT.bad.jsonl names it; the exit code is then 2.
    """


class OneTask(LazyCommand):
    """The command of a task, which says of an option of other tasks whose it is."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            name = getattr(error, "option_name", "").lstrip("-").replace("-", "_")
            if str(error).startswith("No such option"):
                refusal = str(catalog.not_of(str(self.name), name))
                flag = f"--{name.replace('_', '-')}"
                raise BadArgumentError(refusal.replace(f"`{name}`", flag)) from error
            raise


def _add(verb: str) -> None:
    @run.command(verb, help=catalog.doing(verb).summary, cls=OneTask)
    def make() -> Callable[..., None]:
        return takes(_columns(verb), catalog.doing(verb).options_class())(_command(verb))


def _columns(verb: str) -> Any:
    """The options that name the columns of a task's inputs."""
    first, *others = catalog.doing(verb).inputs
    flags = [("text", first), *((each.name, each) for each in others)]
    columns = [
        (
            name,
            str | None,
            setting(
                None,
                f"Column of {each.help}.",
                shown=None if each.optional else each.name,
                metavar="COLUMN",
            ),
        )
        for name, each in flags
    ]
    return with_options(Options, columns)


def _command(verb: str) -> Callable[..., None]:
    kind = catalog.doing(verb)
    columns = ["text", *(each.name for each in kind.inputs[1:])]
    shipped = catalog.default(catalog.VERBS[verb])
    help = f"A name, a folder or hub:org/name: {kind.example}."

    def command(
        input: Input,
        output: Output,
        model: Annotated[str | None, model_option(help, default=shipped)] = None,
        id: IdColumn = None,
        delimiter: Delimiter = None,
        runner: Runner = "local",
        address: Address = None,
        workers: Workers = 1,
        threads: Threads = None,
        shard_size: ShardSize = kind.shard,
        batch_size: options.BatchSize = kind.batch_size,
        engine: options.Engine = "auto",
        precision: options.Precision = None,
        computed_by: ComputedBy = None,
        strict: options.Strict = False,
        as_json: options.Json = False,
        **arguments: Any,
    ) -> None:
        if computed_by is not None:
            raise BadArgumentError("--computed-by is now --engine.")
        if engine in RUNNERS:
            raise BadArgumentError(f"--engine {engine} is now --runner {engine}.")
        check_choice("runner", runner, RUNNERS)
        if address is not None and runner != "ray":
            raise BadArgumentError("--address is of a Ray cluster. Add --runner ray.")
        model = model or shipped
        if model is None:
            raise BadArgumentError(f"{verb} needs --model: none comes with regard for it.")
        from regard.cli.jobs import Job
        from regard.engine.batching import cores
        from regard.engine.engines import check_engine

        check_engine(engine, precision=precision, threads=None)
        text, *others = (arguments.pop(name) for name in columns)
        chosen = {name: value for name, value in arguments.items() if value is not None}
        job = Job(
            verb,
            input,
            output,
            model=model,
            text=text,
            other=others[0] if others else None,
            id=id,
            delimiter=delimiter,
            options=catalog.chosen(verb, chosen),
            shard_size=shard_size,
            batch_size=batch_size,
            engine=engine,
            precision=precision,
            say=say,
        )
        threads = threads or max(1, cores() // workers)
        if runner == "ray":
            from regard.cli.jobs import cluster

            parts: Any = partial(cluster.parts, workers=workers, threads=threads, address=address)
        else:
            from regard.cli.jobs import local

            parts = partial(local.parts, workers=workers, threads=threads)
        with _keeping(job):
            summary = job.run(parts, strict=strict, bar=_bar, say=say)
        _show(summary, as_json)
        if summary.doubts:
            name = Path(job.settings.model).name
            total = summary.read - summary.resumed
            say_doubts(name, summary.doubted, summary.doubts, total)
        if summary.bad:
            raise typer.Exit(2)

    return command


for _verb in catalog.VERBS:
    _add(_verb)


def _bar(total: int, done: int) -> AbstractContextManager[Callable[[int], None]]:
    if done:
        say(f"{done:,} of {_lines(total)} {'is' if done == 1 else 'are'} done already.")
    return progress_bar(total, "running", done=done, rate="lines")


@contextmanager
def _keeping(job: "Job") -> Iterator[None]:
    """Says, where a signal ends the job, what is kept of it."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        done, lines = job.done(), _lines(job.input.lines)
        say(f"{done:,} of {lines} {'is' if done == 1 else 'are'} done; the same command continues.")
        raise


def _show(summary: "Summary", as_json: bool) -> None:
    fields = {
        "in": summary.read,
        "out": summary.written,
        "bad": summary.bad,
        "resumed": summary.resumed,
        "seconds": round(summary.seconds, 3),
        "output": str(summary.output),
        "bad_file": None if summary.bad_file is None else str(summary.bad_file),
    }
    if as_json:
        print(json.dumps(fields, ensure_ascii=False))
        return
    rate = (summary.read - summary.resumed) / max(summary.seconds, 1e-9)
    text = f"{_lines(summary.read)} in, {summary.written:,} out, {summary.bad:,} bad"
    say(f"{text}; {summary.seconds:,.1f} seconds, {rate:,.1f} lines/s.")
    if summary.bad_file is not None:
        lines = "the bad line" if summary.bad == 1 else "the bad lines"
        say(f"{summary.bad_file} names {lines}, and why.")


def _lines(number: int) -> str:
    return "1 line" if number == 1 else f"{number:,} lines"
