"""`regard train`: one subcommand for each task; the same command again resumes the run.

torchrun in front of it starts several processes, all of which come this way.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from regard.cli.commands.evaluate import score, show
from regard.cli.options import Threads
from regard.cli.progress import progress_bar
from regard.cli.streams import is_first_process
from regard.cli.training_display import TrainingDisplay
from regard.cli.training_options import command_line, options_from, takes, use_run_threads
from regard.errors import BadArgumentError
from regard.recipes.options.encoders import (
    ClassificationOptions,
    EmbeddingOptions,
    MaskedLanguageModelOptions,
    QuestionAnsweringOptions,
)
from regard.recipes.options.images import ImageClassificationOptions
from regard.recipes.options.language import LanguageModelOptions
from regard.recipes.options.run import RunOptions
from regard.recipes.options.sequences import SummarizationOptions
from regard.translation.options import TrainingOptions

train = typer.Typer(name="train", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Write each evaluation as a JSON line.")]


@train.callback()
def _tasks() -> None:
    """Train a model on your own data."""


@train.command()
@takes(TrainingOptions)
def translation(
    pairs: Annotated[
        str | None,
        typer.Argument(help="Sentence pairs: TSV, CSV, JSON lines, Parquet; also .gz."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(help="Instead of PAIRS: sentences, one a line,", rich_help_panel="Data"),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(help="and their translations, line by line.", rich_help_panel="Data"),
    ] = None,
    threads: Threads = None,
    as_json: AsJson = False,
    **arguments: Any,
) -> None:
    """Train a translator on a file of sentence pairs.

    The best model is in OUTPUT/model, in Hugging Face's layout. The same command again resumes.
    """
    data = _data(pairs, source, target)
    from regard.translation.training import TranslationRecipe, train_translation

    options = options_from(TrainingOptions, arguments)
    use_run_threads(threads, Path(options.output))
    from regard.translation.evaluation import read_test_set

    tested = read_test_set(options.test) if options.test else []
    with TrainingDisplay(
        options.max_steps, options.max_minutes, shown=TranslationRecipe.shown, as_json=as_json
    ) as display:
        train_translation(
            data,
            options,
            watch=display.watch,
            say=display.say,
            command=command_line(),
        )
    best = _best_model(options)
    split_off = Path(options.output) / "data" / "test.tsv"
    if not tested and split_off.stat().st_size:
        tested = read_test_set(split_off)
    if tested:
        from regard.api.loading import load

        show(score(load(str(best), "translation"), tested), as_json=as_json)


@train.command()
@takes(ClassificationOptions)
def classification(
    data: Annotated[
        str, typer.Argument(help="Texts with labels: TSV, CSV, JSON lines, Parquet; also .gz.")
    ],
    threads: Threads = None,
    as_json: AsJson = False,
    **arguments: Any,
) -> None:
    """Train a classifier of texts, or of pairs of texts.

    The best model is in OUTPUT/model, in Hugging Face's layout. The same command again resumes.
    """
    from regard.cli.commands.evaluate import score_labels
    from regard.recipes.examples import read_examples
    from regard.recipes.labels.classification import ClassificationRecipe

    options = _learn(ClassificationRecipe, data, ClassificationOptions, arguments, threads, as_json)
    run = Path(options.output)
    if tested := list(read_examples(run / "data" / "test.jsonl")):
        score_labels(str(run / "model"), tested, as_json=as_json)


@train.command("image-classification")
@takes(ImageClassificationOptions)
def image_classification(
    data: Annotated[
        str,
        typer.Argument(
            help="A folder with a sub-folder of images for each label, or an .npz with the arrays"
            " images and labels."
        ),
    ],
    threads: Threads = None,
    as_json: AsJson = False,
    **arguments: Any,
) -> None:
    """Train a classifier of images.

    The best model is in OUTPUT/model, in Hugging Face's layout. The same command again resumes.
    """
    from regard.recipes.labels.image_classification import ImageClassificationRecipe, evaluate_test
    from regard.recipes.labels.labels import figures_line

    kind = ImageClassificationOptions
    options = _learn(ImageClassificationRecipe, data, kind, arguments, threads, as_json)
    if found := evaluate_test(Path(options.output)):
        figures = found.figures
        if as_json:
            print(json.dumps({f"test_{name}": value for name, value in figures.items()}))
        else:
            print(figures_line("Test set", figures, len(found), "images"), file=sys.stderr)


@train.command()
@takes(SummarizationOptions)
def summarization(
    data: Annotated[
        str,
        typer.Argument(help="Documents with summaries: JSON lines, CSV, TSV, Parquet; also .gz."),
    ],
    threads: Threads = None,
    as_json: AsJson = False,
    **arguments: Any,
) -> None:
    """Train a model that summarizes documents, or rewrites any text as another.

    The best model is in OUTPUT/model, in Hugging Face's layout. The same command again resumes.
    """
    from regard.recipes.summaries.summarization import SummarizationRecipe

    options = _learn(SummarizationRecipe, data, SummarizationOptions, arguments, threads, as_json)
    _score_summaries(Path(options.output), as_json=as_json)


def _score_summaries(run: Path, *, as_json: bool) -> None:
    """Prints the figures of the best model on the run's test set, if it has one."""
    from regard.api.loading import load
    from regard.json_files import read_object
    from regard.recipes.examples import read_examples
    from regard.recipes.summaries.summary_scores import evaluate_summaries

    tested = list(read_examples(run / "data" / "test.jsonl"))
    if not tested:
        return
    words = read_object(run / "data" / "summaries.json")["words"]
    with progress_bar(len(tested), "summarizing") as bar:
        result = evaluate_summaries(
            load(str(run / "model"), "summarization"), tested, lead_words=words, progress=bar
        )
    print(json.dumps(result.figures, ensure_ascii=False) if as_json else result.table())


@train.command(name="language-model")
@takes(LanguageModelOptions)
def language_model(
    data: Annotated[
        str, typer.Argument(help="Text: a file or folder; JSON lines, CSV, Parquet; also .gz.")
    ],
    threads: Threads = None,
    as_json: AsJson = False,
    **arguments: Any,
) -> None:
    """Train a language model, which continues a text, on running text.

    The best model is in OUTPUT/model, in Hugging Face's layout. The same command again resumes.
    """
    from regard.recipes.language.language_model import LanguageModelRecipe

    _learn(LanguageModelRecipe, data, LanguageModelOptions, arguments, threads, as_json)


@train.command(name="masked-language-model")
@takes(MaskedLanguageModelOptions, but=MaskedLanguageModelOptions.not_used())
def masked_language_model(
    data: Annotated[
        str, typer.Argument(help="Text: a file or folder; JSON lines, CSV, Parquet; also .gz.")
    ],
    threads: Threads = None,
    as_json: AsJson = False,
    **arguments: Any,
) -> None:
    """Train an encoder on running text, from which other tasks start (--from).

    The best model is in OUTPUT/model, in Hugging Face's layout. The same command again resumes.
    """
    from regard.recipes.language.masked_language_model import MaskedLanguageModelRecipe

    _learn(MaskedLanguageModelRecipe, data, MaskedLanguageModelOptions, arguments, threads, as_json)


@train.command()
@takes(QuestionAnsweringOptions)
def question_answering(
    data: Annotated[
        str,
        typer.Argument(
            help="Questions with contexts and answers: SQuAD's JSON, or TSV, CSV, JSON lines,"
            " Parquet; also .gz."
        ),
    ],
    threads: Threads = None,
    as_json: AsJson = False,
    **arguments: Any,
) -> None:
    """Train a model that finds the answer to a question in a text.

    The best model is in OUTPUT/model, in Hugging Face's layout. The same command again resumes.
    """
    from regard.recipes.answers.question_answering import QuestionAnsweringRecipe

    _learn(QuestionAnsweringRecipe, data, QuestionAnsweringOptions, arguments, threads, as_json)


@train.command()
@takes(EmbeddingOptions)
def embedding(
    data: Annotated[
        str,
        typer.Argument(
            help="Pairs of texts that belong together, or with a score: TSV, CSV, JSON lines,"
            " Parquet; also .gz."
        ),
    ],
    threads: Threads = None,
    as_json: AsJson = False,
    **arguments: Any,
) -> None:
    """Train a model that turns texts into vectors, close where the texts belong together.

    The best model is in OUTPUT/model, in sentence-transformers' layout. The same command again
    resumes.
    """
    from regard.recipes.vectors.embedding import EmbeddingRecipe

    _learn(EmbeddingRecipe, data, EmbeddingOptions, arguments, threads, as_json)


def _learn(
    recipe: Any,
    data: str | Sequence[str],
    kind: type[RunOptions],
    arguments: dict[str, Any],
    threads: int | None,
    as_json: bool,
) -> RunOptions:
    """Trains by a recipe, showing how it goes; returns the options."""
    from regard.recipes.recipe import learn

    options = options_from(kind, arguments)
    use_run_threads(threads, Path(options.output))
    with TrainingDisplay(
        options.max_steps, options.max_minutes, shown=recipe.shown, as_json=as_json
    ) as display:
        taught = recipe(data, options, say=display.say, command=command_line())
        learn(taught, watch=display.watch)
    _best_model(options)
    return options


def _best_model(options: RunOptions) -> Path:
    """Says where the model is; of several processes, only the first has more to do."""
    if not is_first_process():
        raise typer.Exit
    best = Path(options.output) / "model"
    print(f"The best model is in {best}.", file=sys.stderr)
    return best


def _data(pairs: str | None, source: str | None, target: str | None) -> str | tuple[str, str]:
    if pairs is not None and source is None and target is None:
        return pairs
    if pairs is None and source is not None and target is not None:
        return source, target
    raise BadArgumentError(
        "training needs either one file of sentence pairs, or both --source and --target files."
    )
