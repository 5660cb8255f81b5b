"""Calls of the commands of the tasks: texts in, a model's answers out."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from regard.cli.lines import Line
from regard.cli.refusals import Refusals
from regard.cli.streams import say
from regard.cli.texts import destination, json_line, lines_bar, say_not_followed, text_groups
from regard.data.inputs import TEXT
from regard.lines import beside
from regard.options import Options, decoding_of
from regard.tasks import catalog

Pairs = list[tuple[Line, Any]]  # lines, each with its result; None: it has none


class NoOptions(Options):
    """A command with no options but those of its task."""


class TaskCommand:
    """A call of the command of a task; one that does more than its task overrides a method.

    Args:
        verb: of the task.
        common: the options that every such command has.
        arguments: the others; None is an option that was not given.
    """

    own: ClassVar[type[Any]] = NoOptions  # options of the command that are not the task's
    without: ClassVar[tuple[str, ...]] = ()  # common options that it does not have
    what: ClassVar[str] = "a text"
    roles: ClassVar[Any] = (TEXT,)
    blank: ClassVar[bool | None] = None  # blank lines are asked; None: as the task has it
    model_default: ClassVar[str | None] = None  # what --help shows; None: the shipped model

    def __init__(self, verb: str, common: dict[str, Any], arguments: dict[str, Any]):
        self.kind_name, self.kind = catalog.VERBS[verb], catalog.doing(verb)
        self.common = common
        self.texts, self.output, self.as_json = (
            common[name] for name in ("texts", "output", "as_json")
        )
        names = self.own.settings()
        chosen = {name: value for name, value in arguments.items() if value is not None}
        self.extra = self.own(**{name: chosen[name] for name in chosen if name in names})
        self.chosen = catalog.chosen(
            verb, {name: chosen[name] for name in chosen if name not in names}
        )
        self.task: Any = None
        self.call: dict[str, Any] = {}  # options of `Task.run_rows`
        self.decoding: dict[str, Any] = {}  # those of them that are of decoding
        self.renamed = set[str]()  # fields of the input

    @property
    def several(self) -> bool:
        """Return whether each line of input has several of output."""
        return max(self.chosen.get("alternatives") or 1, self.chosen.get("top_k") or 1) > 1

    @property
    def json_lines(self) -> bool:
        """Return whether a line of input may be a JSON object."""
        return bool(self.as_json)

    def run(self) -> None:
        """Answer every line."""
        groups = self.groups()
        self.open()
        blank = self.kind.blank if self.blank is None else self.blank
        refusals: Refusals[Any] = Refusals(self.answer, keep_going=self.keeps_going, blank=blank)
        with self.writer() as write, lines_bar(self.common["input"], "answering") as progress:
            for group in groups:
                pairs = refusals.answers(group, progress)
                for line, result in pairs:
                    if result is not None:
                        self.warn(line, result)
                write(pairs)
        self.end(refusals.total)
        refusals.end()

    @property
    def keeps_going(self) -> bool:
        """Return whether a line that is refused costs the others nothing."""
        return not (self.texts or self.common["strict"])

    def groups(self) -> Iterable[list[Line]]:
        """The lines in groups."""
        return text_groups(
            *(self.texts, self.common["input"], self.json_lines),
            what=self.what,
            keep_bad=not self.common["strict"],
            roles=self.roles,
        )

    def open(self) -> None:
        """Load the model, with the options of the call.

        Raises:
            RegardError: no such model, or an option that it cannot have.
        """
        from regard.engine.engines import computed_by
        from regard.tasks.loading import load

        languages = map(self.chosen.get, ("source_language", "target_language"))
        model = self.common["model"] or catalog.default(self.kind_name, *languages) or ""
        task = load(model, self.kind_name)
        settings = {name: self.common[name] for name in ("precision", "threads")}
        task = computed_by(task, self.common["engine"], **settings, say=say)
        self.task, self.call = task.with_options(**self.chosen)
        if "Decoding" in self.kind.decoding:
            say_not_followed(model, getattr(self.task, "not_followed", ()))
            self.decoding = decoding_of(self.call)
            if hasattr(self.task, "generation"):
                self.task.generation.updated(**self.decoding)  # refuses what contradicts

    def answer(self, lines: list[Line], progress: Callable[[int], None]) -> Any:
        """The results of some lines."""
        batch_size = self.common["batch_size"]
        return self.task.run_rows(
            self.rows(lines), batch_size=batch_size, progress=progress, **self.call
        )

    def rows(self, lines: list[Line]) -> list[tuple[str, ...]]:
        """The task's inputs, of some lines."""
        return [(line.text,) for line in lines]

    def warn(self, line: Line, result: Any) -> None:
        """Say of a result that it is not whole."""
        if getattr(result, "truncated", False):
            say(
                f"line {line.number} is longer than the {self.task.room} tokens that the model"
                " reads; the rest was left out. Split the text."
            )
        if not getattr(result, "finished", True):
            from regard.engine.result import shape

            name = next(iter(shape(self.kind.result_class())))  # type: ignore[arg-type]
            say(
                f"the {name} of line {line.number} was cut off before it ended, or where it began"
                " to repeat itself; raise --max-new-tokens or split the line."
            )

    @contextmanager
    def writer(self) -> Iterator[Callable[[Pairs], None]]:
        """Give a function that writes lines and their results."""
        with destination(self.output) as file:

            def write(pairs: Pairs) -> None:
                for line, result in pairs:
                    text = self.json(line, result) if self.as_json else self.plain(line, result)
                    if text is not None:
                        print(text, file=file)
                file.flush()

            yield write

    def json(self, line: Line, result: Any) -> str:
        """A line of JSON: the fields that came in and the result's."""
        found = self.kind.result_class().nothing() if result is None else result.json(self.chosen)
        return self.json_line(line, found)

    def json_line(self, line: Line, found: dict[str, Any]) -> str:
        """A line of JSON in which no field that came in is overwritten."""
        for name, other in zip(line.fields, beside(line.fields, self.names), strict=True):
            if name != other and name not in self.renamed:
                self.renamed.add(name)
                say(f"the input has a field {name!r}, as the answer has; it is now {other!r}.")
        return json_line(line, self.names, **found)

    @property
    def names(self) -> set[str]:
        """The names of the fields of an answer."""
        return {"error", *self.kind.result_class().names(self.chosen)}

    def plain(self, line: Line, result: Any) -> str | None:
        """A line of text, or one for each alternative, label or answer behind the line's number."""
        if not self.several:
            return "" if result is None else str(result.line())
        rows = ["\t"] if result is None else result.lines()
        return "\n".join(f"{line.number}\t{row}" for row in rows)

    def end(self, total: int) -> None:
        """Say what has been done of so many lines."""


def class_of(verb: str) -> type[TaskCommand]:
    """The class of the calls of a task's command."""
    command = catalog.doing(verb).command
    return command() if command else TaskCommand
