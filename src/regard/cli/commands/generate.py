"""`regard generate`: go on with a text as it is written, answer as a chat, or do it for many."""

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.lines import Line
from regard.cli.options import BatchSize, Input, JsonLines, MaxNewTokens, Output, Threads
from regard.cli.texts import destination, line_named, lines_bar, text_groups
from regard.errors import BadArgumentError

if TYPE_CHECKING:
    from regard.tasks.writing import Result, Writer

_SAMPLING = ("temperature", "top_k", "top_p", "min_p", "seed")
Messages = list[dict[str, str]]


def generate(
    prompts: Annotated[
        list[str] | None,
        typer.Argument(help="Texts to continue, each in quotes; otherwise read --input or stdin."),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            help="Folder or hub:org/name of a GPT-2, Llama, Mistral or Qwen2 model.",
        ),
    ] = "",
    input: Input = None,
    output: Output = None,
    as_json: JsonLines = False,
    chat: Annotated[
        bool, typer.Option("--chat", help="Treat each prompt as a message to a chat model.")
    ] = False,
    system: Annotated[
        str | None, typer.Option("--system", help="Instructions at the beginning of a chat.")
    ] = None,
    interactive: Annotated[
        bool,
        typer.Option(
            "--interactive",
            help="Chat line by line. Ctrl-C stops an answer, Ctrl-D ends the chat.",
        ),
    ] = False,
    max_new_tokens: MaxNewTokens = None,
    do_sample: Annotated[
        bool | None,
        typer.Option(
            "--do-sample/--no-sample",
            help="Draw tokens at random; the next five options imply it.",
            show_default="model's",
        ),
    ] = None,
    temperature: Annotated[
        float | None, typer.Option("--temperature", help="Values below 1 favor likelier tokens.")
    ] = None,
    top_k: Annotated[
        int | None, typer.Option("--top-k", help="Number of likeliest tokens to draw from; 0: all.")
    ] = None,
    top_p: Annotated[
        float | None, typer.Option("--top-p", help="Total probability of the tokens to draw from.")
    ] = None,
    min_p: Annotated[
        float | None,
        typer.Option(
            "--min-p", help="Draw tokens at least this fraction as likely as the top one."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="The same seed draws the same text.")
    ] = None,
    num_beams: Annotated[
        int | None,
        typer.Option(
            "--num-beams", min=1, help="Hypotheses kept at each step.", show_default="model's"
        ),
    ] = None,
    num_return_sequences: Annotated[
        int | None,
        typer.Option("--num-return-sequences", min=1, help="Texts to write for each prompt."),
    ] = None,
    repetition_penalty: Annotated[
        float | None,
        typer.Option("--repetition-penalty", help="Values above 1 avoid repeating tokens."),
    ] = None,
    no_repeat_ngram_size: Annotated[
        int | None,
        typer.Option("--no-repeat-ngram-size", help="Never repeat a sequence of this many tokens."),
    ] = None,
    stop: Annotated[
        list[str] | None,
        typer.Option("--stop", help="Stop once this has been written; may be given several times."),
    ] = None,
    batch_size: BatchSize = 16,
    threads: Threads = None,
) -> None:
    """Continue texts, or chat.

    One prompt is written as it comes; Ctrl-C keeps what is there. Of many, each text is followed
    by an empty line; --json tells them apart for a program.
    """
    if not model:
        raise BadArgumentError(
            "--model is needed: a folder or hub:org/name of a GPT-2, Llama, Mistral or Qwen2 model."
        )
    if system is not None and not (chat or interactive):
        raise BadArgumentError("--system belongs to a chat; add --chat or --interactive.")
    if interactive and (prompts or input or output or as_json):
        raise BadArgumentError(
            "--interactive reads its messages from you; leave prompts and files out."
        )
    groups = [] if interactive else text_groups(prompts, input, as_json, what="a prompt")
    options: dict[str, Any] = {
        "max_new_tokens": max_new_tokens,
        "do_sample": do_sample,
        "temperature": temperature,
        "top_k": top_k,
        "top_p": top_p,
        "min_p": min_p,
        "seed": seed,
        "num_beams": num_beams,
        "num_return_sequences": num_return_sequences,
        "repetition_penalty": repetition_penalty,
        "no_repeat_ngram_size": no_repeat_ngram_size,
    }
    options = {name: value for name, value in options.items() if value is not None}
    if any(name in options for name in _SAMPLING):
        options.setdefault("do_sample", True)
    import torch

    from regard.api.loading import load

    if threads:
        torch.set_num_threads(threads)
    writer = load(model, "text-generation")
    config = writer.generation.updated(**options)
    options["stop_strings"] = stop or ()
    opening: Messages = [] if system is None else [{"role": "system", "content": system}]
    if interactive:
        _converse(writer, opening, options)
        return
    one = len(prompts or ()) == config.num_beams == config.num_return_sequences == 1
    if prompts and one and not (as_json or output):
        _stream(writer, prompts[0], opening, chat, options)
        return
    with (
        destination(output) as file,
        lines_bar(input, "writing") as bar,
    ):
        between = ""
        for group in groups:
            asked = [_asked(line.text, opening, chat) for line in group]
            with line_named(group):
                results = writer.run(asked, batch_size=batch_size, progress=bar, **options)
            for line, result in zip(group, results, strict=True):
                _warn(result, chat, f"the text of line {line.number}")
                if as_json:
                    print(_json(line, result), file=file)
                    continue
                for each in (result, *result.others):
                    start = "" if chat else line.text
                    print(f"{between}{start}{each.text}", file=file)
                    between = "\n"
            file.flush()


def _stream(
    writer: "Writer", prompt: str, opening: Messages, chat: bool, options: dict[str, Any]
) -> None:
    pieces = writer.stream(_asked(prompt, opening, chat), **options)
    if not chat:
        print(prompt, end="", flush=True)
    try:
        for piece in pieces:
            print(piece, end="", flush=True)
    finally:  # whatever stops it, what has been written stays, on a line that ends
        print(flush=True)
    if pieces.result:
        _warn(pieces.result, chat, "the text")


def _converse(writer: "Writer", opening: Messages, options: dict[str, Any]) -> None:
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
        pieces, answer = writer.stream(messages, **options), ""
        try:
            for piece in pieces:
                print(piece, end="", flush=True)
                answer += piece
        except KeyboardInterrupt:  # enough of this answer; the chat continues with what is there
            pass
        print(flush=True)
        if pieces.result:
            _warn(pieces.result, True, "the answer")
        messages.append({"role": "assistant", "content": answer})


def _asked(text: str, opening: Messages, chat: bool) -> str | Messages:
    return [*opening, {"role": "user", "content": text}] if chat else text


def _warn(result: "Result", chat: bool, what: str) -> None:
    """Says of a cut where it surprises: an answer should end, while a text may go on for ever."""
    if result.full:
        print(f"regard: {what} was cut at the model's maximum length.", file=sys.stderr)
    elif chat and not result.finished:
        print(f"regard: {what} was cut at --max-new-tokens; raise it.", file=sys.stderr)


def _json(line: Line, result: "Result") -> str:
    entry = dict(line.fields) or {"text": line.text}
    entry |= _fields(result)
    if result.others:
        entry["others"] = [_fields(other) for other in result.others]
    return json.dumps(entry, ensure_ascii=False)


def _fields(result: "Result") -> dict[str, Any]:
    return {
        "continuation": result.text,
        "tokens": result.tokens,
        "score": result.score,
        "finished": result.finished,
    }
