"""Calls of the commands of the tasks: texts in, a model's answers out."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from regard import engine
from regard.cli import jobs
from regard.cli.file_options import FileOptions
from regard.cli.lines import Line
from regard.cli.progress import progress_bar
from regard.cli.refusals import Refusals
from regard.cli.streams import say
from regard.cli.texts import (
    check_output,
    destination,
    is_stream,
    text_groups,
)
from regard.data.inputs import TEXT
from regard.data.reader import format_of
from regard.data.roles import Role
from regard.errors import BadArgumentError
from regard.lines import beside, json_line
from regard.options import Options
from regard.tasks import catalog, loading

if TYPE_CHECKING:
    from regard.engine.result import Result

ResultT = TypeVar("ResultT", bound="Result")
Pairs = list[tuple[Line, Any]]  # lines, each with its result; None: it has none


class NoOptions(Options):
    """A command with no options but those of its task."""


class TaskCommand(Generic[ResultT]):
    """A call of the command of a task; one that does more than its task overrides a method.

    A call that is sent to another process opens the model there.

    Args:
        verb: of the task.
        common: the options that every such command has.
        arguments: the others; None is an option that was not given.
    """

    own: ClassVar[type[Any]] = NoOptions  # options of the command that are not the task's
    what: ClassVar[str] = "a text"
    roles: ClassVar[tuple[Role, ...]] = (TEXT,)
    blank: ClassVar[bool | None] = None  # blank lines are asked; None: as the task has it
    model_default: ClassVar[str | None] = None  # what --help shows; None: the shipped model
    several_files: bool = False  # whether a line's number needs its file

    def __init__(self, verb: str, common: dict[str, Any], arguments: dict[str, Any]):
        self.verb, self.kind_name, self.kind = verb, catalog.VERBS[verb], catalog.doing(verb)
        self.common = common
        self.texts, self.output, self.as_json = (
            common[name] for name in ("texts", "output", "as_json")
        )
        extra, files = self.own.settings(), FileOptions.settings()
        chosen = {name: value for name, value in arguments.items() if value is not None}
        self.extra = self.own(**{name: chosen[name] for name in chosen if name in extra})
        self.files = FileOptions(**{name: chosen[name] for name in chosen if name in files})
        others = {name: chosen[name] for name in chosen if name not in {*extra, *files}}
        self.chosen = catalog.chosen(verb, others)
        files_named = common["input"], self.output
        # Whether it reads files and writes one, none of which is a pipe.
        self.is_job = all(files_named) and not self.texts and not any(map(is_stream, files_named))
        self.format = self._format()
        self.as_json = self.as_json or self.format == "jsonl"
        self.task: Any = None
        self.call: dict[str, Any] = {}  # options of `Task.run_rows`
        self.decoding: dict[str, Any] = {}  # those of them that are of decoding
        self.begin()

    def __getstate__(self) -> dict[str, Any]:
        opened = ("kind", "task", "call", "decoding")
        return {name: value for name, value in vars(self).items() if name not in opened}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, kind=catalog.doing(state["verb"]), task=None, call={}, decoding={})

    def begin(self, part: int | None = None) -> None:
        """Count from zero; of a part of a file, keep what there is to say."""
        self.reserved: set[str] | None = None  # names of an answer's fields
        self.renamed = dict[str, str]()  # fields of the input
        self.counts, self.doubted = Counter[str](), list[str]()
        self.sentences: list[str] | None = None if part is None else []

    def of_part(self, part: int) -> Self:
        """Return the same call, with the same model, for a part of a file."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other.begin(part)
        return other

    def say(self, sentence: str) -> None:
        """Say a sentence, or keep it where this is of a part."""
        if self.sentences is None:
            say(sentence)
        else:
            self.sentences.append(sentence)

    def _format(self) -> str:
        """Return the format of the output.

        Raises:
            BadArgumentError: a name with an ending that it cannot have.
        """
        if self.output is None or is_stream(self.output):
            return "jsonl" if self.as_json else "text"
        if self.output.suffix.lower() in (".gz", ".bz2", ".xz"):
            raise BadArgumentError(f"the output is not packed; name it {self.output.stem}.")
        format = format_of(self.output, "text")
        if format in ("csv", "tsv"):
            raise BadArgumentError(
                f"the output must be JSON lines (.jsonl), Parquet (.parquet) or text (.txt); got"
                f" {self.output.name}."
            )
        if format == "parquet" and not self.is_job:
            raise BadArgumentError(
                "Parquet is written of files alone. Give --input, or an output that ends in .jsonl."
            )
        return "jsonl" if format == "text" and self.as_json else format

    @property
    def model(self) -> str:
        """The model's name."""
        languages = map(self.chosen.get, ("source_language", "target_language"))
        return self.common["model"] or catalog.default(self.kind_name, *languages) or ""

    @property
    def columns(self) -> tuple[Role, ...]:
        """The columns that are read of a file."""
        return self.files.columns(self.roles)

    @property
    def several(self) -> bool:
        """Return whether each line of input has several of output."""
        return max(self.chosen.get("alternatives") or 1, self.chosen.get("top_k") or 1) > 1

    @property
    def json_lines(self) -> bool:
        """Return whether a line of input may be a JSON object."""
        return bool(self.common["as_json"])

    def run(self) -> None:
        """Answer every line."""
        files = {name: bool(self.common[name]) for name in ("input", "output")}
        self.files.check_use(**files, job=self.is_job)
        if self.is_job:
            jobs.run.answer_files(self)
            return
        check_output(self.output, self.files.overwrite)
        groups = self.groups()
        self.open()
        refusals: Refusals[Any] = Refusals(
            self.answer, keep_going=self.keeps_going, blank=self.asks_blank
        )
        shown = bool(self.common["input"])
        with self.writer() as write, progress_bar(None, "answering", shown=shown) as progress:
            for group in groups:
                pairs = refusals.answers(self.lines(group), progress)
                for line, result in pairs:
                    if result is not None:
                        self.warn(line, result)
                write(pairs)
        self.end(refusals.total)
        refusals.end()

    @property
    def asks_blank(self) -> bool:
        """Return whether blank lines have an answer of the model."""
        return self.kind.blank if self.blank is None else self.blank

    @property
    def keeps_going(self) -> bool:
        """Return whether a line that is refused costs the others nothing."""
        return not (self.texts or self.common["strict"])

    def groups(self) -> Iterable[list[Line]]:
        """Return the lines in groups."""
        return text_groups(
            *(self.texts, self.common["input"], self.json_lines),
            what=self.what,
            keep_bad=not self.common["strict"],
            roles=self.columns,
            **self.files.values("id", "delimiter"),
        )

    def lines(self, group: list[Line]) -> list[Line]:
        """Return the lines that a group of them stands for."""
        return group

    def open(self) -> None:
        """Load the model, with the options of the call.

        Raises:
            RegardError: no such model, or an option that it cannot have.
        """
        from regard.generation.config import decoding_of

        task = loading.load(self.model, self.kind_name)
        settings = {name: self.common[name] for name in ("precision", "threads")}
        task = engine.engines.computed_by(task, self.common["engine"], **settings, say=self.say)
        self.task, self.call = task.with_options(**self.chosen)
        if "Decoding" in self.kind.decoding:
            if ignored := ", ".join(getattr(self.task, "not_followed", ())):
                self.say(f"{self.model} asks for {ignored}; regard ignores that.")
            self.decoding = decoding_of(self.call)
            if hasattr(self.task, "generation"):
                self.task.generation.updated(**self.decoding)  # refuses what contradicts

    def answer(
        self, lines: list[Line], progress: Callable[[int], None]
    ) -> Sequence[ResultT | None]:
        """Return the results of some lines."""
        batch_size = self.common["batch_size"]
        return self.task.run_rows(
            self.rows(lines), batch_size=batch_size, progress=progress, **self.call
        )

    def rows(self, lines: list[Line]) -> list[tuple[str, ...]]:
        """Return the task's inputs, of some lines."""
        return [(line.text,) for line in lines]

    def warn(self, line: Line, result: ResultT) -> None:
        """Say of a result that it is not whole."""
        if getattr(result, "truncated", False):
            self.say(
                f"line {line.number} is longer than the {self.task.room} tokens that the model"
                " reads; the rest was left out. Split the text."
            )
        if not getattr(result, "finished", True):
            name = next(iter(engine.result.shape(self.result_class)))  # type: ignore[arg-type]
            self.say(
                f"the {name} of line {line.number} was cut off before it ended, or where it began"
                " to repeat itself; raise --max-new-tokens or split the line."
            )

    @contextmanager
    def writer(self) -> Iterator[Callable[[Pairs], None]]:
        """Give a function that writes lines and their results."""
        array = self.format == "npy"
        with destination(self.output, "wb" if array else "w") as file, self.framed(file):

            def write(pairs: Pairs) -> None:
                file.write(self.encoded(pairs) if array else self.as_text(pairs))
                file.flush()

            yield write

    @contextmanager
    def framed(self, file: IO[Any]) -> Iterator[None]:
        """Write to a file what belongs before and behind its lines."""
        yield

    def as_text(self, pairs: Pairs) -> str:
        """Lines and their results as text."""
        form = self.json if self.as_json else self.plain
        texts = (form(line, result) for line, result in pairs)
        return "".join(f"{text}\n" for text in texts if text is not None)

    def encoded(self, pairs: Pairs) -> bytes:
        """Return the same as it is in a file."""
        return self.as_text(pairs).encode()

    def json(self, line: Line, result: ResultT | None) -> str:
        """Return a line of JSON: the fields that came in and the result's."""
        return self.json_line(line, self.answered(result))

    def answered(self, result: ResultT | None) -> dict[str, Any]:
        """Return the fields of an answer."""
        if result is None:
            return self.result_class.nothing()
        return result.json(self.chosen)

    def json_line(self, line: Line, answer: dict[str, Any]) -> str:
        """Return a line of JSON in which no field that came in is overwritten; of a line that has
        no answer it says why, under "error"."""
        error = {} if line.error is None else {"error": str(line.error)}
        fields = line.fields or {"text": line.text}
        self.reserved = self.reserved or self.names
        passed = dict(zip(self.beside(fields, self.reserved), fields.values(), strict=True))
        return json_line(passed | answer | error)

    def beside(self, fields: Iterable[str], names: Collection[str]) -> list[str]:
        """Return the names that fields of the input get beside those of an answer; a new one is
        said once."""
        fields = [*fields]
        renamed = beside(fields, names)
        for name, other in zip(fields, renamed, strict=True):
            if name != other:
                self.rename(name, other)
        return renamed

    def rename(self, name: str, other: str) -> None:
        """Say once which name a field of the input has got."""
        if self.renamed.setdefault(name, "") != other:
            self.renamed[name] = other
            if self.sentences is None:
                say(f"the input has a field {name!r}, as the answer has; it is now {other!r}.")

    @property
    def names(self) -> set[str]:
        """The names of the fields of an answer."""
        error = () if self.is_job else ("error",)
        return {*error, *self.result_class.names(self.chosen)}

    @property
    def result_class(self) -> "type[Result]":
        """The class of the results."""
        return self.kind.result_class()

    def plain(self, line: Line, result: ResultT | None) -> str | None:
        """Return a line of text, or one for each alternative, label or answer behind the line's
        number."""
        if not self.several:
            return "" if result is None else result.line()
        rows = ["\t"] if result is None else result.lines()
        return "\n".join(f"{line.number}\t{row}" for row in rows)

    def end(self, total: int) -> None:
        """Say what has been done of so many lines."""


def class_of(verb: str) -> type[TaskCommand]:
    """Return the class of the calls of a task's command."""
    command = catalog.doing(verb).command
    return command() if command else TaskCommand


def call(verb: str, **arguments: object) -> TaskCommand:
    """Return a call of a task's command; what is left out is as by default.

    >>> call("translate", texts=["a"], num_beams=2).chosen
    {'num_beams': 2}
    """
    kind, command = catalog.doing(verb), class_of(verb)
    common: dict[str, Any] = dict.fromkeys(
        ("texts", "model", "input", "output", "threads", "precision")
    )
    common |= dict(as_json=False, strict=False, batch_size=kind.batch_size, engine="auto")
    settings = {**command.own.settings(), **kind.options_class().settings()}
    options: dict[str, Any] = {
        name: False if setting.default is False else None
        for name, setting in settings.items()
        if setting.metadata
    }
    common |= {name: value for name, value in arguments.items() if name in common}
    others = {name: value for name, value in arguments.items() if name not in common}
    return command(verb, common, options | others)
