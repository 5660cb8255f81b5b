"""`regard answer`: questions to the parts of a text that answer them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from regard.cli import options
from regard.cli.lines import Line
from regard.cli.options import model_option, option
from regard.cli.texts import answer_lines, json_line, text_groups, whole_text
from regard.errors import BadArgumentError
from regard.lines import json_object, one_line
from regard.records.roles import Role

if TYPE_CHECKING:
    from regard.tasks.answering import Answers

Context = Annotated[
    Path | None,
    option("File with the text to search, up to 16 MiB; may be .gz.", "--context", "-c"),
]
Input = Annotated[
    Path | None,
    option(
        'File of questions, one per line, or of JSON objects with a "question" and a "context"; may'
        " be .gz.",
        "--input",
        "-i",
    ),
]
AsJson = Annotated[
    bool, option("Write one JSON object per line, including the input fields.", "--json")
]
TopK = Annotated[
    int,
    option(
        "Answers to show for each question; if more than one, as line number, answer and score.",
        min=1,
    ),
]
OrNone = Annotated[
    bool | None,
    option(
        "Allow an empty answer, in case the context contains none, or never give one.",
        "--or-none/--always-answer",
        default="model's",
    ),
]

_ROLES = (
    Role("question", ("question", "query"), text=True),
    Role("context", ("context", "passage", "paragraph", "document"), required=False, text=True),
)
Asked = dict[str, Any]  # the fields of a question


def answer(
    model: Annotated[str, model_option("Folder or hub:org/name of an answering model.")],
    questions: Annotated[options.Texts, options.texts_to("ask")] = None,
    context: Context = None,
    text: Annotated[str | None, option("The text to search.")] = None,
    input: Input = None,
    output: options.Output = None,
    as_json: AsJson = False,
    top_k: TopK = 1,
    max_answer_len: Annotated[
        int | None,
        option("Maximum length of an answer, in tokens.", default="model's, else 15", min=1),
    ] = None,
    or_none: OrNone = None,
    strict: options.Strict = False,
    batch_size: options.BatchSize = 32,
    threads: options.Threads = None,
    engine: options.Engine = "auto",
    precision: options.Precision = None,
) -> None:
    """Answer questions from a text.

    One question in, one line out: the answer and its probability, separated by a tab.
    """
    if context and text is not None:
        raise BadArgumentError("give either --context or --text; got both.")
    searched = whole_text("", context) if context else text
    groups = text_groups(
        questions, input, False, what="a question", keep_bad=not strict, roles=_ROLES
    )
    from regard.api.loading import load
    from regard.tasks.batching import read_each

    answerer = load(model, "question-answering")
    answerer = options.run_by(answerer, engine, precision, threads)

    def answered(lines: list[Line], progress: Any) -> "list[tuple[Asked, Answers]]":
        asked = read_each(lambda line: _asked(line, searched), lines)
        pairs = [(each["question"], each.get("context") or searched or "") for each in asked]
        answers = answerer.run(
            pairs,
            top_k=top_k,
            max_answer_len=max_answer_len,
            or_none=or_none,
            batch_size=batch_size,
            progress=progress,
        )
        return list(zip(asked, answers, strict=True))

    def shown(line: Line, result: "tuple[Asked, Answers] | None") -> str:
        asked, answers = result or ({"question": line.text}, ())
        return _json(line, asked, answers) if as_json else _plain(line.number, answers, top_k)

    answer_lines(
        groups,
        answered,
        shown,
        input=input,
        output=output,
        doing="answering",
        keep_going=not (questions or strict),
    )


def _asked(line: Line, searched: str | None) -> Asked:
    """The fields of a line that asks something."""
    asked: Any = line.fields or {"question": line.text}
    if line.text.startswith("{"):
        asked = json_object(line.text)
    if not isinstance(asked.get("question"), str):
        raise BadArgumentError('a question must have a string under "question".')
    if not isinstance(asked.get("context", searched), str):
        raise BadArgumentError(
            "a question needs a text to search: --context FILE, --text, or a JSON object with"
            ' "question" and "context".'
        )
    return dict(asked)


def _json(line: Line, asked: Asked, answers: Sequence[Any]) -> str:
    found = [
        {"answer": each.text, "start": each.start, "end": each.end, "score": each.score}
        for each in answers
    ]
    return json_line(replace(line, fields=asked), answers=found)


def _plain(number: int, answers: Sequence[Any], top_k: int) -> str:
    shown = [f"{one_line(' '.join(each.text.split()))}\t{each.score:.4f}" for each in answers]
    if top_k == 1:
        return shown[0] if shown else ""
    return "\n".join(f"{number}\t{each}" for each in shown or ["\t"])
