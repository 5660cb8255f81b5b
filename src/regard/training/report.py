"""Report on a classifier: figures, labels, confusions, the worst mistakes."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from regard import figures
from regard.errors import shortened
from regard.lines import one_line
from regard.training.evaluation import DataT, Evaluator, Report, TaskT
from regard.training.labels import LabelEvaluation
from regard.training.options.evaluation import LabelOptions

LARGEST_TABLE = 12  # labels whose confusions fit a terminal
OptionsT = TypeVar("OptionsT", bound=LabelOptions)


class RatiosReport(Report, ABC):
    """A report with a line on each label: how often it is expected, precision, recall and F1."""

    widths: ClassVar = (18, 6)
    counted: ClassVar = "count"  # what the label is of

    @abstractmethod
    def ratios(self) -> Iterator[tuple[str, int, float, float, float]]:
        """Yield the label, its count, precision, recall and F1."""

    def content(self) -> dict[str, Any]:
        names = ("label", self.counted, "precision", "recall", "f1")
        labels = [dict(zip(names, row, strict=True)) for row in self.ratios()]
        return super().content() | {"labels": labels}

    def details(self) -> list[str]:
        rows = list(self.ratios())
        width = max(5, *(len(label) for label, *_ in rows))
        return [
            "",
            f"{'label':<{width}}  {self.counted:>6}  precision  recall     F1",
            *(
                f"{one_line(label):<{width}}  {count:>6,}  {precision:>9.3f}  {recall:>6.3f}"
                f"  {f1:>5.3f}"
                for label, count, precision, recall, f1 in rows
            ),
        ]


class LabelReport(RatiosReport):
    """A report on a classifier, with the figures of each label and the confusions."""

    result: LabelEvaluation

    titles: ClassVar = {
        "accuracy": ("accuracy", "{:>6.1%}"),
        "macro_f1": ("macro-F1", "{:>6.1%}"),
        "micro_f1": ("micro-F1", "{:>6.1%}"),
        "matthews": ("Matthews", "{:>6.3f}"),
        "calibration": ("calibration error", "{:>6.3f}"),
        "loss": ("loss", "{:>6.3f}"),
    }
    before_worst: ClassVar = "The classifier was surest of these mistakes:"

    @property
    def counted(self) -> str:  # type: ignore[override]
        return self.unit

    def ratios(self) -> Iterator[tuple[str, int, float, float, float]]:
        scores = self.result.scores
        columns = (scores.counts, scores.precision, scores.recall, scores.f1)
        yield from zip(self.result.labels, *(column.tolist() for column in columns), strict=True)

    def content(self) -> dict[str, Any]:
        more: dict[str, Any] = {"worst": list(self.worst)}
        if not self.result.multi_label:
            more["confusion"] = self.result.confusion.tolist()
        return super().content() | more

    def details(self) -> list[str]:
        lines, result = super().details(), self.result
        if not result.multi_label and len(result.labels) <= LARGEST_TABLE:
            lines += ["", *_table(result)]
        return lines

    def example(self, example: Mapping[str, Any]) -> str:
        answers = ", ".join(f"{one_line(k)} {v:.2f}" for k, v in example["classified_as"].items())
        expected = ", ".join(map(one_line, example["labels"])) or "no label"
        text = shortened(one_line(" | ".join(example["texts"])), 100)
        where = f"line {example['line']:,}: " if "line" in example else ""
        return f"{where}{answers or 'no label'}, not {expected}: {text}"

    def draw(self, path: str | Path) -> None:
        """Draw the confusions: rows are the labels of the texts, columns the answers."""
        table = self.result.confusion.astype(np.float64)
        shares = table / np.maximum(table.sum(1, keepdims=True), 1)
        labels = list(self.result.labels)
        figure = figures.heatmap.heatmap(
            shares, labels, labels, quantity="share of the label's texts",
            row_name="label", column_name="classified as",
        )  # fmt: skip
        figures.style.save(figure, Path(path))


class LabelEvaluator(Evaluator[OptionsT, TaskT, DataT, LabelEvaluation]):
    """Evaluation of classifiers."""

    doing = "classifying"
    report_class = LabelReport

    def compared(self, result: LabelEvaluation) -> str:
        return "macro_f1" if result.multi_label else "accuracy"

    def example(self, result: LabelEvaluation, row: int, data: DataT) -> dict[str, Any]:
        probabilities = result.probabilities[row]
        return self.named(data, row) | {
            "labels": [result.labels[k] for k in result.expected[row].nonzero()[0]],
            "classified_as": {
                result.labels[k]: float(probabilities[k])
                for k in result.predicted[row].nonzero()[0]
            },
        }

    def named(self, data: Any, row: int) -> dict[str, Any]:
        """Return the example as a report names it: its line, if it has one, and its texts."""
        example = data[row]
        texts = [example.text] if example.pair is None else [example.text, example.pair]
        return {"line": example.line, "texts": texts}

    def write(self, report: Report) -> None:
        if self.options.figure is not None:
            assert isinstance(report, LabelReport)
            report.draw(self.options.figure)


def _table(result: LabelEvaluation) -> list[str]:
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
