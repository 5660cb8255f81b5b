"""Pairs of texts, with a score or without."""

import json
from pathlib import Path

import pytest

from regard import RegardError
from regard.recipes.examples import Example
from regard.recipes.vectors.text_pairs import read_text_pairs


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
