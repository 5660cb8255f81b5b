"""The form in which a task declares itself; `regard.tasks.index` holds the declarations."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from typing import Any

from regard.options import Options, panel_of, with_decoding

# A class that is imported when needed: a function that returns it, or its name, `module:class`.
LazyClass = str | Callable[[], type]

# Commands that take a model of a kind, beside its verb.
ENCODER = ("meaning", "look", "explain", "studio")
READS = ("evaluate", "encode", *ENCODER, "serve")
WRITES = ("evaluate", "look", "explain", "meaning", "studio", "serve")


def _class(late: LazyClass) -> Any:
    return resolve_name(late) if isinstance(late, str) else late()


@dataclass(frozen=True)
class Input:
    """An input of a task, from each record."""

    name: str  # its column, by default
    help: str
    optional: bool = False


@dataclass(frozen=True)
class Training:
    """The training of a kind of model; empty where regard does not train it."""

    name: str = ""  # its command of `regard train`
    summary: str = ""
    data: str = ""  # what it is trained on
    recipe: LazyClass = ""  # a `Recipe`
    options: LazyClass = ""  # the `RunOptions` of that recipe
    evaluator: LazyClass = ""  # of such models, where it needs no torch; else the recipe's
    figures: str = ""  # by which such a model is evaluated
    layout: str = "Hugging Face's"  # of the result

    def recipe_class(self) -> Any:
        return _class(self.recipe)

    def evaluator_class(self) -> Any:
        return _class(self.evaluator) if self.evaluator else self.recipe_class().evaluator

    def options_class(self) -> Any:
        return _class(self.options)


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
    task: LazyClass = ""  # what `regard.load` gives
    also: tuple[str, ...] = ()  # other tasks that such a model may have been made for
    does: str = ""  # the task of another kind that it does in its own way
    model: str = ""  # the class of models that do it without a head of their own
    heads: tuple[str, ...] = ()  # the heads that a model of texts has for it
    verb: str = ""  # its command, its route /run/…, and its name in `regard run`
    help: str = ""  # of its command
    inputs: tuple[Input, ...] = ()
    options: LazyClass = ""  # the class of those that are not of decoding
    decoding: tuple[str, ...] = ()  # panels of GenerationConfig whose options it has
    result: LazyClass = ""
    batch_size: int = 32
    shard: int = 1000  # records of a part, by default
    blank: bool = False  # blank texts are asked; else they have empty answers
    command: LazyClass = ""  # of the calls of its command, where that does more than is declared
    pipeline: str = ""  # the function that answers as the task's pipeline of transformers v4
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

    def task_class(self) -> Any:
        return _class(self.task)

    def command_class(self) -> Any:
        return _class(self.command)

    def result_class(self) -> Any:
        return _class(self.result)

    def options_class(self) -> Any:
        """The class of its options, those of decoding among them; None: the model's own value.

        Naming an option of sampling asks for sampling.
        """
        return _options_class(self.options, self.decoding)


@cache
def _options_class(options: LazyClass, panels: tuple[str, ...]) -> Any:
    own = _class(options)
    if not panels:
        return own
    more = {"passed": _passed_with_sampling} if "Sampling" in panels else {}
    return with_decoding(panels, members=more)(own)


def _passed_with_sampling(options: Any) -> dict[str, Any]:
    """The options that were given, and that tokens are drawn where one of drawing is among them."""
    chosen: dict[str, Any] = Options.passed(options)
    drawing = chosen.keys() & set(panel_of(options, "Sampling"))
    return ({"do_sample": True} if drawing else {}) | chosen
