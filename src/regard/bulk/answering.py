"""The tasks: which columns each reads, what is asked of a model, and what is written of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from regard.bulk.settings import Settings
from regard.errors import BadArgumentError

Texts = tuple[str, ...]
Fields = dict[str, Any]


@dataclass(frozen=True)
class BulkTask:
    """A task of `regard run`."""

    kind: str  # of the models; a name in `api.loading.CLASSES`
    columns: tuple[str, ...]  # that are read, by default
    options: tuple[str, ...]
    types: Mapping[str, str]  # what is written: field → its type in Parquet, as `parts.arrow_type`
    fields: Callable[[Any], Fields]  # a result → the fields
    line: Callable[[Any], str] | None = None  # a result → a line of text; None: it is not text
    blank: bool = False  # whether blank texts are asked; else they have empty answers
    batch_size: int = 32
    shard: int = 1000  # lines, by default


_GENERATION = ("num_beams", "length_penalty", "max_new_tokens", "no_repeat_ngram_size")
_SAMPLING = ("do_sample", "temperature", "top_k", "top_p", "min_p", "seed")


def _cell(text: str) -> str:
    return " ".join(text.split())


def _flat(text: str) -> str:
    return " ".join(text.splitlines())


def _label(result: Any) -> str:
    return f"{_cell(result.best.label)}\t{result.best.score:.4f}"


def _answer(results: Any) -> str:
    return f"{_cell(results[0].text)}\t{results[0].score:.4f}" if results else "\t"


TASKS: dict[str, BulkTask] = {
    "translate": BulkTask(
        "translation",
        ("text",),
        ("source_language", "target_language", "prefix", *_GENERATION),
        {"translation": "string", "score": "double", "finished": "bool"},
        lambda result: {
            "translation": result.text,
            "score": result.score,
            "finished": result.finished,
        },
        lambda result: _flat(result.text),
    ),
    "summarize": BulkTask(
        "summarization",
        ("text",),
        ("prefix", "min_new_tokens", *_GENERATION),
        {"summary": "string", "score": "double", "finished": "bool", "truncated": "bool"},
        lambda result: {
            "summary": result.text,
            "score": result.score,
            "finished": result.finished,
            "truncated": result.truncated,
        },
        lambda result: _flat(result.text),
        batch_size=8,
        shard=100,
    ),
    "generate": BulkTask(
        "text-generation",
        ("text",),
        ("chat", "system", "repetition_penalty", *_GENERATION, *_SAMPLING),
        {"continuation": "string", "score": "double", "finished": "bool"},
        lambda result: {
            "continuation": result.text,
            "score": result.score,
            "finished": result.finished,
        },
        lambda result: _flat(result.text),
        blank=True,
        batch_size=16,
        shard=100,
    ),
    "classify": BulkTask(
        "text-classification",
        ("text",),
        ("top_k",),
        {"labels": "list<label: string, score: double>", "truncated": "bool"},
        lambda result: {
            "labels": [asdict(label) for label in result.labels],
            "truncated": result.truncated,
        },
        _label,
    ),
    "answer": BulkTask(
        "question-answering",
        ("question", "context"),
        ("top_k", "max_answer_len", "or_none"),
        {"answers": "list<answer: string, start: int64, end: int64, score: double>"},
        lambda results: {
            "answers": [
                {"answer": each.text, "start": each.start, "end": each.end, "score": each.score}
                for each in results
            ]
        },
        _answer,
        blank=True,
        shard=100,
    ),
    "encode": BulkTask(
        "feature-extraction",
        ("text",),
        ("pooling", "normalize"),
        {"embedding": "list<float>", "truncated": "bool"},
        # Nine digits are all of a float32.
        lambda result: {
            "embedding": [float(f"{x:.9g}") for x in result.vector],
            "truncated": result.truncated,
        },
        blank=True,
    ),
}


def check_options(settings: Settings) -> None:
    """Refuses what would have no effect.

    Raises:
        BadArgumentError: an option that the task does not have, or an output that cannot hold its
            results.
    """
    task = TASKS[settings.task]
    for name in settings.options:
        if name not in task.options:
            takers = [other for other, each in TASKS.items() if name in each.options]
            raise BadArgumentError(
                f"`{name}` belongs to {' and '.join(takers)}; {settings.task} does not have it."
                " Leave it out."
            )
    if settings.task != "generate" and settings.options.get("top_k", 1) < 1:
        raise BadArgumentError(f"`top_k` must be at least 1; got {settings.options['top_k']}.")
    if settings.output == "text" and task.line is None:
        raise BadArgumentError(
            f"{settings.task} writes numbers, not text. Give an output that ends in .jsonl or"
            " .parquet."
        )
    if settings.input == "text" and len(settings.columns) > 1:
        raise BadArgumentError(
            f"{settings.task} reads {' and '.join(settings.columns)} of each line. Give JSON lines"
            " or Parquet."
        )


def opened(settings: Settings, threads: int, say: Callable[[str], None]) -> Any:
    """The model of a job, as a Task.

    Args:
        threads: that it computes with.
        say: called with a sentence where packing the model takes long.

    Raises:
        RegardError: it cannot be loaded, or does not do the task.
    """
    from regard.api.loading import load

    task: Any = load(settings.model, TASKS[settings.task].kind)
    task = task.run_by(settings.computed_by, precision=settings.precision, say=say)
    task.engine.use_threads(threads)
    languages = (settings.options.get("source_language"), settings.options.get("target_language"))
    if any(languages):
        task = task.between(*languages)
    if settings.options.get("prefix") is not None:
        task.prefix = settings.options["prefix"]
    return task


def answers(task: Any, texts: Sequence[Texts], settings: Settings, shard: int) -> list[Any]:
    """The task's results for some texts.

    Args:
        shard: the shard's number, which sets its random numbers apart from those of others.

    Raises:
        RegardError: texts are refused, as `tasks.batching.read_each` does it; or an option is.
    """
    own = ("source_language", "target_language", "prefix", "chat", "system", "or_none")
    options = {name: value for name, value in settings.options.items() if name not in own}
    options["batch_size"] = settings.batch_size
    inputs: list[Any] = [each[0] for each in texts]
    if settings.task == "answer":
        inputs = list(texts)
        options["handle_impossible_answer"] = settings.options.get("or_none")
    elif settings.task == "classify":
        options.setdefault("top_k", 1)
        if len(settings.columns) == 2:
            options["pairs"] = [each[1] for each in texts]
    elif settings.options.get("chat"):
        system = settings.options.get("system")
        opening = [] if system is None else [{"role": "system", "content": system}]
        inputs = [[*opening, {"role": "user", "content": text}] for text in inputs]
    if options.get("seed") is not None:
        import numpy

        drawn = numpy.random.SeedSequence((options["seed"], shard)).generate_state(1)
        options["seed"] = int(drawn[0])
    return list(task.run(inputs, **options))
