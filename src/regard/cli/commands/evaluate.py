"""`regard evaluate`: score a model of any task on the user's own data."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from regard.cli.lazy import LazyCommand
from regard.cli.options import Json, argument
from regard.cli.progress import progress_bar
from regard.cli.streams import say
from regard.cli.training_options import takes

evaluate = typer.Typer(add_completion=False)


@evaluate.command("evaluate", cls=LazyCommand)
def _made() -> Callable[..., None]:
    """Score a model on your own data, with 95 % intervals.

    A translator: BLEU, chrF (sacreBLEU's, with the signatures that make them comparable), loss and
    speed. A classifier of texts or images: accuracy, F1, Matthews' correlation, calibration, loss,
    confusions. A summarizer: ROUGE, beside the documents' first words. Question answering: exact
    match and F1. Embeddings: recall and reciprocal rank, or rank correlation. A language model:
    loss, perplexity and bits per byte; a masked one: loss and accuracy of hidden words.
    """
    from regard.api.trainable import TRAINABLE

    return takes(*(each.options_class().evaluation for each in TRAINABLE.values()))(_evaluate)


def _evaluate(
    model: Annotated[str, argument("A shipped model's name, a model folder or hub:org/name.")],
    data: Annotated[
        str,
        argument(
            "Test set: sentence pairs, or texts with labels, answers or summaries, as TSV, CSV,"
            " JSON lines or Parquet; text; or a folder of images with a sub-folder a label."
        ),
    ],
    as_json: Json = False,
    **options: Any,
) -> None:
    from regard.api.evaluation import Scoring

    options = {
        name: value for name, value in options.items() if value is not None and value is not False
    }
    report = Scoring.of(model, data, options, say=say).report(bar=progress_bar)
    print(report.as_json() if as_json else "\n".join(report.lines()))
