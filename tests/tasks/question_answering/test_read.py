"""Questions from SQuAD's format and from columns; answers that do not fit their context."""

import json
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.data import refuse
from regard.tasks.question_answering.read import (
    NOT_AT_START,
    NOT_THERE,
    QuestionReader,
    fault,
    locate,
    read_squad,
)
from regard.tasks.question_answering.train_options import QuestionAnsweringOptions
from regard.training.examples import Example

CONTEXT = "The dog sees the cat. The cat sleeps."


def read(path: Path, **options: Any) -> tuple[list[Example], list[str]]:
    said: list[str] = []
    reader = QuestionReader(QuestionAnsweringOptions(**options), said.append)
    return list(reader.read(str(path), refuse)), said


def squad(*questions: dict[str, Any], title: str = "Pets") -> dict[str, Any]:
    paragraph = {"context": CONTEXT, "qas": list(questions)}
    return {"version": "v2.0", "data": [{"title": title, "paragraphs": [paragraph]}]}


def asked(question: str, *answers: tuple[str, int], **more: Any) -> dict[str, Any]:
    found = [{"text": text, "answer_start": start} for text, start in answers]
    return {"question": question, "answers": found, **more}


def test_squad_is_read_with_lines_titles_and_all_answers(tmp_path: Path) -> None:
    file = tmp_path / "squad.json"
    content = squad(
        asked("who sees?", ("The dog", 0), ("dog", 4)),
        asked("who flies?", is_impossible=True, plausible_answers=[{"text": "cat"}]),
        asked('a "question" : here?', ("cat", 17)),
    )
    file.write_text(json.dumps(content, indent=1))
    found, said = read(file)
    lines = file.read_text().splitlines()
    assert [each.targets for each in found] == [[["The dog", 0], ["dog", 4]], [], [["cat", 17]]]
    assert {(each.pair, each.group) for each in found} == {(CONTEXT, "Pets")}
    for each in found:
        assert json.dumps(each.text) in lines[each.line - 1]
    assert said == []


def test_other_json_is_left_to_the_reader_of_lines(tmp_path: Path) -> None:
    file = tmp_path / "lines.json"
    line = {"question": "who sees?", "context": CONTEXT, "answer": "dog"}
    file.write_text(f"{json.dumps(line)}\n{json.dumps(line | {'answer': None})}\n")
    assert read_squad(file) is None
    found, _ = read(file)
    assert [(each.targets, each.line) for each in found] == [([["dog", 4]], 1), ([], 2)]


@pytest.mark.parametrize(
    ("answers", "targets"),
    [
        ({"text": ["dog", "The dog"], "answer_start": [4, 0]}, [["dog", 4], ["The dog", 0]]),
        ({"text": [], "answer_start": []}, []),
        ([{"text": "cat", "answer_start": 26}], [["cat", 26]]),
        (["dog", "sleeps"], [["dog", 4], ["sleeps", 30]]),
        (" sleeps ", [["sleeps", 30]]),
        ("", []),
    ],
)
def test_answers_have_every_common_form(tmp_path: Path, answers: Any, targets: Any) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [{"question": "who?", "context": CONTEXT, "answers": one} for one in (answers, "dog")]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read(file)[0][0].targets == targets


def test_columns_are_named_or_known_or_in_order(tmp_path: Path) -> None:
    rows = f"who sees?\t{CONTEXT}\tdog\n"
    plain, named = tmp_path / "plain.tsv", tmp_path / "named.tsv"
    plain.write_text(rows)
    named.write_text(f"q\tpassage\treply\tat\nwho sees?\t{CONTEXT}\tcat\t26\n")
    assert read(plain)[0] == [Example("who sees?", CONTEXT, [["dog", 4]], 1)]
    found, _ = read(named, question="q", answer="reply", start="at")
    assert found == [Example("who sees?", CONTEXT, [["cat", 26]], 2)]


@pytest.mark.parametrize(
    ("text", "start", "found"),
    [
        ("cat", 26, (26, None)),
        ("dog", 5, (4, "corrected")),
        ("dog", -1, (4, "corrected")),
        ("cat", 0, (NOT_AT_START, NOT_AT_START)),
        ("bird", 0, (NOT_THERE, NOT_THERE)),
        ("dog", None, (4, None)),
        ("cat", None, (17, "several")),
    ],
)
def test_an_answer_counts_where_it_is(text: str, start: int | None, found: Any) -> None:
    assert locate(CONTEXT, text, start) == found


def test_answers_that_do_not_fit_are_reported_with_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "squad.json"
    content = squad(
        asked("who flies?", ("bird", 0)),
        asked("who sleeps?", ("cat", 3)),
        asked("who sees?", ("dog", 3)),
        asked("who is there?", ("bird", 0), ("dog", 4)),
    )
    file.write_text(json.dumps(content, indent=1))
    found, said = read(file)
    assert [fault(each) for each in found] == [
        "answer not in its context", "answer not at its start", None, None,
    ]  # fmt: skip
    assert [each.targets for each in found[2:]] == [[["dog", 4]], [["dog", 4]]]
    lines = [each.line for each in found]
    assert said[:2] == [
        f"{file}, line {lines[0]}: the answer 'bird' to 'who flies?' is not in its context;"
        " left out",
        f"{file}, line {lines[1]}: the answer 'cat' to 'who sleeps?' is not at 3, and several"
        " times elsewhere in its context; left out",
    ]
    assert said[-1] == (
        f"{file}: 1 answers were not at their start and occur once in the context: corrected"
    )


def test_a_context_belongs_to_one_article_in_all_files(tmp_path: Path) -> None:
    said: list[str] = []
    reader = QuestionReader(QuestionAnsweringOptions(), said.append)
    for title in ("Pets", "Animals"):
        (tmp_path / f"{title}.json").write_text(
            json.dumps(squad(asked("who?", ("dog", 4)), title=title))
        )
    found = [
        each
        for title in ("Pets", "Animals")
        for each in reader.read(str(tmp_path / f"{title}.json"), refuse)
    ]
    assert [each.group for each in found] == ["Pets", "Pets"]


ROW = {"question": "who?", "context": CONTEXT, "answer": "dog"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", {"data": [{"title": "x"}]}, "each entry of data must be .* 'paragraphs'"),
        ("a.json", {"data": [{"paragraphs": [{"qas": []}]}]}, "a text under 'context'"),
        ("a.json", squad({"answers": []}), "an entry of qas must be .* 'question'"),
        ("a.json", squad(asked("who?") | {"answers": 7}), "line 1: expected answers as text"),
        ("a.jsonl", ROW | {"question": 3}, "line 1: expected a text in 'question'; got int"),
        ("a.jsonl", ROW | {"start": "x"}, "line 1: the start of an answer must be .* got 'x'"),
        ("a.jsonl", ROW | {"answer": ["dog"], "start": [1, 2]}, "a start for each or none"),
        ("a.jsonl", {"question": "who?", "context": "a"}, "known to be the answer"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    name: str, content: Any, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(json.dumps(content) + "\n")
    with pytest.raises(RegardError, match=message):
        read(tmp_path / name)


def test_a_question_keeps_the_id_that_its_file_has(tmp_path: Path) -> None:
    file, rows = tmp_path / "squad.json", tmp_path / "rows.jsonl"
    questions = [asked("who sees?", ("dog", 4)) | {"id": "56be"}, asked("who?", ("dog", 4))]
    questions[1].pop("id", None)
    file.write_text(json.dumps(squad(*questions)))
    line = {"question": "who?", "context": CONTEXT, "answer": "dog"}
    rows.write_text(f"{json.dumps(line | {'id': 0})}\n{json.dumps(line | {'id': None})}\n")
    assert [each.id for each in read(file)[0]] == ["56be", ""]
    assert [each.id for each in read(rows)[0]] == ["0", ""]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_a_test_set_whose_answers_are_kept_back_is_refused(name: str, tmp_path: Path) -> None:
    entry: dict[str, Any] = {"id": "1", "question": "Who?", "answers": []}
    for said in ({}, {"is_impossible": True}):
        content: Any = {
            "data": [{"paragraphs": [{"context": "Anna did.", "qas": [{**entry, **said}]}]}]
        }
        if name == "a.jsonl":
            content = {**entry, "context": "Anna did.", "answers": {"text": [], "answer_start": []}}
        (tmp_path / name).write_text(json.dumps(content) + "\n")
        if said and name == "a.json":
            assert [example.targets for example in read(tmp_path / name)[0]] == [[]]
            continue
        with pytest.raises(RegardError, match="has no answers, and does not say is_impossible"):
            read(tmp_path / name)
