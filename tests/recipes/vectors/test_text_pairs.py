"""Pairs of texts, with a score or without."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from regard import RegardError
from regard.recipes.examples import Example
from regard.recipes.vectors.text_pairs import read_text_pairs
from regard.records import BadLine


def test_pairs_have_scores_where_there_is_a_column_of_them(tmp_path: Path) -> None:
    file = tmp_path / "a.tsv"
    file.write_text("sentence1\tsentence2\none\ttwo\n")
    assert list(read_text_pairs(str(file))) == [Example("one", "two", [], 2)]
    file.write_text("query\tpositive\tscore\none\ttwo\t4.5\n")
    assert list(read_text_pairs(str(file))) == [Example("one", "two", [4.5], 2)]


@pytest.mark.parametrize("score", ["high", "nan", True])
def test_a_score_is_a_number(score: object, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"text": "a", "pair": "b", "score": score}) + "\n")
    with pytest.raises(RegardError, match="line 1: expected a number as the score; got"):
        list(read_text_pairs(str(file)))


def pairs_of(folder: Path, answers: Sequence[object], said: list[str]) -> list[list[float]]:
    rows = [{"question1": f"a{k}", "question2": "b", "label": one} for k, one in enumerate(answers)]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    bad: list[BadLine] = []
    read = read_text_pairs(str(folder / "a.jsonl"), say=said.append, on_bad_line=bad.append)
    scores = [example.targets for example in read]
    assert {line.reason for line in bad} <= {"neutral pair"}
    return scores


@pytest.mark.parametrize(
    ("answers", "scores"),
    [
        ((1, 0), [[1], [0]]),  # Quora's is_duplicate
        ((1.0, 0.0), [[1], [0]]),
        ((True, False), [[1], [0]]),
        (("1", "0"), [[1], [0]]),
        (("entailment", "contradiction", "neutral", "-"), [[1], [0]]),  # SNLI's gold_label
        (("equivalent", "not_equivalent"), [[1], [0]]),  # MRPC's, in GLUE
        (("Duplicate", "Not duplicate"), [[1], [0]]),
    ],
)
def test_a_no_is_never_a_pair_that_belongs_together(
    answers: tuple[object, ...], scores: list[list[float]], tmp_path: Path
) -> None:
    said: list[str] = []
    assert pairs_of(tmp_path, answers, said) == scores
    assert "belong together have the score 1, the others 0" in said[0]


def test_a_label_may_be_graded(tmp_path: Path) -> None:
    assert pairs_of(tmp_path, (0.0, 2.5, 5.0), []) == [[0], [2.5], [5]]  # STS-B, in GLUE


def test_numbers_of_classes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="has the labels 0, 1, 2, and which of them"):
        pairs_of(tmp_path, (0, 1, 2), [])


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_column_of_zeros_and_ones_that_is_not_read_is_named(name: str, tmp_path: Path) -> None:
    rows = [{"text1": "a", "text2": "b", "agree": "1"}, {"text1": "c", "text2": "d", "agree": "0"}]
    content = "".join(json.dumps(row) + "\n" for row in rows)
    if name == "a.csv":
        content = "text1,text2,agree\na,b,1\nc,d,0\n"
    (tmp_path / name).write_text(content)
    said: list[str] = []
    assert len(list(read_text_pairs(str(tmp_path / name), say=said.append))) == 2
    assert "the column 'agree' has 0 and 1 and is not read; if 0 says" in said[0]


def test_negatives_of_triplets_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"anchor": "a", "positive": "b", "negative": "c"}\n')
    said: list[str] = []
    [example] = read_text_pairs(str(tmp_path / "a.jsonl"), say=said.append)
    assert (example.text, example.pair, example.targets) == ("a", "b", [])
    assert "its negatives are not read" in said[0]
