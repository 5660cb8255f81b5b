"""Labels of a text may be a cell, a list, or parts of a cell."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.data import BadLine
from regard.tasks.classification.read import read_labeled
from regard.training.examples import Example


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


def labels_of(folder: Path, name: str, content: str, said: list[str]) -> list[list[str]]:
    (folder / name).write_text(content)
    return [example.targets for example in read_labeled(str(folder / name), say=said.append)]


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("a.jsonl", ["[1, 0, 1]", "[0, 1, 0]", "[0, 0, 0]"]),
        ("a.jsonl", ["[1.0, 0.0, 1.0]", "[0.0, 1.0, 0.0]", "[0.0, 0.0, 0.0]"]),
        ("a.jsonl", ["[true, false, true]", "[false, true, false]", "[false, false, false]"]),
        ("a.csv", ['"[1, 0, 1]"', '"[0, 1, 0]"', '"[0, 0, 0]"']),
        ("a.csv", ["[1 0 1]", "[0 1 0]", "[0 0 0]"]),
    ],
)
def test_lists_of_zeros_and_ones_are_the_labels_at_their_places(
    name: str, rows: list[str], tmp_path: Path
) -> None:
    # As sklearn.preprocessing.MultiLabelBinarizer writes sets of labels.
    if name == "a.csv":
        content = "text,labels\n" + "".join(f"text {k},{row}\n" for k, row in enumerate(rows))
    else:
        content = "".join(
            f'{{"text": "text {k}", "labels": {row}}}\n' for k, row in enumerate(rows)
        )
    said: list[str] = []
    assert labels_of(tmp_path, name, content, said) == [["0", "2"], ["1"], []]
    assert 'the labels are their places, "0" to "2"' in said[0]


def test_a_list_of_another_length_is_a_bad_line(tmp_path: Path) -> None:
    content = "".join(
        f'{{"text": "text {k}", "labels": {[k % 2, 1] if k < 60 else [1]}}}\n' for k in range(61)
    )
    with pytest.raises(
        RegardError, match=r"line 61: expected a list of 2 zeros and ones; got \[1\]"
    ):
        labels_of(tmp_path, "a.jsonl", content, [])


def test_numbers_of_labels_are_no_places(tmp_path: Path) -> None:
    content = '{"text": "a", "labels": [0, 1]}\n{"text": "b", "labels": [1]}\n'
    assert labels_of(tmp_path, "a.jsonl", content, []) == [["0", "1"], ["1"]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "id,comment_text,toxic,threat,insult\n1,A,1,0,1\n2,B,0,0,0\n"),
        (
            "a.jsonl",
            '{"text": "A", "toxic": 1, "threat": 0, "insult": true}\n'
            '{"text": "B", "toxic": 0, "threat": 0, "insult": false}\n',
        ),
        (
            "a.jsonl",
            '{"text": "A", "labels": {"toxic": 1, "threat": 0, "insult": 1}}\n'
            '{"text": "B", "labels": {"toxic": 0, "threat": 0, "insult": 0}}\n',
        ),
    ],
)
def test_a_column_for_each_label_has_its_name(name: str, content: str, tmp_path: Path) -> None:
    assert labels_of(tmp_path, name, content, []) == [["insult", "toxic"], []]


@pytest.mark.parametrize(
    "names",
    ["sentence1,sentence2", "premise,hypothesis", "question,sentence", "Text A,text-b"],
)
def test_a_couple_of_names_is_a_text_and_its_pair(names: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"idx,{names},label\n0,one,two,x\n")
    [example] = read_labeled(str(path))
    assert (example.text, example.pair) == ("one", "two")
    [example] = read_labeled(str(path), text=names.split(",")[1])
    assert (example.text, example.pair) == ("two", None)


def test_lines_of_fasttext_have_their_labels_first(tmp_path: Path) -> None:
    content = "__label__good __label__long A fine\tfilm.\n__label__bad No.\n"
    assert labels_of(tmp_path, "a.txt", content, []) == [["good", "long"], ["bad"]]
    [first, _] = read_labeled(str(tmp_path / "a.txt"))
    assert first.text == "A fine film."
    with pytest.raises(RegardError, match="line 2: expected __label__ and a label"):
        labels_of(tmp_path, "a.txt", "__label__x a\nb\n", [])


def test_what_an_annotator_set_aside_is_left_out(tmp_path: Path) -> None:
    answers = ("accept", "reject", "ignore")  # of Prodigy
    rows = [{"text": answer, "label": "x", "answer": answer} for answer in answers]
    rows += [{"text": "skipped", "label": "x", "was_cancelled": True}]  # type: ignore[dict-item]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    bad: list[BadLine] = []
    [example] = read_labeled(str(tmp_path / "a.jsonl"), on_bad_line=bad.append)
    assert example.text == "accept"
    assert [(line.line, line.reason) for line in bad] == [(k, "set aside") for k in (2, 3, 4)]
    named = read_labeled(str(tmp_path / "a.jsonl"), label="answer", on_bad_line=bad.append)
    assert [each.targets for each in named] == [["accept"], ["reject"], ["ignore"]]


def test_signs_of_no_width_are_no_part_of_a_label(tmp_path: Path) -> None:
    around = (
        "{}\u200b",
        "\ufeff{}",
        "{} \u200e",
        "\u200b \u200b{}",
        "\u2066{}\u2069",
        "\u061c{}\xa0",
    )
    rows = [f"a,{one.format('good')}\n" for one in around]
    inside = ["می\u200cروم", "🏴\U000e0067\U000e0062\U000e007f"]  # Persian; a flag, of tags
    content = "".join(["text,label\n", *rows, *(f"a,{label}\n" for label in inside)])
    labels = labels_of(tmp_path, "a.csv", content, [])
    assert labels == [*[["good"]] * len(rows), *([label] for label in inside)]


def test_choices_of_label_studio_have_its_names(tmp_path: Path) -> None:
    # Its export as JSON; its short form, JSON-MIN, has {"review": …, "sentiment": …}.
    def task(text: str, *annotations: Any) -> dict[str, Any]:
        done = [
            {
                "was_cancelled": skipped,
                "result": [
                    {
                        "from_name": "sentiment",
                        "to_name": "text",
                        "type": "choices",
                        "value": {"choices": [choice]},
                    }
                ],
            }
            for choice, skipped in annotations
        ]
        return {"id": 1, "data": {"review": text}, "annotations": done}

    tasks = [
        task("a", ("good", False)),
        task("b", ("good", True), ("bad", False)),
        task("c", ("x", True)),
    ]
    (tmp_path / "a.json").write_text(json.dumps(tasks))
    bad: list[BadLine] = []
    read = read_labeled(str(tmp_path / "a.json"), on_bad_line=bad.append)
    assert [(each.text, each.targets) for each in read] == [("a", ["good"]), ("b", ["bad"])]
    assert [line.line for line in bad] == [3]


def test_labels_that_look_like_scores_are_said(tmp_path: Path) -> None:
    rows = [f"text {k},{k / 17:.4f}" for k in range(17)]
    said: list[str] = []
    labels_of(tmp_path, "a.csv", "\n".join(["text,target", *rows]), said)
    assert "17 different numbers in the first 17 rows, as scores are" in said[0]
    said.clear()
    labels_of(tmp_path, "a.csv", "text,target\n" + "a,1.5\nb,2.0\n" * 9, said)
    often = "".join(f"a,{k % 40}\n" for k in range(120))  # numbers of many classes
    labels_of(tmp_path, "b.csv", f"text,target\n{often}", said)
    assert not any("as scores are" in sentence for sentence in said)
    once = "".join(f"a,{3 * k}\n" for k in range(40))
    labels_of(tmp_path, "b.csv", f"text,target\n{once}", said)
    assert "40 different numbers in the first 40 rows, as scores are" in said[-1]
