"""What `regard evaluate` says of a classifier."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regard.tasks.classification.train import TextLabelEvaluator
from regard.tasks.classification.train_options import LabelEvaluationOptions
from regard.training.examples import Example
from regard.training.labels import LabelEvaluation
from regard.training.report import LabelReport
from regard.training.resampling import intervals

EXAMPLES = [Example(f"text {k}", None, ["a" if k < 3 else "b"], k + 2) for k in range(6)]


def result(multi_label: bool = False) -> LabelEvaluation:
    scores = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9], [0.6, 0.4], [0.2, 0.8]])
    expected = np.array([[1, 0]] * 3 + [[0, 1]] * 3, bool)
    losses = -np.log(np.where(expected, scores, 0).sum(1))
    return LabelEvaluation(("a", "b"), scores > 0.5, expected, scores, losses, multi_label)


def report(**changes: Any) -> LabelReport:
    """The report on `result`, of `worst` mistakes."""
    worst = changes.pop("worst", 5)
    evaluator = TextLabelEvaluator(LabelEvaluationOptions())
    mistakes = evaluator.worst(result(), EXAMPLES, worst)
    spans = intervals(result())
    return LabelReport(
        result().figures, spans, 6, "texts", worst=mistakes, result=result(), **changes
    )


def test_the_figures_each_label_and_the_confusions_are_shown() -> None:
    text = "\n".join(report().lines())
    assert "accuracy            66.7%" in text
    assert "a           3      0.667   0.667  0.667" in text
    assert "classified as  a  b\na              2  1\nb              1  2" in text


def test_the_surest_mistakes_come_first() -> None:
    shown = report().lines()
    assert shown[-2:] == [
        "  line 4: b 0.70, not a: text 2",
        "  line 6: a 0.60, not b: text 4",
    ]
    assert report(worst=1).lines()[-1] == shown[-2]


def test_another_model_is_compared() -> None:
    compared = {"model": "m", "figure": "accuracy", "value": 0.5, "difference": 0.1667, "p": 0.3}
    expected = "accuracy of m: 50.0%; difference +0.1667, p = 0.300 (paired bootstrap)"
    assert expected in report(compared=compared).lines()


def test_json_has_everything() -> None:
    content = json.loads(report(worst=1).as_json())
    assert content["figures"]["accuracy"] == pytest.approx(2 / 3)
    assert content["confusion"] == [[2, 1], [1, 2]]
    assert content["worst"][0]["line"] == 4
    assert len(content["intervals"]["accuracy"]) == 2


def test_the_confusions_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    report().draw(tmp_path / "a.svg")
    assert "classified as" in (tmp_path / "a.svg").read_text()
