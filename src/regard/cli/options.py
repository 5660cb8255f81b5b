"""Options that several commands have, said once: the type of a parameter, without its default."""

from pathlib import Path
from typing import Annotated, Any

import typer

Input = Annotated[
    Path | None, typer.Option("--input", "-i", help="File to read, one text per line; may be .gz.")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="File to write, completely or not at all.")
]
JsonLines = Annotated[
    bool,
    typer.Option(
        "--json",
        help='Write one JSON object per line. Input lines may be objects with a "text"; their other'
        " fields pass through.",
    ),
]
BatchSize = Annotated[int, typer.Option("--batch-size", min=1, help="Texts in a batch.")]
Threads = Annotated[
    int | None,
    typer.Option("--threads", min=1, help="CPU threads.", show_default="one for each core"),
]
LengthPenalty = Annotated[
    float | None,
    typer.Option("--length-penalty", help="Above 0 favors longer text.", show_default="model's"),
]
MaxNewTokens = Annotated[
    int | None,
    typer.Option("--max-new-tokens", min=1, help="Maximum, in tokens.", show_default="model's"),
]
NumBeams = Annotated[
    int | None,
    typer.Option(
        "--num-beams",
        min=1,
        help="Hypotheses kept at each step; 1 is greedy.",
        show_default="model's",
    ),
]


def specified(**options: Any) -> dict[str, Any]:
    """The options that the user gave: those that are not None."""
    return {name: value for name, value in options.items() if value is not None}
