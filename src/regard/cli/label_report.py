"""What `regard evaluate` shows of a classifier: figures, labels, confusions, worst mistakes."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.lines import one_line

if TYPE_CHECKING:
    from regard.recipes.examples import Example
    from regard.recipes.labels.labels import LabelEvaluation

NAMES = {
    "accuracy": "accuracy",
    "macro_f1": "macro-F1",
    "micro_f1": "micro-F1",
    "matthews": "Matthews",
    "calibration": "calibration error",
    "loss": "loss",
}
LARGEST_TABLE = 12  # labels whose confusions fit a terminal


def as_json(
    result: "LabelEvaluation",
    ranges: Mapping[str, tuple[float, float]],
    examples: Sequence["Example"],
    worst: int,
    compared: Mapping[str, Any] | None,
    *,
    unit: str = "texts",
) -> str:
    """Everything, as one JSON object.

    Args:
        unit: what is labeled: "texts", "images".
    """
    scores = result.scores
    content: dict[str, Any] = {
        unit: len(result),
        "figures": {name: result.figures[name] for name in NAMES if name in result.figures},
        "intervals": {name: ranges[name] for name in NAMES if name in ranges},
        "labels": [
            {
                "label": label,
                unit: int(scores.counts[k]),
                "precision": scores.precision[k],
                "recall": scores.recall[k],
                "f1": scores.f1[k],
            }
            for k, label in enumerate(result.labels)
        ],
        "worst": [_mistake(result, row, examples[row]) for row in result.worst(worst)],
    }
    if not result.several:
        content["confusion"] = result.confusion.tolist()
    if compared is not None:
        content["compared"] = compared
    return json.dumps(content, ensure_ascii=False)


def lines(
    result: "LabelEvaluation",
    ranges: Mapping[str, tuple[float, float]],
    examples: Sequence["Example"],
    worst: int,
    compared: Mapping[str, Any] | None,
    *,
    unit: str = "texts",
) -> list[str]:
    """The report for a terminal; intervals are of 95 %.

    Args:
        unit: what is labeled: "texts", "images".
    """
    figures, shown = result.figures, []
    for name, title in NAMES.items():
        if name in figures:
            low, high = ranges[name]
            shown.append(f"{title:<18} {_number(name, figures[name])}"
                         f"   {_number(name, low)} to {_number(name, high)}")  # fmt: skip
    shown.append(f"{unit:<18} {len(result):,}; intervals are of 95 %, by bootstrap")
    if compared is not None:
        shown += ["", _comparison(compared)]
    scores = result.scores
    width = max(5, *(len(label) for label in result.labels))
    shown += ["", f"{'label':<{width}}  {unit:>6}  precision  recall     F1"]
    shown += [
        f"{one_line(label):<{width}}  {scores.counts[k]:>6,}  {scores.precision[k]:>9.3f}"
        f"  {scores.recall[k]:>6.3f}  {scores.f1[k]:>5.3f}"
        for k, label in enumerate(result.labels)
    ]
    if not result.several and len(result.labels) <= LARGEST_TABLE:
        shown += ["", *_table(result)]
    if mistakes := result.worst(worst):
        shown += ["", "The classifier was surest of these mistakes:"]
        shown += [_mistake_line(_mistake(result, row, examples[row])) for row in mistakes]
    return shown


def draw(result: "LabelEvaluation", path: Path) -> None:
    """The confusion table as a picture: rows are the labels of the texts, columns the answers."""
    import numpy as np

    from regard.figures.heatmap import heatmap
    from regard.figures.style import save

    table = result.confusion.astype(np.float64)
    shares = table / np.maximum(table.sum(1, keepdims=True), 1)
    labels = list(result.labels)
    figure = heatmap(
        shares, labels, labels, quantity="share of the label's texts",
        row_name="label", column_name="classified as",
    )  # fmt: skip
    save(figure, path)


def _table(result: "LabelEvaluation") -> list[str]:
    """Rows are the labels of the texts, columns what they were classified as."""
    cells = [[f"{count:,}" for count in row] for row in result.confusion]
    labels = [one_line(label)[:12] for label in result.labels]
    width = max(len(text) for text in [*labels, *(cell for row in cells for cell in row)])
    head = "  ".join(f"{label:>{width}}" for label in labels)
    return [
        f"{'classified as':<13}  {head}",
        *(
            f"{label:<13}  " + "  ".join(f"{cell:>{width}}" for cell in row)
            for label, row in zip(labels, cells, strict=True)
        ),
    ]


def _comparison(compared: Mapping[str, Any]) -> str:
    name = compared["figure"]
    return (
        f"{NAMES[name]} of {compared['model']}: {_number(name, compared['value']).strip()};"
        f" difference {compared['difference']:+.4f}, p = {compared['p']:.3f} (paired bootstrap)"
    )


def _mistake(result: "LabelEvaluation", row: int, example: "Example") -> dict[str, Any]:
    wanted = [result.labels[k] for k in result.expected[row].nonzero()[0]]
    named = {
        result.labels[k]: float(result.probabilities[row, k])
        for k in result.predicted[row].nonzero()[0]
    }
    texts = [example.text] if example.pair is None else [example.text, example.pair]
    where = {"line": example.line} if example.line else {}  # images have names, and no line
    return where | {"texts": texts, "labels": wanted, "classified_as": named}


def _mistake_line(mistake: Mapping[str, Any]) -> str:
    named = ", ".join(f"{one_line(k)} {v:.2f}" for k, v in mistake["classified_as"].items())
    wanted = ", ".join(map(one_line, mistake["labels"])) or "no label"
    text = one_line(" | ".join(mistake["texts"]))
    text = text if len(text) <= 100 else f"{text[:99]}…"
    where = f"line {mistake['line']:,}: " if "line" in mistake else ""
    return f"  {where}{named or 'no label'}, not {wanted}: {text}"


def _number(name: str, value: float) -> str:
    percent = name in ("accuracy", "macro_f1", "micro_f1")
    return f"{value:>6.1%}" if percent else f"{value:>6.3f}"
