"""The form in which a task declares itself, in the `__init__` of its folder."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from regard.options import Options, panel_of

if TYPE_CHECKING:
    from regard.engine.result import Result
    from regard.engine.task import Task
    from regard.training.evaluation import AnyEvaluator
    from regard.training.options.run import RunOptions
    from regard.training.recipe import Recipe

# Commands that take a model of a kind, beside its verb.
ENCODER = ("meaning", "look", "explain", "studio")
READS = ("evaluate", "encode", *ENCODER, "serve")
WRITES = ("evaluate", "look", "explain", "meaning", "studio", "serve")


@dataclass(frozen=True)
class Input:
    """An input of a task, from each record."""

    name: str  # its column, by default
    help: str
    optional: bool = False


TEXT = (Input("text", "the text"),)
RUNNING_TEXT = "Text: a file or folder; JSON lines, CSV, Parquet; also .gz."


@dataclass(frozen=True)
class Training:
    """The training of a kind of model; empty where regard does not train it."""

    name: str = ""  # its command of `regard train`
    summary: str = ""
    data: str = ""  # what it is trained on
    recipe: "Callable[[], type[Recipe[Any, Any]]] | None" = None
    options: "Callable[[], type[RunOptions]] | None" = None  # of that recipe
    evaluator: "Callable[[], type[AnyEvaluator]] | None" = None  # without torch; else the recipe's
    columns: tuple[str, ...] = ()  # names of the values of a row that is a tuple
    figures: str = ""  # by which such a model is evaluated
    layout: str = "Hugging Face's"  # of the result

    def recipe_class(self) -> "type[Recipe[Any, Any]]":
        assert self.recipe is not None
        return self.recipe()

    def evaluator_class(self) -> "type[AnyEvaluator]":
        return self.evaluator() if self.evaluator else self.recipe_class().evaluator

    def options_class(self) -> "type[RunOptions]":
        assert self.options is not None
        return self.options()


@dataclass(frozen=True)
class Kind:
    """A kind of model, and the task that it does: every door is made from this declaration.

    Its classes are imported when needed.
    """

    name: str  # transformers' name of the task, mostly
    what: str  # one such model, as a sentence names it
    purpose: str  # what it is needed for
    example: str  # what to give for that purpose
    others: tuple[str, ...]  # commands of `regard` that take it, beside its verb
    python: str = ""  # what reads it in Python, where that is not regard.load
    task: "Callable[[], type[Task]] | None" = None  # what `regard.load` gives
    also: tuple[str, ...] = ()  # other tasks that such a model may have been made for
    does: str = ""  # the task of another kind that it does in its own way
    model: str = ""  # the class of models that do it without a head of their own
    heads: tuple[str, ...] = ()  # the heads that a model of texts has for it
    verb: str = ""  # its command, and its route /run/…
    help: str = ""  # of its command
    inputs: tuple[Input, ...] = ()
    options: "Callable[[], type[Options]] | None" = (
        None  # the class of those that are not of decoding
    )
    decoding: tuple[str, ...] = ()  # panels of GenerationConfig whose options it has
    result: "Callable[[], type[Result]] | None" = None
    batch_size: int = 32
    shard: int = 1000  # records of a part, by default
    blank: bool = False  # blank texts are asked; else they have empty answers
    # A `TaskCommand` and a `serving.hooks.Hook`, where the task's do more than is declared.
    command: Callable[[], type] | None = None
    route: Callable[[], Any] | None = None
    training: Training = Training()

    @property
    def needed(self) -> str:
        return f"{self.purpose}, give {self.example}"

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands of `regard` that take it."""
        return (self.verb, *self.others) if self.verb else self.others

    @property
    def summary(self) -> str:
        """The first paragraph of the command's help."""
        return self.help.partition("\n")[0]

    def task_class(self) -> "type[Task]":
        assert self.task is not None
        return self.task()

    def result_class(self) -> "type[Result]":
        assert self.result is not None
        return self.result()

    def options_class(self) -> type[Options]:
        """Return the class of its options, those of decoding among them; None: the model's own
        value.

        Naming an option of sampling asks for sampling.
        """
        assert self.options is not None
        return _options_class(self.options, self.decoding)


@cache
def _options_class(options: Callable[[], type[Options]], panels: tuple[str, ...]) -> type[Options]:
    own = options()
    if not panels:
        return own
    from regard.generation.config import with_decoding  # which imports numpy

    more = {"passed": _passed_with_sampling} if "Sampling" in panels else {}
    return with_decoding(panels, members=more)(own)


def _passed_with_sampling(options: Options) -> dict[str, Any]:
    """Return the options that were given, and that tokens are drawn where one of drawing is among
    them."""
    chosen: dict[str, Any] = Options.passed(options)
    drawing = chosen.keys() & set(panel_of(options, "Sampling"))
    return ({"do_sample": True} if drawing else {}) | chosen
