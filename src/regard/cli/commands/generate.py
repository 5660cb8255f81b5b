"""`regard generate`: go on with a text as it is written, answer as a chat, or do it for many."""

from itertools import chain, repeat
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli import options
from regard.cli.lines import Line
from regard.cli.options import model_option, option
from regard.cli.refusals import Refusals
from regard.cli.streams import say
from regard.cli.texts import destination, json_line, lines_bar, text_groups
from regard.errors import BadArgumentError
from regard.lines import several_lines

if TYPE_CHECKING:
    from regard.tasks.writing import Continuation, Writer

_SAMPLING = ("temperature", "top_k", "top_p", "min_p", "seed")
Messages = list[dict[str, str]]

ModelName = Annotated[
    str,
    model_option(
        "A shipped model's name, a folder or hub:org/name of a GPT-2, Llama, Mistral or Qwen2"
        " model."
    ),
]
Chat = Annotated[bool, option("Treat each prompt as a message to a chat model.", "--chat")]
Interactive = Annotated[
    bool,
    option("Chat line by line. Ctrl-C stops an answer, Ctrl-D ends the chat.", "--interactive"),
]
DoSample = Annotated[
    bool | None,
    option(
        "Draw tokens at random; the next five options imply it.",
        "--do-sample/--no-sample",
        default="model's",
    ),
]
MinP = Annotated[
    float | None, option("Draw only tokens at least this fraction as likely as the top one.")
]
NumReturnSequences = Annotated[int | None, option("Texts to write for each prompt.", min=1)]
RepetitionPenalty = Annotated[float | None, option("Values above 1 avoid repeating tokens.")]
Stop = Annotated[
    list[str] | None, option("Stop once this has been written; may be given several times.")
]


def generate(
    context: typer.Context,
    prompts: Annotated[options.Texts, options.texts_to("continue")] = None,
    model: ModelName = "shakespeare",
    input: options.Input = None,
    output: options.Output = None,
    as_json: options.JsonLines = False,
    chat: Chat = False,
    system: Annotated[str | None, option("Instructions at the beginning of a chat.")] = None,
    interactive: Interactive = False,
    max_new_tokens: options.MaxNewTokens = None,
    do_sample: DoSample = None,
    temperature: Annotated[float | None, option("Values below 1 favor likelier tokens.")] = None,
    top_k: Annotated[int | None, option("Number of likeliest tokens to draw from; 0: all.")] = None,
    top_p: Annotated[float | None, option("Total probability of the tokens to draw from.")] = None,
    min_p: MinP = None,
    seed: Annotated[int | None, option("The same seed draws the same text.")] = None,
    num_beams: options.NumBeams = None,
    alternatives: NumReturnSequences = None,
    repetition_penalty: RepetitionPenalty = None,
    no_repeat_ngram_size: options.NoRepeatNgramSize = None,
    stop: Stop = None,
    strict: options.Strict = False,
    batch_size: options.BatchSize = 16,
    threads: options.Threads = None,
    engine: options.Engine = "auto",
    precision: options.Precision = None,
) -> None:
    """Continue texts, or chat.

    One prompt is written as it comes; Ctrl-C keeps what is there. Of many, each text is followed
    by an empty line; --json tells them apart for a program.
    """
    if system is not None and not (chat or interactive):
        raise BadArgumentError("--system belongs to a chat; add --chat or --interactive.")
    if interactive and (prompts or input or output or as_json):
        raise BadArgumentError(
            "--interactive reads its messages from you; leave prompts and files out."
        )
    groups = (
        []
        if interactive
        else text_groups(prompts, input, as_json, what="a prompt", keep_bad=not strict)
    )
    from regard.api.loading import load

    settings = options.generation_options(context)
    if any(name in settings for name in _SAMPLING):
        settings.setdefault("do_sample", True)
    writer = load(model, "text-generation")
    writer = options.run_by(writer, engine, precision, threads)
    config = writer.generation.updated(**settings)
    settings["stop_strings"] = stop or ()
    opening: Messages = [] if system is None else [{"role": "system", "content": system}]
    if interactive:
        _converse(writer, opening, settings)
        return
    one = len(prompts or ()) == config.num_beams == config.alternatives == 1
    if prompts and one and not (as_json or output):
        _stream(writer, prompts[0], opening, chat, settings)
        return
    gaps = chain([""], repeat("\n"))  # an empty line between texts

    def continued(lines: list[Line], progress: Any) -> "list[Continuation]":
        asked = [_asked(line.text, opening, chat) for line in lines]
        return writer.run(asked, batch_size=batch_size, progress=progress, **settings)

    refusals = Refusals(continued, keep_going=not (prompts or strict), blank=True)
    with destination(output) as file, lines_bar(input, "writing") as bar:
        for group in groups:
            for line, result in refusals.answers(group, bar):
                if result is not None:
                    _warn(result, chat, f"the text of line {line.number}")
                if as_json:
                    print(_json(line, result), file=file)
                    continue
                start = "" if chat else line.text
                for each in (result, *result.others) if result is not None else ():
                    print(f"{next(gaps)}{several_lines(f'{start}{each.text}')}", file=file)
            file.flush()
    refusals.end()


def _stream(
    writer: "Writer", prompt: str, opening: Messages, chat: bool, settings: dict[str, Any]
) -> None:
    pieces = writer.stream(_asked(prompt, opening, chat), **settings)
    if not chat:
        print(prompt, end="", flush=True)
    try:
        for piece in pieces:
            print(several_lines(piece), end="", flush=True)
    finally:  # whatever stops it, what has been written stays, on a line that ends
        print(flush=True)
    if pieces.result:
        _warn(pieces.result, chat, "the text")


def _converse(writer: "Writer", opening: Messages, settings: dict[str, Any]) -> None:
    messages = list(opening)
    while True:
        try:
            said = input("> ")
        except (EOFError, RuntimeError):  # the latter if stdin is closed
            print()
            return
        if not said.strip():
            continue
        messages.append({"role": "user", "content": said})
        pieces, answer = writer.stream(messages, **settings), ""
        try:
            for piece in pieces:
                print(several_lines(piece), end="", flush=True)
                answer += piece
        except KeyboardInterrupt:  # enough of this answer; the chat continues with what is there
            pass
        print(flush=True)
        if pieces.result:
            _warn(pieces.result, True, "the answer")
        messages.append({"role": "assistant", "content": answer})


def _asked(text: str, opening: Messages, chat: bool) -> str | Messages:
    return [*opening, {"role": "user", "content": text}] if chat else text


def _warn(result: "Continuation", chat: bool, what: str) -> None:
    """Says of a cut where it surprises: an answer should end, while a text may go on for ever."""
    if result.full:
        say(f"{what} was cut at the model's maximum length.")
    elif chat and not result.finished:
        say(f"{what} was cut at --max-new-tokens; raise it.")


def _json(line: Line, result: "Continuation | None") -> str:
    if result is None:
        return json_line(line, continuation="")
    others = {"others": [_fields(other) for other in result.others]} if result.others else {}
    return json_line(line, **_fields(result), **others)


def _fields(result: "Continuation") -> dict[str, Any]:
    return {
        "continuation": result.text,
        "tokens": result.tokens,
        "score": result.score,
        "finished": result.finished,
    }
