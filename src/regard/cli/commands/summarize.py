"""`regard summarize`: long texts from arguments, a file or a pipe; their summaries to stdout."""

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.lines import Line
from regard.cli.options import (
    BatchSize,
    Input,
    JsonLines,
    LengthPenalty,
    MaxNewTokens,
    NumBeams,
    Output,
    Threads,
    specified,
)
from regard.cli.texts import (
    answers,
    destination,
    lines_bar,
    one_line,
    say_not_followed,
    text_groups,
)

if TYPE_CHECKING:
    from regard.tasks.summarization import Rewriting


def summarize(
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            help="Folder or hub:org/name of a BART, Pegasus or T5 model; none comes with regard.",
        ),
    ],
    texts: Annotated[
        list[str] | None,
        typer.Argument(help="Texts to summarize, each in quotes; otherwise read --input or stdin."),
    ] = None,
    input: Input = None,
    output: Output = None,
    as_json: JsonLines = False,
    prefix: Annotated[
        str | None,
        typer.Option(
            "--prefix",
            help="Text to put before every text, such as T5's 'summarize: '.",
            show_default="model's",
        ),
    ] = None,
    max_new_tokens: MaxNewTokens = None,
    min_new_tokens: Annotated[
        int | None,
        typer.Option("--min-new-tokens", min=0, help="Shortest summary.", show_default="model's"),
    ] = None,
    num_beams: NumBeams = None,
    length_penalty: LengthPenalty = None,
    no_repeat_ngram_size: Annotated[
        int | None,
        typer.Option(
            "--no-repeat-ngram-size",
            min=0,
            help="Never repeat a sequence of this many tokens; 0 allows any.",
            show_default="model's",
        ),
    ] = None,
    batch_size: BatchSize = 8,
    threads: Threads = None,
) -> None:
    """Summarize texts.

    One line in, one line out: an empty line stays empty, and in a pipe each answer is
    written as soon as its line arrives.
    """
    groups = text_groups(texts, input, as_json, what="a text")
    import torch

    from regard.api.loading import load

    if threads:
        torch.set_num_threads(threads)
    summarizer = load(model, "summarization")
    if prefix is not None:
        summarizer.prefix = prefix
    say_not_followed(model, summarizer.not_followed)
    options = specified(
        max_new_tokens=max_new_tokens,
        min_new_tokens=min_new_tokens,
        num_beams=num_beams,
        length_penalty=length_penalty,
        no_repeat_ngram_size=no_repeat_ngram_size,
    )
    with (
        destination(output) as file,
        lines_bar(input, "summarizing") as bar,
    ):

        def summarized(texts: list[str]) -> "list[Rewriting]":
            return summarizer.run(texts, batch_size=batch_size, progress=bar, **options)

        for group in answers(groups, summarized, bar):
            for line, summary in group:
                if summary:
                    _warn(line, summary, summarizer.room)
                if as_json:
                    print(_json(line, summary), file=file)
                else:
                    print(one_line(summary.text) if summary else "", file=file)
            file.flush()


def _warn(line: Line, summary: "Rewriting", room: int) -> None:
    if summary.truncated:
        print(
            f"regard: line {line.number} is longer than the {room} tokens that the model reads;"
            " the rest was left out. Split the text.",
            file=sys.stderr,
        )
    if not summary.finished:
        print(
            f"regard: the summary of line {line.number} was cut off before it ended;"
            " raise --max-new-tokens.",
            file=sys.stderr,
        )


def _json(line: Line, summary: "Rewriting | None") -> str:
    entry = dict(line.fields) or {"text": line.text}
    if summary is None:
        return json.dumps(entry | {"summary": ""}, ensure_ascii=False)
    entry |= {"summary": summary.text, "score": summary.score, "tokens": summary.tokens}
    return json.dumps(entry | {"truncated": summary.truncated}, ensure_ascii=False)
