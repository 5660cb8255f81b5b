"""`regard evaluate`: score a translator on sentence pairs, or a classifier on labeled texts."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli import options
from regard.cli.options import FIGURES, argument, check_ending, option
from regard.cli.progress import progress_bar
from regard.cli.texts import destination
from regard.cli.translators import Prefix, SourceLanguage, TargetLanguage, open_translator
from regard.errors import BadArgumentError, RegardError

if TYPE_CHECKING:
    from regard.recipes.examples import Example
    from regard.translation.evaluation import Evaluation
    from regard.translation.translator import Translator

Output = Annotated[
    Path | None, option("File for the translations, one per line.", "--output", "-o")
]


NumBeams = Annotated[
    int | None, option("Hypotheses kept at each step; 1 is greedy.", default="5", min=1)
]
COLUMNS = ("text", "pair", "label", "separator")
OF_TRANSLATORS = (
    *("source_language", "target_language", "prefix", "output", "num_beams"),
    *("length_penalty", "max_new_tokens"),
)
OF_LABELS = (*COLUMNS, "compare", "worst", "figure")


def _labels(help: str, **more: Any) -> Any:
    """An option of classifiers only."""
    return option(help, rich_help_panel="Classifiers", **more)


def evaluate(
    context: typer.Context,
    model: Annotated[str, argument("A shipped model's name, a model folder or hub:org/name.")],
    data: Annotated[
        Path, argument("Sentence pairs, or texts with labels: TSV, CSV, JSON lines or Parquet.")
    ],
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    prefix: Prefix = None,
    output: Output = None,
    as_json: options.Json = False,
    num_beams: NumBeams = None,
    length_penalty: options.LengthPenalty = None,
    max_new_tokens: options.MaxNewTokens = None,
    batch_size: options.BatchSize = 32,
    threads: options.Threads = None,
    compare: Annotated[
        str | None, _labels("Another classifier, compared by a paired bootstrap test.")
    ] = None,
    text: Annotated[str | None, _labels("The column of the texts.")] = None,
    pair: Annotated[str | None, _labels("The column of second texts.")] = None,
    label: Annotated[str | None, _labels("The column of the labels.")] = None,
    separator: Annotated[str | None, _labels("Between the labels of one text.")] = None,
    worst: Annotated[
        int | None, _labels("Mistakes to show, the surest first.", default="5", min=0)
    ] = None,
    figure: Annotated[Path | None, _labels("Draw the confusions: .svg, .pdf or .png.")] = None,
) -> None:
    """Score a translator, or a classifier of texts.

    A translator: BLEU, chrF (sacreBLEU's, with the signatures that make them comparable), loss and
    speed. A classifier: accuracy, F1, Matthews' correlation, calibration and loss with their 95 %
    intervals, the figures of each label, confusions and the worst mistakes.
    """
    options.use_threads(threads)
    own = options.specified(context, OF_LABELS)
    if _is_classifier(model):
        if others := options.specified(context, OF_TRANSLATORS):
            raise BadArgumentError(
                f"{options.flags(others)} apply to a translator; {model} is a classifier of texts."
                " Leave them out."
            )
        from regard.recipes.labels.classification import read_labeled

        columns = {name: own.pop(name) for name in COLUMNS if name in own}
        examples = list(read_labeled(str(data), **columns))
        score_labels(model, examples, as_json=as_json, batch_size=batch_size, **own)
        return
    if own:
        raise BadArgumentError(
            f"{options.flags(own)} apply to a classifier of texts, which {model} is not. Leave them"
            " out."
        )
    from regard.translation.evaluation import read_test_set

    tested = read_test_set(data)
    translator = open_translator(model, source_language, target_language, prefix)
    settings = {"num_beams": 5} | options.generation_options(context)
    result = score(translator, tested, batch_size=batch_size, **settings)
    if output is not None:
        with destination(output) as file:
            file.writelines(f"{' '.join(text.splitlines())}\n" for text in result.translations)
    show(result, as_json=as_json)


def _is_classifier(model: str) -> bool:
    from regard.checkpoints import open_checkpoint
    from regard.tasks.kinds import kind_of

    try:
        return kind_of(open_checkpoint(model)) == "text-classification"
    except RegardError:  # opening the translator says what is wrong
        return False


def score_labels(
    model: str,
    examples: "Sequence[Example]",
    *,
    compare: str | None = None,
    worst: int = 5,
    figure: Path | None = None,
    as_json: bool = False,
    batch_size: int = 32,
) -> None:
    """Prints the report on a classifier; the arguments are the options of the command."""
    from regard.api.loading import load
    from regard.cli import label_report
    from regard.recipes.labels.classification import evaluate_labels
    from regard.recipes.resampling import intervals, paired_chance

    check_ending("--figure", figure, FIGURES)
    classifier = load(model, "text-classification")
    second = load(compare, "text-classification") if compare else None
    with progress_bar(len(examples) * (2 if second else 1), "classifying") as bar:
        result = evaluate_labels(classifier, examples, batch_size=batch_size, progress=bar)
        compared = None
        if second is not None:
            theirs = evaluate_labels(second, examples, batch_size=batch_size, progress=bar)
            name = "macro_f1" if result.several else "accuracy"
            compared = {
                "model": compare,
                "figure": name,
                "value": theirs.figures[name],
                "difference": result.figures[name] - theirs.figures[name],
                "p": paired_chance(result, theirs, name),
            }
    ranges = intervals(result)
    if as_json:
        print(label_report.as_json(result, ranges, examples, worst, compared))
    else:
        print("\n".join(label_report.lines(result, ranges, examples, worst, compared)))
    if figure is not None:
        label_report.draw(result, figure)


def score(
    translator: "Translator", pairs: Sequence[tuple[str, str]], **options: Any
) -> "Evaluation":
    """`translation.evaluation.evaluate` with a bar on a terminal."""
    from regard.translation import evaluation

    with progress_bar(len(pairs), "translating") as bar:
        return evaluation.evaluate(translator, pairs, progress=bar, **options)


def show(result: "Evaluation", *, as_json: bool) -> None:
    """Prints the figures."""
    if as_json:
        figures = {name: value for name, value in vars(result).items() if name != "translations"}
        print(json.dumps(figures, ensure_ascii=False))
        return
    print(f"BLEU         {result.bleu:.2f}   {result.bleu_signature}")
    print(f"chrF         {result.chrf:.2f}   {result.chrf_signature}")
    print(f"loss         {result.loss:.4f} nats per target token")
    print(
        f"speed        {result.sentences_per_second:.1f} sentences/s"
        f" ({result.sentences:,} sentences, {result.num_beams} beams)"
    )
