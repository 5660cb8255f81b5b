"""`regard evaluate`: score a model of any task on the user's own data."""

from collections.abc import Callable
from typing import Annotated

import typer

from regard.cli.command_group import LazyCommand
from regard.cli.options import Json, argument
from regard.cli.progress import progress_bar
from regard.cli.streams import say
from regard.cli.training_options import takes
from regard.tasks import evaluation
from regard.tasks.catalog import TRAINED

evaluate = typer.Typer(add_completion=False)
_FIGURES = "; ".join(f"{kind.what}: {kind.training.figures}" for kind in TRAINED.values())


@evaluate.command(
    "evaluate",
    cls=LazyCommand,
    help=f"Score a model on your own data, with 95 % intervals.\n\nFigures of {_FIGURES}.",
)
def _made() -> Callable[..., None]:
    return takes(*(kind.training.options_class().evaluation for kind in TRAINED.values()))(
        _evaluate
    )


def _evaluate(
    model: Annotated[str, argument("A shipped model's name, a model folder or hub:org/name.")],
    data: Annotated[
        str,
        argument(
            "Test set: sentence pairs (or two files, test.en,test.de), texts with labels, answers"
            " or summaries, or sound or image files with texts, as TSV, CSV, JSON lines or Parquet;"
            " text; or a folder of images"
            " with a sub-folder a label."
        ),
    ],
    as_json: Json = False,
    **options: object,
) -> None:
    options = {
        name: value for name, value in options.items() if value is not None and value is not False
    }
    report = evaluation.Scoring.of(model, data, options, say=say).report(bar=progress_bar)
    print(report.as_json() if as_json else "\n".join(report.lines()))
