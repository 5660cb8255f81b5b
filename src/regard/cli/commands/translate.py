"""`regard translate`: sentences from arguments, a file or a pipe; to stdout or a file."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli import options
from regard.cli.lines import Line
from regard.cli.options import option
from regard.cli.streams import say
from regard.cli.texts import answer_lines, json_line, text_groups
from regard.cli.translators import Prefix, SourceLanguage, TargetLanguage, open_translator
from regard.errors import BadArgumentError
from regard.lines import one_line

if TYPE_CHECKING:
    from regard.translation.translator import Translation

Attention = Annotated[bool, option("Show which words each word attended to.", "--attention")]
AttentionStep = Annotated[
    str,
    option(
        "Read at the step that predicts a word, or at the next, which reads it.",
        metavar="output|input",
    ),
]
AttentionLayer = Annotated[
    int | None,
    option("Read from this layer of the decoder, from 0; -1 is the last.", default="mean of all"),
]
NBest = Annotated[
    int,
    option(
        "Translations to show for each sentence, as line number, score and text separated by"
        " tabs; at most --num-beams.",
        "--alternatives",
        min=1,
    ),
]


def translate(
    context: typer.Context,
    sentences: Annotated[options.Texts, options.texts_to("translate")] = None,
    model: options.ModelName = "en-de",
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    prefix: Prefix = None,
    input: options.Input = None,
    output: options.Output = None,
    as_json: options.JsonLines = False,
    attention: Attention = False,
    attention_step: AttentionStep = "output",
    attention_layer: AttentionLayer = None,
    num_beams: options.NumBeams = None,
    alternatives: NBest = 1,
    length_penalty: options.LengthPenalty = None,
    max_new_tokens: options.MaxNewTokens = None,
    strict: options.Strict = False,
    batch_size: options.BatchSize = 32,
    threads: options.Threads = None,
    engine: options.Engine = "auto",
    precision: options.Precision = None,
) -> None:
    """Translate sentences.

    One line in, one line out: an empty line stays empty, and in a pipe each answer is
    written as soon as its line arrives. A line that cannot be translated is named, and its
    answer is empty; the exit code is then 2.
    """
    attention = attention or attention_layer is not None
    groups = text_groups(sentences, input, as_json, what="a sentence", keep_bad=not strict)
    translator = open_translator(
        *(model, source_language, target_language, prefix),
        engine=engine,
        precision=precision,
        threads=threads,
    )
    if attention:
        options.use_threads(threads)
    beams = translator.generation.num_beams if num_beams is None else num_beams
    if alternatives > beams:
        raise BadArgumentError(
            f"--alternatives must be at most --num-beams; got {alternatives} > {beams}."
        )
    settings = options.generation_options(context)

    def translated(lines: list[Line], progress: Any) -> "list[Translation]":
        return translator.run(
            [line.text for line in lines],
            batch_size=batch_size,
            alignment=attention_step if attention else None,
            alignment_layer=attention_layer,
            progress=progress,
            **settings,
        )

    def shown(line: Line, result: "Translation | None") -> str:
        if result and not result.finished:
            say(
                f"the translation of line {line.number} was cut off before it ended;"
                " raise --max-new-tokens or split the line."
            )
        if as_json:
            return _json(line, result, translator.computed_by)
        if alternatives > 1:
            text = _n_best(line, result)
        else:
            text = one_line(result.text) if result else ""
        # No words, no map: a text may be invisible characters alone.
        if attention and result and result.alignment is not None:
            caption = translator.alignment_caption(attention_step, attention_layer)
            text += "\n" + _grid(result, caption, to_file=output is not None)
        return text

    answer_lines(
        groups,
        translated,
        shown,
        input=input,
        output=output,
        doing="translating",
        keep_going=not (sentences or strict),
    )


def _json(line: Line, result: "Translation | None", engine: str) -> str:
    if result is None:
        return json_line(line, translation="")
    found = {"translation": result.text, "score": result.score, "tokens": result.tokens}
    if len(result.alternatives) > 1:
        found["alternatives"] = [
            {"translation": other.text, "score": other.score} for other in result.alternatives
        ]
    if result.alignment is not None:
        found["engine"] = engine  # of the text; the alignment is of the model's own weights
        found["source_words"] = result.source_words
        found["target_words"] = result.target_words
        found["alignment"] = [[round(float(x), 4) for x in row] for row in result.alignment]
    return json_line(line, **found)


def _n_best(line: Line, result: "Translation | None") -> str:
    if result is None:
        return f"{line.number}\t\t"
    return "\n".join(
        f"{line.number}\t{other.score:.4f}\t{one_line(other.text)}" for other in result.alternatives
    )


def _grid(result: "Translation", caption: str, *, to_file: bool) -> str:
    from regard.figures.terminal import alignment_grid, takes_color

    assert result.alignment is not None
    return alignment_grid(
        result.source_words,
        result.target_words,
        result.alignment,
        caption=caption,
        color=not to_file and takes_color(sys.stdout),
    )
