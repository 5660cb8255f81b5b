"""Documents with one summary or several."""

import json
from pathlib import Path

import pytest

from regard import RegardError
from regard.tasks.summarization.score import read_documents_with_summaries, read_summaries


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [
        {"article": ["one", "text"], "summary": ["a", "b", "a", " "]},
        {"article": "two", "summary": "c"},
        {"article": "one  text", "summary": "d"},
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_row_has_its_different_summaries(file: Path) -> None:
    found = list(read_documents_with_summaries(str(file)))
    assert [example.text for example in found] == ["one text", "two", "one  text"]
    assert [example.targets for example in found] == [["a", "b"], ["c"], ["d"]]


def test_a_document_is_scored_once_by_all_of_its_summaries(file: Path) -> None:
    found = read_summaries(str(file))
    assert [(example.text, example.targets) for example in found] == [
        ("one text", ["a", "b", "d"]),
        ("two", ["c"]),
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"document": "a", "summary": ""}, "line 1: expected a summary; got an empty cell"),
        ({"document": " ", "summary": "a"}, "line 1: expected a document; got an empty cell"),
        ({"document": 3, "summary": "a"}, "a text or a list of texts as the document; got int"),
    ],
)
def test_what_cannot_be_scored_is_refused(
    row: dict[str, object], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(RegardError, match=message):
        read_summaries(str(path))
