"""What `regard evaluate` shows of a model that gives no labels: figures, baselines, examples."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from regard.lines import one_line

# The figures in the order in which they are shown: title and format.
FIGURES = {
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
    "mrr": ("mean reciprocal rank", "{:.3f}"),
    "spearman": ("Spearman", "{:.3f}"),
    "loss": ("loss", "{:.4f}"),
    "perplexity": ("perplexity", "{:.2f}"),
    "bits_per_byte": ("bits per byte", "{:.3f}"),
    "accuracy": ("accuracy", "{:.1%}"),
}
_WIDTH = 22
_LONGEST = 160  # characters of an example's line

Figures = Mapping[str, float]
Ranges = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Report:
    """An evaluation as it is shown."""

    figures: Figures
    ranges: Ranges  # the intervals of the figures
    count: int
    unit: str  # what is counted: "questions"
    baselines: Mapping[str, Figures] = field(default_factory=dict)
    worst: Sequence[Mapping[str, Any]] = ()
    compared: Mapping[str, Any] | None = None  # the paired test with another model
    note: str = ""

    def as_json(self) -> str:
        """Everything, as one JSON object; a figure that is not defined is null."""
        shown = [name for name in FIGURES if name in self.figures]
        content: dict[str, Any] = {
            self.unit.replace(" ", "_"): self.count,
            "figures": {name: _defined(self.figures[name]) for name in shown},
            "intervals": {name: [_defined(end) for end in self.ranges[name]] for name in shown},
        }
        more = {
            "baselines": {name: dict(each) for name, each in self.baselines.items()},
            "worst": list(self.worst),
            "compared": self.compared,
            "note": self.note,
        }
        content |= {name: value for name, value in more.items() if value}
        return json.dumps(content, ensure_ascii=False)

    def lines(self) -> list[str]:
        """The report for a terminal."""
        shown = []
        for name, (title, spelled) in FIGURES.items():
            if name in self.figures:
                every = (self.figures[name], *self.ranges[name])
                value, low, high = (spelled.format(each) for each in every)
                shown.append(f"{title:<{_WIDTH}} {value:>8}   {low} to {high}")
        note = f"; {self.note}" if self.note else ""
        counted = f"{self.count:,}; intervals are of 95 %, by bootstrap"
        shown.append(f"{self.unit:<{_WIDTH}} {counted}{note}")
        for name, each in self.baselines.items():
            values = ", ".join(
                f"{title} {spelled.format(each[figure])}"
                for figure, (title, spelled) in FIGURES.items()
                if figure in each
            )
            shown.append(f"{name:<{_WIDTH}} {values}")
        if self.compared is not None:
            shown += ["", _comparison(self.compared)]
        if self.worst:
            shown += ["", "The worst:", *(f"  {_example(each)}" for each in self.worst)]
        return shown


def _comparison(compared: Mapping[str, Any]) -> str:
    title, spelled = FIGURES[compared["figure"]]
    return (
        f"{title.strip()} of {compared['model']}: {spelled.format(compared['value'])}; difference"
        f" {compared['difference']:+.4f}, p = {compared['p']:.3f} (paired bootstrap)"
    )


def _example(example: Mapping[str, Any]) -> str:
    """`line 3: question: …; expected: …`"""
    parts = []
    for name, value in example.items():
        if name == "line":
            continue
        values = value if isinstance(value, list) else [value]
        text = " | ".join(
            f"{each:.2f}" if isinstance(each, float) else str(each) for each in values
        )
        parts.append(f"{name}: {one_line(text)}")
    line = f"line {example['line']:,}: {'; '.join(parts)}"
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value
