"""`regard answer`: questions to the parts of a text that answer them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.lines import Line, json_object, open_input, read_text
from regard.cli.options import BatchSize, Output, Threads
from regard.cli.texts import destination, line_named, lines_bar, one_line, text_groups
from regard.errors import BadArgumentError

if TYPE_CHECKING:
    from regard.tasks.answering import Answer


def answer(
    model: Annotated[
        str,
        typer.Option("--model", "-m", help="Folder or hub:org/name of an answering model."),
    ],
    questions: Annotated[
        list[str] | None,
        typer.Argument(help="Questions, each in quotes; otherwise read --input or stdin."),
    ] = None,
    context: Annotated[
        Path | None,
        typer.Option(
            "--context", "-c", help="File with the text to search, up to 16 MiB; may be .gz."
        ),
    ] = None,
    text: Annotated[str | None, typer.Option("--text", help="The text to search.")] = None,
    input: Annotated[
        Path | None,
        typer.Option(
            "--input",
            "-i",
            help='File of questions, one per line, or of JSON objects with a "question" and a'
            ' "context"; may be .gz.',
        ),
    ] = None,
    output: Output = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Write one JSON object per line, including the input fields."),
    ] = False,
    top_k: Annotated[
        int,
        typer.Option(
            "--top-k",
            min=1,
            help="Answers to show for each question; if more than one, as line number, answer and"
            " score.",
        ),
    ] = 1,
    max_answer_len: Annotated[
        int, typer.Option("--max-answer-len", min=1, help="Maximum length of an answer, in tokens.")
    ] = 15,
    or_none: Annotated[
        bool,
        typer.Option("--or-none", help="Allow an empty answer, in case the context contains none."),
    ] = False,
    batch_size: BatchSize = 32,
    threads: Threads = None,
) -> None:
    """Answer questions from a text.

    One question in, one line out: the answer and its probability, separated by a tab.
    """
    if context and text is not None:
        raise BadArgumentError("give either --context or --text; got both.")
    searched = text
    if context:
        with open_input(context) as opened:
            searched = read_text(opened, name=str(context))
    groups = text_groups(questions, input, False, what="a question")
    import torch

    from regard.api.loading import load

    if threads:
        torch.set_num_threads(threads)
    answerer = load(model, "question-answering")
    options: dict[str, Any] = {
        "top_k": top_k,
        "max_answer_len": max_answer_len,
        "handle_impossible_answer": or_none,
        "batch_size": batch_size,
    }
    with (
        destination(output) as file,
        lines_bar(input, "answering") as bar,
    ):
        for group in groups:
            asked = list(_asked(group, searched))
            bar(len(group) - len(asked))
            pairs = [
                (str(entry["question"]), entry.get("context") or searched or "")
                for _, entry in asked
            ]
            with line_named([line for line, _ in asked]):
                results = answerer.run(pairs, progress=bar, **options)
            found = {
                line.number: (entry, answers)
                for (line, entry), answers in zip(asked, results, strict=True)
            }
            for line in group:
                entry, answers = found.get(line.number, ({"question": ""}, []))
                if as_json:
                    print(_json(entry, answers), file=file)
                else:
                    print(_plain(line.number, answers, top_k), file=file)
            file.flush()


def _asked(lines: list[Line], searched: str | None) -> Iterator[tuple[Line, dict[str, Any]]]:
    """Each line that asks something, with its fields."""
    for line in lines:
        if not line.text.strip():
            continue
        entry: Any = {"question": line.text}
        if line.text.startswith("{"):
            entry = json_object(line.text, f"line {line.number}")
        if not isinstance(entry.get("question"), str):
            raise BadArgumentError(f'line {line.number} must have a string under "question".')
        if not isinstance(entry.get("context", searched), str):
            raise BadArgumentError(
                f"line {line.number} needs a text to search: --context FILE, --text, or a JSON"
                ' object with "question" and "context".'
            )
        yield line, entry


def _json(entry: dict[str, Any], answers: "list[Answer]") -> str:
    found = [
        {"answer": each.text, "start": each.start, "end": each.end, "score": each.score}
        for each in answers
    ]
    return json.dumps(entry | {"answers": found}, ensure_ascii=False)


def _plain(number: int, answers: "list[Answer]", top_k: int) -> str:
    shown = [f"{one_line(' '.join(each.text.split()))}\t{each.score:.4f}" for each in answers]
    if top_k == 1:
        return shown[0] if shown else ""
    return "\n".join(f"{number}\t{each}" for each in shown or ["\t"])
