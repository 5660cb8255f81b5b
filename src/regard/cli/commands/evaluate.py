"""`regard evaluate`: score a model of any task on the user's own data."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from regard import catalog
from regard.cli import options
from regard.cli.evaluation_report import Report
from regard.cli.evaluations import EVALUATIONS, check_exists
from regard.cli.options import FIGURES, argument, check_ending, option
from regard.cli.progress import progress_bar
from regard.cli.streams import say
from regard.cli.texts import destination
from regard.cli.translators import Prefix, SourceLanguage, TargetLanguage, open_translator
from regard.errors import BadArgumentError, RegardError

if TYPE_CHECKING:
    from regard.translation.evaluation import Evaluation
    from regard.translation.translator import Translator

Output = Annotated[
    Path | None, option("File for the translations or summaries, one per line.", "--output", "-o")
]
NumBeams = Annotated[
    int | None,
    option("Hypotheses kept at each step; 1 is greedy.", default="5; a summarizer's own", min=1),
]
BatchSize = Annotated[int | None, option("Examples in a batch.", default="by the task", min=1)]
_DECODING = ("num_beams", "length_penalty", "max_new_tokens", "batch_size")
OF_TRANSLATORS = frozenset(
    ("source_language", "target_language", "prefix", "output", "compare", *_DECODING),
)


class Computing(NamedTuple):
    """What computes, as `options.run_by` takes it."""

    engine: str = "torch"
    precision: str | None = None
    threads: int | None = None


COMPUTING = Computing()


def _column(help: str) -> Any:
    return option(f"The column of the {help}.", rich_help_panel="Columns")


def evaluate(
    context: typer.Context,
    model: Annotated[str, argument("A shipped model's name, a model folder or hub:org/name.")],
    data: Annotated[
        Path,
        argument(
            "What the model is to give: pairs, or texts with labels, answers or summaries, as TSV,"
            " CSV, JSON lines or Parquet; text; or a folder of images with a sub-folder a label."
        ),
    ],
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    prefix: Prefix = None,
    output: Output = None,
    as_json: options.Json = False,
    num_beams: NumBeams = None,
    length_penalty: options.LengthPenalty = None,
    max_new_tokens: options.MaxNewTokens = None,
    batch_size: BatchSize = None,
    threads: options.Threads = None,
    engine: options.Engine = "torch",
    precision: options.Precision = None,
    compare: Annotated[
        str | None, option("Another model of the task, compared by a paired bootstrap test.")
    ] = None,
    worst: Annotated[
        int | None, option("How many of the worst examples to show.", default="5", min=0)
    ] = None,
    figure: Annotated[
        Path | None, option("Draw a classifier's confusions: .svg, .pdf or .png.")
    ] = None,
    text: Annotated[str | None, _column("texts")] = None,
    pair: Annotated[str | None, _column("second texts")] = None,
    label: Annotated[str | None, _column("labels")] = None,
    separator: Annotated[
        str | None, option("Between the labels of one text.", rich_help_panel="Columns")
    ] = None,
    score: Annotated[str | None, _column("scores of pairs")] = None,
    question: Annotated[str | None, _column("questions")] = None,
    context_: Annotated[
        str | None,
        option("The column of the contexts.", "--context", rich_help_panel="Columns"),
    ] = None,
    answer: Annotated[str | None, _column("answers")] = None,
    start: Annotated[str | None, _column("answers' first characters")] = None,
    document: Annotated[str | None, _column("documents")] = None,
    summary: Annotated[str | None, _column("summaries")] = None,
) -> None:
    """Score a model on your own data, with 95 % intervals.

    A translator: BLEU, chrF (sacreBLEU's, with the signatures that make them comparable), loss and
    speed. A classifier of texts or images: accuracy, F1, Matthews' correlation, calibration, loss,
    confusions. A summarizer: ROUGE, beside the documents' first words. Question answering: exact
    match and F1. Embeddings: recall and reciprocal rank, or rank correlation. A language model:
    loss, perplexity and bits per byte; a masked one: loss and accuracy of hidden words.
    """
    kind = _kind(model)
    own = _own_options(context, kind, model)
    check_exists(data)
    if kind in EVALUATIONS:
        columns = {name: own.pop(name) for name in EVALUATIONS[kind].columns if name in own}
        examples = EVALUATIONS[kind].read(str(data), say, **columns)
        computing = Computing(engine, precision, threads)
        report(kind, model, examples, computing=computing, as_json=as_json, **own)
        return
    from regard.translation.evaluation import read_test_set

    tested = read_test_set(data, say=say)
    languages = (source_language, target_language, prefix)
    computing = Computing(engine, precision, threads)
    translator = open_translator(model, *languages, **computing._asdict())
    settings = {"num_beams": 5, "batch_size": 32} | {
        name: own[name] for name in _DECODING if name in own
    }
    compared = None
    if compare is not None:
        rival = open_translator(compare, *languages, **computing._asdict())
    result = score_translations(translator, tested, **settings)
    if compare is not None:
        theirs = score_translations(rival, tested, **settings)
        compared = _compared(result, theirs, compare)
    if output is not None:
        _write(output, result.translations)
    show(result, as_json=as_json, compared=compared)


def _kind(model: str) -> str:
    """A name in `catalog.KINDS`; a translator where that cannot be said: opening it says why."""
    from regard.checkpoints import open_checkpoint
    from regard.tasks.kinds import kind_of

    try:
        return kind_of(open_checkpoint(model))
    except RegardError:
        return "translation"


def _own_options(context: typer.Context, kind: str, model: str) -> dict[str, Any]:
    """What the user asked of this kind of model, by the names of parameters.

    Raises:
        BadArgumentError: an option of another kind.
    """
    every = OF_TRANSLATORS.union(*(each.options for each in EVALUATIONS.values()))
    names = {("context_" if name == "context" else name): name for name in sorted(every)}
    asked = {names[name]: value for name, value in options.specified(context, names).items()}
    own = EVALUATIONS[kind].options if kind in EVALUATIONS else OF_TRANSLATORS
    if others := [name for name in asked if name not in own]:
        raise BadArgumentError(
            f"{options.flags(others)} cannot be used with {catalog.KINDS[kind].what} ({model})."
            " Leave them out."
        )
    return asked


def report(
    kind: str,
    model: str,
    data: Any,
    *,
    computing: Computing = COMPUTING,
    compare: str | None = None,
    worst: int = 5,
    figure: Path | None = None,
    output: Path | None = None,
    as_json: bool = False,
    **settings: Any,
) -> None:
    """Prints how well a model does on its data.

    Args:
        kind: a name in `EVALUATIONS`.
        data: as its `read` returns it.
        computing: what computes.
        compare, worst, figure, output, settings: the options of the command.
    """
    from regard.api.loading import load
    from regard.cli import evaluations, label_report
    from regard.recipes.labels.labels import LabelEvaluation
    from regard.recipes.resampling import intervals

    check_ending("--figure", figure, FIGURES)
    evaluation = EVALUATIONS[kind]
    task: Any = options.run_by(load(model, kind), *computing)
    other: Any = options.run_by(load(compare, kind), *computing) if compare else None
    size = evaluation.size(data)
    with progress_bar(size and size * (2 if other else 1), evaluation.doing) as bar:
        result = evaluation.score(task, data, progress=bar, **settings)
        compared = None
        if other is not None:
            theirs = evaluation.score(other, data, progress=bar, **settings)
            compared = evaluations.compare(evaluation, result, theirs, str(compare))
    ranges = intervals(result)
    if output is not None:
        _write(output, result.summaries)
    found: str | list[str]
    if isinstance(result, LabelEvaluation):
        of_labels = label_report.as_json if as_json else label_report.lines
        found = of_labels(
            result, ranges, evaluation.named(data), worst, compared, unit=evaluation.unit
        )
        if figure is not None:
            label_report.draw(result, figure)
    else:
        shown = _shown(kind, result, ranges, data, worst, compared)
        found = shown.as_json() if as_json else shown.lines()
    print(found if isinstance(found, str) else "\n".join(found))


def _shown(
    kind: str,
    result: Any,
    ranges: dict[str, tuple[float, float]],
    data: Any,
    worst: int,
    compared: dict[str, Any] | None,
) -> Report:
    """What is shown of a result that is not of labels."""
    import numpy as np

    evaluation = EVALUATIONS[kind]
    return Report(
        result.figures_of(np.arange(len(result))),
        ranges,
        count=len(result),
        unit=evaluation.unit,
        baselines={
            name: each.figures_of(np.arange(len(each)))
            for name, each in evaluation.baselines(data).items()
        },
        worst=evaluation.worst(result, data, worst),
        compared=compared,
        note=getattr(result, "note", ""),
    )


def _write(output: Path, texts: Sequence[str]) -> None:
    with destination(output) as file:
        file.writelines(f"{' '.join(text.splitlines())}\n" for text in texts)


def score_translations(
    translator: "Translator", pairs: Sequence[tuple[str, str]], **options: Any
) -> "Evaluation":
    """`translation.evaluation.evaluate` with a bar on a terminal."""
    from regard.translation import evaluation

    with progress_bar(len(pairs), "translating") as bar:
        return evaluation.evaluate(translator, pairs, progress=bar, **options)


def _compared(result: "Evaluation", theirs: "Evaluation", name: str) -> dict[str, Any]:
    """The paired test of two translators' BLEU, as JSON."""
    from regard.recipes.resampling import paired_chance

    return {
        "model": name,
        "figure": "bleu",
        "value": theirs.bleu,
        "difference": result.bleu - theirs.bleu,
        "p": paired_chance(result.scored, theirs.scored, "bleu"),
    }


def show(result: "Evaluation", *, as_json: bool, compared: dict[str, Any] | None = None) -> None:
    """Prints a translator's figures."""
    from regard.recipes.resampling import intervals

    ranges = intervals(result.scored)
    if as_json:
        left_out = ("translations", "scored")
        figures = {name: value for name, value in vars(result).items() if name not in left_out}
        figures["intervals"] = ranges
        if compared is not None:
            figures["compared"] = compared
        print(json.dumps(figures, ensure_ascii=False))
        return
    for title, name in (("BLEU", "bleu"), ("chrF", "chrf")):
        value, signature = getattr(result, name), getattr(result, f"{name}_signature")
        low, high = ranges[name]
        print(f"{title}         {value:.2f}   {low:.2f} to {high:.2f}   {signature}")
    if compared is not None:
        print(
            f"BLEU of {compared['model']}: {compared['value']:.2f}; difference"
            f" {compared['difference']:+.2f}, p = {compared['p']:.3f} (paired bootstrap)"
        )
    print(f"loss         {result.loss:.4f} nats per target token")
    print(
        f"speed        {result.sentences_per_second:.1f} sentences/s"
        f" ({result.sentences:,} sentences, {result.num_beams} beams)"
    )
