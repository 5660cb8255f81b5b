"""`regard train`: one subcommand for each task; the same command again resumes the run.

torchrun in front of it starts several processes, all of which come this way.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.commands.evaluate import report, score_translations, show
from regard.cli.options import Threads
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

if TYPE_CHECKING:
    from regard.translation.files import Pairs

train = typer.Typer(name="train", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Write each evaluation as a JSON line.")]


@train.callback()
def _tasks() -> None:
    """Train a model on your own data."""


@train.command()
@takes(TrainingOptions)
def translation(
    pairs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files of sentence pairs: TSV, CSV, JSON lines, Parquet; also .gz. Of several"
            " target languages, de=FILE hi=FILE."
        ),
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
    from regard.translation.files import languages_of, pair_files
    from regard.translation.training import TranslationRecipe, train_translation

    options = options_from(TrainingOptions, arguments)
    use_run_threads(threads, Path(options.output))
    from regard.translation.evaluation import read_test_set

    languages = languages_of(pair_files(data, options.weights))
    tested = read_test_set(options.test) if options.test and not languages else []
    shown = dict(TranslationRecipe.shown)
    shown |= {f"bleu_{each}": f"{each} {{:.2f}}" for each in languages}
    with TrainingDisplay(
        options.max_steps, options.max_minutes, shown=shown, as_json=as_json
    ) as display:
        train_translation(
            data,
            options,
            watch=display.watch,
            say=display.say,
            command=command_line(),
        )
    _best_model(options)
    _score_translations(Path(options.output), languages, tested, as_json=as_json)


def _score_translations(
    run: Path, languages: list[str], tested: list[tuple[str, str]], *, as_json: bool
) -> None:
    """Prints the figures of the best model on the test set that was given, or on the run's own."""
    from regard.api.loading import load
    from regard.translation.data import held_in

    for language in languages or [""]:
        pairs = tested or held_in(run / "data" / "test.tsv", language)
        if not pairs:
            continue
        translator = load(str(run / "model"), "translation")
        if language:
            print(f"Test set, {language}:", file=sys.stderr)
            translator = translator.between(target=language)
        show(score_translations(translator, pairs), as_json=as_json)


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
    from regard.recipes.labels.classification import ClassificationRecipe

    options = _learn(ClassificationRecipe, data, ClassificationOptions, arguments, threads, as_json)
    _report("text-classification", options, as_json)


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
    _report("summarization", options, as_json)


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

    kind = QuestionAnsweringOptions
    options = _learn(QuestionAnsweringRecipe, data, kind, arguments, threads, as_json)
    _report("question-answering", options, as_json)


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

    options = _learn(EmbeddingRecipe, data, EmbeddingOptions, arguments, threads, as_json)
    _report("feature-extraction", options, as_json)


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


def _best_model(options: RunOptions) -> None:
    """Says where the model is; of several processes, only the first has more to do."""
    if not is_first_process():
        raise typer.Exit
    print(f"The best model is in {Path(options.output) / 'model'}.", file=sys.stderr)


def _report(kind: str, options: RunOptions, as_json: bool) -> None:
    """Prints how well the best model does on the run's test set, if it has one."""
    from regard.recipes.examples import read_examples

    run = Path(options.output)
    if tested := list(read_examples(run / "data" / "test.jsonl")):
        report(kind, str(run / "model"), tested, as_json=as_json)


def _data(pairs: list[str] | None, source: str | None, target: str | None) -> "Pairs":
    if pairs and source is None and target is None:
        return pairs if len(pairs) > 1 else pairs[0]
    if not pairs and source is not None and target is not None:
        return source, target
    raise BadArgumentError(
        "training needs either files of sentence pairs, or both --source and --target files."
    )
