"""Evaluation of a trained model on a file of its task, and the report on it."""

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from regard.data import LeftOut
from regard.errors import NotFoundError, shortened
from regard.files import whole_file
from regard.lines import one_line
from regard.training.options.evaluation import BatchedOptions, EvaluationOptions, LineOptions
from regard.training.resampling import Scored, intervals, paired_chance

if TYPE_CHECKING:
    from regard.engine.task import Task

Say = Callable[[str], None]
Progress = Callable[[int], None]
Bar = Callable[[int | None, str], AbstractContextManager[Progress]]  # (total, doing) → progress
Figures = Mapping[str, float]

LONGEST = 160  # characters of an example's line


def no_progress(done: int) -> None:
    """Take note of nothing."""


def no_bar(total: int | None, doing: str) -> AbstractContextManager[Progress]:
    """Show nothing."""
    return nullcontext(no_progress)


@dataclass(frozen=True)
class Report:
    """A model's figures on a test set, with their 95 % intervals.

    `lines()` is what `regard evaluate` prints, `as_json()` what it writes with --json.

    >>> report = Report({"f1": 0.5}, {"f1": (0.4, 0.6)}, count=120, unit="questions")
    >>> print(report.lines()[0])
    F1                        50.0%   40.0% to 60.0%
    """

    figures: Figures  # by name, such as "f1"
    intervals: Mapping[str, tuple[float, float]]  # low and high, by bootstrap
    count: int
    unit: str  # what is counted: "questions"
    baselines: Mapping[str, Figures] = field(default_factory=dict)
    worst: Sequence[Mapping[str, Any]] = ()  # the worst examples, the very worst first
    compared: Mapping[str, Any] | None = None  # the paired test with another model
    note: str = ""
    result: Any = None  # what the model gave, example by example

    # The figures in the order in which they are shown: title and format.
    titles: ClassVar[Mapping[str, tuple[str, str]]] = {
        "rouge1": ("ROUGE-1", "{:.2f}"),
        "rouge2": ("ROUGE-2", "{:.2f}"),
        "rougeL": ("ROUGE-L", "{:.2f}"),
        "exact_match": ("exact match", "{:.1%}"),
        "f1": ("F1", "{:.1%}"),
        "has_answer_exact": ("  exact, with an answer", "{:.1%}"),
        "has_answer_f1": ("  F1, with an answer", "{:.1%}"),
        "no_answer": ("  right, without one", "{:.1%}"),
        "recall_1": ("recall@1", "{:.1%}"),
        "recall_10": ("recall@10", "{:.1%}"),
        "text_recall_1": ("recall@1 of texts", "{:.1%}"),
        "text_recall_5": ("recall@5 of texts", "{:.1%}"),
        "image_recall_1": ("recall@1 of images", "{:.1%}"),
        "image_recall_5": ("recall@5 of images", "{:.1%}"),
        "mrr": ("mean reciprocal rank", "{:.3f}"),
        "spearman": ("Spearman", "{:.3f}"),
        "wer": ("word errors", "{:.1%}"),
        "plain_wer": ("  without case, marks", "{:.1%}"),
        "cer": ("character errors", "{:.1%}"),
        "loss": ("loss", "{:.4f}"),
        "perplexity": ("perplexity", "{:.2f}"),
        "bits_per_byte": ("bits per byte", "{:.3f}"),
        "accuracy": ("accuracy", "{:.1%}"),
    }
    widths: ClassVar[tuple[int, int]] = 22, 8  # of a title and of a figure
    before_worst: ClassVar[str] = "The worst:"

    def lines(self) -> list[str]:
        """Return the report for a terminal."""
        width, wide = self.widths
        lines = []
        for name, (title, spelled) in self.titles.items():
            if name in self.figures:
                numbers = (self.figures[name], *self.intervals[name])
                value, low, high = (shown(spelled, number) for number in numbers)
                lines.append(f"{title:<{width}} {value:>{wide}}   {low} to {high}")
        note = f"; {self.note}" if self.note else ""
        counted = f"{self.count:,}; intervals are of 95 %, by bootstrap"
        lines.append(f"{self.unit:<{width}} {counted}{note}")
        for name, figures in self.baselines.items():
            values = ", ".join(
                f"{title} {shown(spelled, figures[figure])}"
                for figure, (title, spelled) in self.titles.items()
                if figure in figures
            )
            lines.append(f"{name:<{width}} {values}")
        if self.compared is not None:
            lines += ["", self._comparison(self.compared)]
        lines += self.details()
        if self.worst:
            lines += ["", self.before_worst, *(f"  {self.example(bad)}" for bad in self.worst)]
        return lines

    def as_json(self) -> str:
        """Return everything as one JSON object; a figure that is not defined is null."""
        return json.dumps(_defined(self.content()), ensure_ascii=False, allow_nan=False)

    def content(self) -> dict[str, Any]:
        """Return the values of the JSON object."""
        names = [name for name in self.titles if name in self.figures]
        content: dict[str, Any] = {
            self.unit.replace(" ", "_"): self.count,
            "figures": {name: self.figures[name] for name in names},
            "intervals": {name: list(self.intervals[name]) for name in names},
        }
        more = {
            "baselines": {name: dict(figures) for name, figures in self.baselines.items()},
            "worst": list(self.worst),
            "compared": self.compared,
            "note": self.note,
        }
        return content | {name: value for name, value in more.items() if value}

    def details(self) -> list[str]:
        """Return lines between the figures and the worst examples."""
        return []

    def example(self, example: Mapping[str, Any]) -> str:
        """Return one of the worst examples as a line: "line 3, 56be: question: …; expected: …"."""
        where = ", ".join([f"line {example['line']:,}", *filter(None, [example.get("id")])])
        parts = []
        for name, value in example.items():
            if name not in ("line", "id"):
                values = value if isinstance(value, list) else [value]
                text = " | ".join(f"{v:.2f}" if isinstance(v, float) else str(v) for v in values)
                parts.append(f"{name}: {one_line(text)}")
        return shortened(f"{one_line(where)}: {'; '.join(parts)}", LONGEST)

    def _comparison(self, compared: Mapping[str, Any]) -> str:
        title, spelled = self.titles[compared["figure"]]
        return (
            f"{title.strip()} of {compared['model']}: {spelled.format(compared['value']).strip()};"
            f" difference {compared['difference']:+.4f}, p = {compared['p']:.3f} (paired bootstrap)"
        )


OptionsT = TypeVar("OptionsT", bound=EvaluationOptions)
TaskT = TypeVar("TaskT", bound="Task")
DataT = TypeVar("DataT")
ResultT = TypeVar("ResultT", bound=Scored)


class Evaluator(ABC, Generic[OptionsT, TaskT, DataT, ResultT]):
    """Evaluation of the models of one task on a user's data.

    A result is `Scored`: its figures can be computed over any choice of the examples, which gives
    the intervals and the paired test.
    """

    unit: ClassVar[str]  # what is counted: "questions"
    doing: ClassVar[str]  # for the progress bar
    report_class: ClassVar[type[Report]] = Report
    # (path, columns by name, on_bad_line, say) → the examples of a file.
    reader: ClassVar[Callable[..., Iterator[Any]]]
    # (task, examples, batch_size, progress) → what a model makes of the examples, as `Scored`.
    scorer: ClassVar[Callable[..., Any]]

    def __init__(self, options: OptionsT, *, say: Say = print) -> None:
        self.options, self.say = options, say

    def files(self, data: str) -> Sequence[str]:
        """Return the files and folders that a user's words for the data name."""
        return [data]

    def read(self, path: str) -> DataT:
        """Return the examples of a file; lines that cannot be used are counted and named."""
        assert isinstance(self.options, LineOptions)
        bad = LeftOut(strict=self.options.strict)
        columns = self.options.columns()
        examples: Any = list(self.reader(path, **columns, on_bad_line=bad, say=self.say))
        bad.report(self.say)
        return examples

    def score(self, task: TaskT, data: DataT, *, progress: Progress = no_progress) -> ResultT:
        """Return what a model makes of the examples."""
        assert isinstance(self.options, BatchedOptions)
        return self.scorer(task, data, batch_size=self.options.batch_size, progress=progress)

    @abstractmethod
    def compared(self, result: ResultT) -> str:
        """Return the name of the figure of the paired test."""

    def configured(self, task: TaskT, name: str) -> TaskT:
        """Return the task as the options have it."""
        return task

    def outputs(self, result: ResultT) -> Sequence[Any]:
        """Return what the model gave for each example, each comparable with ==."""
        outputs: Sequence[Any] = result.predicted
        return outputs

    def size(self, data: Any) -> int | None:
        """Return what the progress bar counts to; None where that is not known."""
        return len(data)

    def worst(self, result: ResultT, data: DataT, count: int) -> list[dict[str, Any]]:
        """Return the worst examples, the very worst first."""
        return [self.example(result, row, data) for row in result.worst(count)]

    def example(self, result: ResultT, row: int, data: DataT) -> dict[str, Any]:
        """Return one of the worst examples, as `Report.worst` has it."""
        raise NotImplementedError

    def baselines(self, data: DataT) -> Mapping[str, Scored]:
        """Return results of what needs no model, by name."""
        return {}

    def report(
        self,
        task: TaskT,
        data: DataT,
        *,
        other: TaskT | None = None,
        name: str = "",
        bar: Bar = no_bar,
    ) -> Report:
        """Score a model.

        Args:
            other, name: another model of the task, for the paired test, and what it is called.
        """
        tasks = [task] if other is None else [task, other]
        size = self.size(data)
        with bar(size and size * len(tasks), self.doing) as progress:
            result, *others = [self.score(model, data, progress=progress) for model in tasks]
        report = self.report_class(
            figures=self._figures(result),
            intervals=intervals(result),
            count=len(result),
            unit=self.unit,
            baselines={
                name: self._figures(scores) for name, scores in self.baselines(data).items()
            },
            worst=self.worst(result, data, getattr(self.options, "worst", 0)),
            compared=self.compare(result, others[0], name) if others else None,
            note=getattr(result, "note", ""),
            result=result,
        )
        self.write(report)
        return report

    def write(self, report: Report) -> None:
        """Write the files that the options name."""

    def compare(self, result: ResultT, other: ResultT, name: str) -> dict[str, Any]:
        """Return the paired test of two models' results, as JSON."""
        figure = self.compared(result)
        value, theirs = self._figures(result)[figure], self._figures(other)[figure]
        return {
            "model": name,
            "figure": figure,
            "value": theirs,
            "difference": value - theirs,
            "p": paired_chance(result, other, figure),
        }

    def _figures(self, result: Scored) -> dict[str, float]:
        titles = self.report_class.titles
        return {name: value for name, value in result.figures.items() if name in titles}


AnyEvaluator = Evaluator[Any, Any, Any, Any]


def check_exists(path: Path) -> None:
    """Raise NotFoundError where there is neither a file nor a folder."""
    if not path.exists():
        raise NotFoundError(
            f"expected the data at {path}; there is no such file or folder. Check the path."
        )


def write_texts(path: str | None, texts: Sequence[str]) -> None:
    """Write texts one a line, if a file is named."""
    if path is not None:
        with whole_file(Path(path)) as temporary, temporary.open("w", encoding="utf-8") as file:
            file.writelines(f"{' '.join(text.splitlines())}\n" for text in texts)


def shown(spelled: str, figure: float) -> str:
    """Return a figure in its format; a dash for one that is not defined."""
    return spelled.format(figure) if math.isfinite(figure) else "–"


def _defined(value: object) -> object:
    """Return a value of JSON with null for numbers that are not defined."""
    if isinstance(value, Mapping):
        return {name: _defined(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_defined(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
