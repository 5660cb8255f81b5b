"""`regard translate`: sentences from arguments, a file or a pipe; to stdout or a file."""

import json
import sys
from typing import TYPE_CHECKING, Annotated, TextIO

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
from regard.cli.texts import answers, destination, lines_bar, one_line, text_groups
from regard.cli.translators import Prefix, SourceLanguage, TargetLanguage, open_translator
from regard.errors import BadArgumentError

if TYPE_CHECKING:
    from regard.translation.translator import Result


def translate(
    sentences: Annotated[
        list[str] | None,
        typer.Argument(help="Sentences, each in quotes; otherwise read --input or stdin."),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            "--model", "-m", help="A shipped model's name, a model folder or hub:org/name."
        ),
    ] = "en-de",
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    prefix: Prefix = None,
    input: Input = None,
    output: Output = None,
    as_json: JsonLines = False,
    attention: Annotated[
        bool, typer.Option("--attention", help="Show which words each word attended to.")
    ] = False,
    attention_step: Annotated[
        str,
        typer.Option(
            "--attention-step",
            metavar="output|input",
            help="Read at the step that predicts a word, or at the next, which reads it.",
        ),
    ] = "output",
    attention_layer: Annotated[
        int | None,
        typer.Option(
            "--attention-layer",
            help="Read from this layer of the decoder, from 0; -1 is the last.",
            show_default="mean of all",
        ),
    ] = None,
    num_beams: NumBeams = None,
    n_best: Annotated[
        int,
        typer.Option(
            "--n-best",
            min=1,
            help="Translations to show for each sentence, as line number, score and text"
            " separated by tabs; at most --num-beams.",
        ),
    ] = 1,
    length_penalty: LengthPenalty = None,
    max_new_tokens: MaxNewTokens = None,
    batch_size: BatchSize = 32,
    threads: Threads = None,
) -> None:
    """Translate sentences.

    One line in, one line out: an empty line stays empty, and in a pipe each answer is
    written as soon as its line arrives.
    """
    attention = attention or attention_layer is not None
    groups = text_groups(sentences, input, as_json, what="a sentence")
    import torch

    if threads:
        torch.set_num_threads(threads)
    translator = open_translator(model, source_language, target_language, prefix)
    beams = translator.generation.num_beams if num_beams is None else num_beams
    if n_best > beams:
        raise BadArgumentError(f"--n-best must be at most --num-beams; got {n_best} > {beams}.")
    options = specified(
        num_beams=num_beams,
        num_return_sequences=n_best,
        length_penalty=length_penalty,
        max_new_tokens=max_new_tokens,
        alignment_layer=attention_layer,
    )
    with (
        destination(output) as file,
        lines_bar(input, "translating") as bar,
    ):

        def translated(texts: list[str]) -> "list[Result]":
            return translator.run(
                texts,
                batch_size=batch_size,
                alignment=attention_step if attention else None,
                progress=bar,
                **options,
            )

        for group in answers(groups, translated, bar):
            for line, result in group:
                if result and not result.finished:
                    print(
                        f"regard: the translation of line {line.number} was cut off before it"
                        " ended; raise --max-new-tokens or split the line.",
                        file=sys.stderr,
                    )
                if as_json:
                    text = _json(line, result)
                elif n_best > 1:
                    text = _n_best(line, result)
                else:
                    text = one_line(result.text) if result else ""
                print(text, file=file)
                # No words, no map: a text may be invisible characters alone.
                if attention and not as_json and result and result.alignment is not None:
                    caption = translator.alignment_caption(attention_step, attention_layer)
                    print(_grid(result, caption, file), file=file)
            file.flush()


def _json(line: Line, result: "Result | None") -> str:
    entry = dict(line.fields) or {"text": line.text}
    if result is None:
        return json.dumps(entry | {"translation": ""}, ensure_ascii=False)
    entry |= {"translation": result.text, "score": result.score, "tokens": result.tokens}
    if len(result.alternatives) > 1:
        entry["alternatives"] = [
            {"translation": other.text, "score": other.score} for other in result.alternatives
        ]
    if result.alignment is not None:
        entry["source_words"] = result.source_words
        entry["target_words"] = result.target_words
        entry["alignment"] = [[round(float(x), 4) for x in row] for row in result.alignment]
    return json.dumps(entry, ensure_ascii=False)


def _n_best(line: Line, result: "Result | None") -> str:
    if result is None:
        return f"{line.number}\t\t"
    return "\n".join(
        f"{line.number}\t{other.score:.4f}\t{one_line(other.text)}" for other in result.alternatives
    )


def _grid(result: "Result", caption: str, file: TextIO) -> str:
    from regard.figures.terminal import alignment_grid, takes_color

    assert result.alignment is not None
    return alignment_grid(
        result.source_words,
        result.target_words,
        result.alignment,
        caption=caption,
        color=takes_color(file),
    )
