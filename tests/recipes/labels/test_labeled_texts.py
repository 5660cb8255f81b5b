"""Labels of a text may be a cell, a list, or parts of a cell."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.recipes.examples import Example
from regard.recipes.labels.labeled_texts import read_labeled
from regard.records import BadLine


def test_columns_of_known_names_are_found_and_lines_counted(tmp_path: Path) -> None:
    file = tmp_path / "a.tsv"
    file.write_text("id\tcategory\treview\n1\tgood\ta film\n2\tbad\tanother\n")
    expected = [Example("a film", None, ["good"], 2), Example("another", None, ["bad"], 3)]
    assert list(read_labeled(str(file))) == expected


def test_a_cell_may_hold_several_labels(tmp_path: Path) -> None:
    rows = [{"text": "a", "labels": ["y", "x"]}, {"text": "b", "labels": "z; x;"}]
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps(row | {"pair": "p"}) + "\n" for row in rows))
    found = list(read_labeled(str(file), pair="pair", separator=";"))
    assert [example.targets for example in found] == [["x", "y"], ["x", "z"]]
    assert {example.pair for example in found} == {"p"}


def test_rows_without_a_label_are_bad_lines_and_an_empty_list_is_none_of_the_labels(
    tmp_path: Path,
) -> None:
    labels: list[Any] = ["x", "", " ", None, math.nan, [], ["x", " "], 0, False, [1.0, 2]]
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps({"text": "a", "label": label}) + "\n" for label in labels))
    bad: list[BadLine] = []
    examples = list(read_labeled(str(file), on_bad_line=bad.append))
    assert [(each.line, each.reason) for each in bad] == [(k, "no label") for k in (2, 3, 4, 5)]
    assert [each.targets for each in examples] == [
        ["x"], [], ["x"], ["0"], ["False"], ["1.0", "2"],
    ]  # fmt: skip
    parted = list(read_labeled(str(file), separator=";", on_bad_line=lambda bad: None))
    assert [each.line for each in parted if not each.targets] == [2, 3, 6]
    with pytest.raises(RegardError, match="line 2: expected a label; got none"):
        list(read_labeled(str(file)))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"text": 3, "label": "x"}, "line 1: expected a text in 'text'; got int. Name the column"),
        ({"text": "a", "label": {}}, "line 1: expected a label or a list of labels; got dict"),
    ],
)
def test_a_cell_of_another_kind_is_refused(
    row: dict[str, object], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(row) + "\n")
    with pytest.raises(RegardError, match=message):
        list(read_labeled(str(file)))
