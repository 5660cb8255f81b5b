"""A report is the same for a terminal and for a program, and has only what there is."""

import json
import math

from regard.training.evaluation import Report

FULL = Report(
    {"f1": 0.5, "exact_match": 0.25, "spearman": math.nan},
    {"f1": (0.4, 0.6), "exact_match": (0.2, 0.3), "spearman": (math.nan, math.nan)},
    count=1200,
    unit="questions of text",
    baselines={"first words": {"f1": 0.125}},
    worst=[{"line": 7, "expected": ["a", "b"], "answer": "c\x1b[0m"}],
    compared={"model": "other", "figure": "f1", "value": 0.4, "difference": 0.1, "p": 0.03},
    note="of 1,300",
)


def test_a_terminal_gets_figures_in_order_then_what_they_compare_to() -> None:
    assert FULL.lines() == [
        "exact match               25.0%   20.0% to 30.0%",
        "F1                        50.0%   40.0% to 60.0%",
        "Spearman                      –   – to –",
        "questions of text      1,200; intervals are of 95 %, by bootstrap; of 1,300",
        "first words            F1 12.5%",
        "",
        "F1 of other: 40.0%; difference +0.1000, p = 0.030 (paired bootstrap)",
        "",
        "The worst:",
        r"  line 7: expected: a | b; answer: c\x1b[0m",
    ]


def test_an_example_is_named_by_its_line_and_its_own_id() -> None:
    bad = {"line": 1234, "id": "56be\x1b", "question": "who?", "answer": ""}
    assert FULL.example(bad) == r"line 1,234, 56be\x1b: question: who?; answer: "


def test_a_program_gets_everything_and_null_for_what_is_not_defined() -> None:
    assert json.loads(FULL.as_json()) == {
        "questions_of_text": 1200,
        "figures": {"exact_match": 0.25, "f1": 0.5, "spearman": None},
        "intervals": {"exact_match": [0.2, 0.3], "f1": [0.4, 0.6], "spearman": [None, None]},
        "baselines": {"first words": {"f1": 0.125}},
        "worst": [{"line": 7, "expected": ["a", "b"], "answer": "c\x1b[0m"}],
        "compared": {"model": "other", "figure": "f1", "value": 0.4, "difference": 0.1, "p": 0.03},
        "note": "of 1,300",
    }


def test_what_there_is_not_is_left_out() -> None:
    short = Report({"loss": 2.0}, {"loss": (1.5, 2.5)}, count=3, unit="texts")
    assert list(json.loads(short.as_json())) == ["texts", "figures", "intervals"]
    assert len(short.lines()) == 2


def test_json_has_null_for_what_is_not_defined() -> None:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    undefined = float("nan"), float("inf")
    report = Report(
        {"f1": undefined[0]},
        {"f1": undefined},
        count=1,
        unit="questions",
        baselines={"first": {"f1": undefined[0]}},
        worst=[{"line": 1, "f1": undefined[1]}],
    )
    content = json.loads(report.as_json(), parse_constant=refuse)
    assert content["figures"] == content["baselines"]["first"] == {"f1": None}
    assert content["intervals"] == {"f1": [None, None]}
    assert content["worst"] == [{"line": 1, "f1": None}]
