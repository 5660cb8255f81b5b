"""`regard classify`: a label for each text, pair of texts or image."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from regard import catalog
from regard.cli import options
from regard.cli.lines import Line
from regard.cli.options import model_option, option
from regard.cli.streams import say
from regard.cli.texts import answer_lines, json_line, text_groups
from regard.errors import BadArgumentError
from regard.lines import one_line

if TYPE_CHECKING:
    from regard.tasks.classification import Classification

ModelName = Annotated[
    str | None,
    model_option(
        "A shipped model's name, a folder or hub:org/name of a classifier of texts or images.",
        default="emotions; of --images, digits",
    ),
]
AsJson = Annotated[
    bool,
    option(
        'Write one JSON object per line. Input lines may be objects with a "text" and, for pairs, a'
        ' "text_pair"; their other fields pass through.',
        "--json",
    ),
]
TopK = Annotated[
    int,
    option(
        "Labels to show for each text; if more than one, as line number, label and score.", min=1
    ),
]


def classify(
    texts: Annotated[options.Texts, options.texts_to("classify")] = None,
    model: ModelName = None,
    input: options.Input = None,
    output: options.Output = None,
    as_json: AsJson = False,
    pairs: Annotated[bool, option("Each text is two, separated by a tab.", "--pairs")] = False,
    images: Annotated[
        bool, option("Each text is the name of an image file, or of a folder of them.", "--images")
    ] = False,
    labels: Annotated[
        str | None,
        option("Labels of your own with commas between them, for a model of entailment (NLI)."),
    ] = None,
    template: Annotated[
        str | None,
        option(
            "What the model is asked about a label, which takes the place of {}.",
            default="'This example is {}.'",
        ),
    ] = None,
    top_k: TopK = 1,
    strict: options.Strict = False,
    batch_size: options.BatchSize = 32,
    threads: options.Threads = None,
    engine: options.Engine = "auto",
    precision: options.Precision = None,
) -> None:
    """Label texts or images.

    One line in, one line out: the best label and its probability, separated by a tab. An empty
    line stays empty. Each image of a folder has a line, which begins with its name.
    """
    if pairs and images:
        raise BadArgumentError("give either --pairs or --images; got both.")
    if labels is not None and (pairs or images):
        raise BadArgumentError("--labels are of single texts. Leave out --pairs and --images.")
    if template is not None and labels is None:
        raise BadArgumentError("--template is what --labels are put into. Give --labels too.")
    if labels is not None and model is None:
        raise BadArgumentError(
            "--labels need a classifier of entailment (NLI), and none is shipped. Give one's folder"
            " or hub:org/name with --model."
        )
    kind = "image-classification" if images else "text-classification"
    own = None if labels is None else [label.strip() for label in labels.split(",")]
    asked = {} if template is None else {"template": template}
    groups = text_groups(
        texts, input, as_json, what="an image" if images else "a text", keep_bad=not strict
    )
    named: set[tuple[int, str]] = set()  # line and name of images that a folder stood for
    if images:
        groups = _with_folders(groups, named)
    from regard.api.loading import load
    from regard.tasks.batching import read_each

    classifier: Any = load(model or catalog.default(kind) or "", kind)
    classifier = options.run_by(classifier, engine, precision, threads)

    def labeled(lines: list[Line], progress: Any) -> "list[Classification]":
        columns: list[Any] = [[line.text for line in lines]]
        if own is not None:
            columns.append(own)
            return classifier.zero_shot(
                *columns, top_k=top_k, batch_size=batch_size, progress=progress, **asked
            )
        if pairs:
            columns = [list(column) for column in zip(*read_each(_pair, lines), strict=True)]
        return classifier.run(*columns, top_k=top_k, batch_size=batch_size, progress=progress)

    def shown(line: Line, result: "Classification | None") -> str:
        if result and result.truncated:
            say(f"line {line.number} is too long for the model; its end was ignored.")
        if as_json:
            return _json(line, result)
        name = one_line(line.text) if (line.number, line.text) in named else None
        return _plain(line, result, top_k, name)

    answer_lines(
        groups,
        labeled,
        shown,
        input=input,
        output=output,
        doing="classifying",
        keep_going=not (texts or strict),
    )


def _pair(line: Line) -> tuple[str, str]:
    second = line.fields.get("text_pair")
    if isinstance(second, str):
        return line.text, second
    parts = line.text.split("\t")
    if len(parts) != 2:
        raise BadArgumentError(
            "two texts with one tab between them were expected (or a JSON object with"
            f' "text" and "text_pair"); got {len(parts) - 1} tabs.'
        )
    return parts[0], parts[1]


def _json(line: Line, result: "Classification | None") -> str:
    labels = result.labels if result else []
    return json_line(line, labels=[asdict(each) for each in labels])


def _plain(line: Line, result: "Classification | None", top_k: int, name: str | None) -> str:
    """One label, or a line for each of several, behind the image's name or the line's number."""
    start = name if name is not None else str(line.number) if top_k > 1 else None
    if result is None:
        return f"{start}\t\t" if start is not None else ""
    rows = [[one_line(each.label), f"{each.score:.4f}"] for each in result.labels]
    return "\n".join("\t".join(row if start is None else [start, *row]) for row in rows)


def _with_folders(
    groups: Iterable[list[Line]], named: set[tuple[int, str]]
) -> Iterator[list[Line]]:
    """The lines, with those of its images in a folder's place; their names go into `named`."""
    from regard.tasks.images import image_files

    for group in groups:
        lines: list[Line] = []
        for line in group:
            if not (line.text.strip() and Path(line.text).is_dir()):
                lines.append(line)
                continue
            files = [str(file) for file in image_files(Path(line.text))]
            named.update((line.number, file) for file in files)
            lines += [Line(line.number, file, line.fields | {"text": file}) for file in files]
        yield lines
