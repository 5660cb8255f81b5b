"""`regard summarize`: long texts from arguments, a file or a pipe; their summaries to stdout."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli import options
from regard.cli.lines import Line
from regard.cli.options import model_option, option
from regard.cli.streams import say
from regard.cli.texts import answer_lines, json_line, say_not_followed, text_groups
from regard.lines import one_line

if TYPE_CHECKING:
    from regard.tasks.summarization import Summary

ModelName = Annotated[
    str,
    model_option("Folder or hub:org/name of a BART, Pegasus or T5 model; none comes with regard."),
]
Prefix = Annotated[
    str | None,
    option("Text to put before every text, such as T5's 'summarize: '.", default="model's"),
]
MinNewTokens = Annotated[int | None, option("Shortest summary.", default="model's", min=0)]


def summarize(
    context: typer.Context,
    model: ModelName,
    texts: Annotated[options.Texts, options.texts_to("summarize")] = None,
    input: options.Input = None,
    output: options.Output = None,
    as_json: options.JsonLines = False,
    prefix: Prefix = None,
    max_new_tokens: options.MaxNewTokens = None,
    min_new_tokens: MinNewTokens = None,
    num_beams: options.NumBeams = None,
    length_penalty: options.LengthPenalty = None,
    no_repeat_ngram_size: options.NoRepeatNgramSize = None,
    strict: options.Strict = False,
    batch_size: options.BatchSize = 8,
    threads: options.Threads = None,
    engine: options.Engine = "auto",
    precision: options.Precision = None,
) -> None:
    """Summarize texts.

    One line in, one line out: an empty line stays empty, and in a pipe each answer is
    written as soon as its line arrives.
    """
    groups = text_groups(texts, input, as_json, what="a text", keep_bad=not strict)
    from regard.api.loading import load

    summarizer = load(model, "summarization")
    summarizer = options.run_by(summarizer, engine, precision, threads)
    if prefix is not None:
        summarizer.prefix = prefix
    say_not_followed(model, summarizer.not_followed)
    settings = options.generation_options(context)

    def summarized(lines: list[Line], progress: Any) -> "list[Summary]":
        texts = [line.text for line in lines]
        return summarizer.run(texts, batch_size=batch_size, progress=progress, **settings)

    def shown(line: Line, summary: "Summary | None") -> str:
        if summary:
            _warn(line, summary, summarizer.room)
        if as_json:
            return _json(line, summary)
        return one_line(summary.text) if summary else ""

    answer_lines(
        groups,
        summarized,
        shown,
        input=input,
        output=output,
        doing="summarizing",
        keep_going=not (texts or strict),
    )


def _warn(line: Line, summary: "Summary", room: int) -> None:
    if summary.truncated:
        say(
            f"line {line.number} is longer than the {room} tokens that the model reads; the rest"
            " was left out. Split the text."
        )
    if not summary.finished:
        say(
            f"the summary of line {line.number} was cut off before it ended; raise"
            " --max-new-tokens."
        )


def _json(line: Line, summary: "Summary | None") -> str:
    if summary is None:
        return json_line(line, summary="")
    return json_line(
        line,
        summary=summary.text,
        score=summary.score,
        tokens=summary.tokens,
        truncated=summary.truncated,
    )
