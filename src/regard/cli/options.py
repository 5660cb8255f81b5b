"""Options that several commands have, said once: the type of a parameter, without its default."""

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.checkpoints import hub
from regard.engine.options import EngineOptions
from regard.errors import BadArgumentError, NotFoundError

if TYPE_CHECKING:
    from typer.models import ArgumentInfo, OptionInfo

FIGURES = (".svg", ".pdf", ".png")


def option(help: str, *flags: str, default: str | None = None, **more: Any) -> "OptionInfo":
    """Return an option; its flag is the parameter's name, unless `flags` say otherwise.

    Args:
        default: what --help shows where the default is computed: "model's".
        more: of `typer.Option`, such as min and metavar.
    """
    return typer.Option(*flags, help=help, show_default=default or True, **more)


def _of_engine(name: str, **more: Any) -> "OptionInfo":
    """Return an option of the engine, as its class describes it."""
    about = EngineOptions.settings()[name].metadata
    return option(about["help"], metavar=about["metavar"], **more)


def model_option(help: str, *, default: str | None = None) -> "OptionInfo":
    """Return the option --model, where it is not the first argument."""
    return option(help, "--model", "-m", default=default)


def argument(help: str, metavar: str | None = None) -> "ArgumentInfo":
    """Return an argument: what has no flag."""
    return typer.Argument(help=help, metavar=metavar)


def texts_to(verb: str) -> "ArgumentInfo":
    """Return the argument of a command that reads texts from its arguments, a file or stdin."""
    return argument(f"What to {verb}, each in quotes; otherwise read --input or stdin.")


Texts = list[str] | None
ModelName = Annotated[str, model_option("A shipped model's name, a model folder or hub:org/name.")]
Input = Annotated[
    Path | None,
    option(
        "File to read: one text per line, CSV, JSON lines or Parquet; may be .gz. With --output"
        " also a folder of them, or a pattern in quotes, such as 'parts/*.jsonl'.",
        *("--input", "-i"),
    ),
]
Output = Annotated[
    Path | None,
    option("File to write, completely or not at all: text, .jsonl or .parquet.", "--output", "-o"),
]
Strict = Annotated[
    bool, option("Stop at the first line that cannot be read or answered.", "--strict")
]
JsonLines = Annotated[
    bool,
    option(
        'Write one JSON object per line. Input lines may be objects with a "text"; their other'
        " fields pass through.",
        "--json",
    ),
]
Json = Annotated[bool, option("Write one JSON object.", "--json")]
Corpus = Annotated[
    Path | None, argument("Text, one sentence or paragraph per line; otherwise read stdin.")
]
BatchSize = Annotated[int, option("Texts in a batch.", min=1)]
Threads = Annotated[int | None, option("CPU threads.", default="one for each core", min=1)]
Engine = Annotated[str, _of_engine("engine")]
Precision = Annotated[
    str | None, _of_engine("precision", default="fp32, or as the model was calibrated")
]
Download = Annotated[
    bool, option("Fetch a model that is not here from the Hugging Face Hub.", "--download")
]
Port = Annotated[
    int | None,
    option(
        "Port on 127.0.0.1; 0 picks a free one.",
        default="8765, or a free one where that is in use",
        min=0,
        max=65535,
    ),
]
NoOpen = Annotated[bool, option("Do not open a browser.", "--no-open")]


def specified(context: typer.Context, names: Iterable[str]) -> dict[str, Any]:
    """Those of the named options of a command that the user gave: that are not None."""
    values = {name: context.params.get(name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def flags(names: Iterable[str]) -> str:
    """Parameters as they are written on the command line: "--head-dim, --mask"."""
    return ", ".join(f"--{name.replace('_', '-')}" for name in names)


def located(model: str, download: bool, *command: str) -> str:
    """Return the name that opens a model that is here or, with --download, on the Hugging Face Hub.

    Args:
        command: what the user ran, to be shown with --download.

    Raises:
        NotFoundError: the model is not here; says which command fetches it.
    """
    if model.startswith(hub.PREFIX):
        return model
    try:
        hub.find_folder(model)
    except NotFoundError as error:
        if not hub.is_id(model):
            raise
        if download:
            return f"{hub.PREFIX}{model}"
        fetching = shlex.join(["regard", *command, "--download"])
        raise NotFoundError(f"{error} To fetch it: {fetching}") from error
    return model


def check_ending(flag: str, path: Path | None, endings: tuple[str, ...]) -> None:
    """Refuses a file to write whose name has none of the endings."""
    if path is not None and path.suffix.lower() not in endings:
        raise BadArgumentError(f"{flag} must end in {', '.join(endings)}; got {path.name!r}.")
