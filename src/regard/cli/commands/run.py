"""`regard run`: a task over whole files, in parts that survive a crash, here or on a cluster."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard import catalog
from regard.cli import options
from regard.cli.commands.encode import Normalize, Pooling
from regard.cli.commands.generate import Chat, DoSample, MinP, RepetitionPenalty
from regard.cli.commands.summarize import MinNewTokens
from regard.cli.options import argument, model_option, option
from regard.cli.progress import progress_bar
from regard.cli.streams import say
from regard.cli.translators import Prefix, SourceLanguage, TargetLanguage
from regard.errors import BadArgumentError, check_choice

if TYPE_CHECKING:
    from regard.bulk import Job, Summary

ENGINES = ("local", "ray")

TaskName = Annotated[
    str, argument("What to do.", metavar="translate|summarize|generate|classify|answer|encode")
]
Input = Annotated[
    str,
    argument(
        "File of Parquet, JSON lines or text with one text a line (.txt, …), the latter two also"
        " .gz; or a pattern in quotes, such as 'parts/*.jsonl'."
    ),
]
Output = Annotated[
    Path, argument("File to write, completely or not at all: .parquet, .jsonl, or text.")
]
ModelName = Annotated[
    str | None,
    model_option(
        "A shipped model's name, a folder or hub:org/name.", default="the task's shipped model"
    ),
]
TextColumn = Annotated[
    str | None, option("Column of the text.", default="text; question to answer", metavar="COLUMN")
]
ContextColumn = Annotated[
    str | None,
    option("answer: column of the text to search.", default="context", metavar="COLUMN"),
]
PairColumn = Annotated[
    str | None,
    option("classify: column of each text's second text, for a model of pairs.", metavar="COLUMN"),
]
IdColumn = Annotated[
    str | None,
    option(
        "Column of the records' ids: the output repeats it, and leaves the other columns out.",
        "--id",
        metavar="COLUMN",
    ),
]
EngineName = Annotated[
    str, option("Where the workers are: processes here, or actors of Ray.", metavar="local|ray")
]
Address = Annotated[
    str | None,
    option(
        "Of a Ray cluster, such as auto or ray://host:10001; without it, Ray is started here.",
        metavar="ADDRESS",
    ),
]
Workers = Annotated[int, option("Workers; each holds the model.", min=1)]
Threads = Annotated[
    int | None,
    option("CPU threads of each worker.", default="the cores, shared by the workers", min=1),
]
ComputedBy = Annotated[
    str,
    option(
        "What computes: the model, by torch; or the model packed for ONNX Runtime.",
        metavar="auto|torch|onnx",
    ),
]
ShardSize = Annotated[
    int | None,
    option(
        "Lines of a part, which is what a crash loses at most of each worker's work.",
        default="1000; 100 where answers take long",
        min=1,
    ),
]
BatchSize = Annotated[int | None, option("Texts in a batch.", default="the task's", min=1)]
TopK = Annotated[
    int | None,
    option("classify: labels; answer: answers; generate: likeliest tokens to draw from.", min=0),
]
MaxAnswerLen = Annotated[
    int | None, option("answer: maximum, in tokens.", default="model's, else 15", min=1)
]
OrNone = Annotated[
    bool | None,
    option("answer: allow an empty answer, or never give one.", "--or-none/--always-answer"),
]

_SAMPLING = ("temperature", "top_k", "top_p", "min_p", "seed")


def run(
    call: typer.Context,
    task: TaskName,
    input: Input,
    output: Output,
    model: ModelName = None,
    text: TextColumn = None,
    context: ContextColumn = None,
    text_pair: PairColumn = None,
    id: IdColumn = None,
    engine: EngineName = "local",
    address: Address = None,
    workers: Workers = 1,
    threads: Threads = None,
    shard_size: ShardSize = None,
    batch_size: BatchSize = None,
    computed_by: ComputedBy = "auto",
    precision: options.Precision = None,
    strict: options.Strict = False,
    as_json: options.Json = False,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    prefix: Prefix = None,
    max_new_tokens: options.MaxNewTokens = None,
    min_new_tokens: MinNewTokens = None,
    num_beams: options.NumBeams = None,
    length_penalty: options.LengthPenalty = None,
    no_repeat_ngram_size: options.NoRepeatNgramSize = None,
    repetition_penalty: RepetitionPenalty = None,
    do_sample: DoSample = None,
    temperature: Annotated[float | None, option("Values below 1 favor likelier tokens.")] = None,
    top_k: TopK = None,
    top_p: Annotated[float | None, option("Total probability of the tokens to draw from.")] = None,
    min_p: MinP = None,
    seed: Annotated[int | None, option("The same seed draws the same text.")] = None,
    chat: Chat = False,
    system: Annotated[str | None, option("Instructions at the beginning of a chat.")] = None,
    max_answer_len: MaxAnswerLen = None,
    or_none: OrNone = None,
    pooling: Pooling = None,
    normalize: Normalize = None,
) -> None:
    """Do a task for every line of files.

    What is done is kept: after Ctrl-C or a crash, the same command continues. A line that cannot be
    answered goes to OUTPUT.bad.jsonl with its number and the reason; the exit code is then 2.
    Options after --json belong to the task, and mean what they mean to its own command.
    """
    from regard.bulk import Job
    from regard.catalog import VERBS
    from regard.tasks.batching import cores

    check_choice("engine", engine, ENGINES)
    check_choice("task", task, VERBS)
    if address is not None and engine != "ray":
        raise BadArgumentError("--address is of a Ray cluster. Add --engine ray.")
    if system is not None and not chat:
        raise BadArgumentError("--system belongs to a chat; add --chat.")
    for name, value, taker in (
        ("--context", context, "answer"),
        ("--text-pair", text_pair, "classify"),
    ):
        if value is not None and task != taker:
            raise BadArgumentError(
                f"{name} belongs to {taker}; {task} reads one column. Leave it out."
            )
    model = model or catalog.default(VERBS[task])
    if model is None:
        raise BadArgumentError(f"{task} needs --model: none comes with regard for it.")
    own = dict.fromkeys(
        name for verb in VERBS for name in catalog.doing(verb).options_class().settings()
    )
    settings = options.specified(call, own)
    if not chat:
        settings.pop("chat")
    if task == "generate" and any(name in settings for name in _SAMPLING):
        settings.setdefault("do_sample", True)
    job = Job(
        task,
        input,
        output,
        model=model,
        text=text,
        other=context or text_pair,
        id=id,
        options=settings,
        shard_size=shard_size,
        batch_size=batch_size,
        engine=computed_by,
        precision=precision,
        say=say,
    )
    threads = threads or max(1, cores() // workers)
    if engine == "ray":
        from regard.bulk import cluster

        found: Any = partial(cluster.parts, workers=workers, threads=threads, address=address)
    else:
        from regard.bulk import local

        found = partial(local.parts, workers=workers, threads=threads)
    with _keeping(job):
        summary = job.run(found, strict=strict, bar=_bar, say=say)
    _show(summary, as_json)
    if summary.bad:
        raise typer.Exit(2)


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
