"""Texts from arguments, a file or stdin, and what is written of each line."""

import gzip
import json
from pathlib import Path

import pytest

from regard.cli import texts
from regard.cli.lines import Line
from regard.cli.refusals import Refusals
from regard.cli.task_command import call
from regard.errors import BadArgumentError, DamagedFileError


def test_arguments_are_lines_numbered_from_one():
    assert texts.text_groups(["a", "b"], None, False, what="a text") == [
        [Line(1, "a"), Line(2, "b")]
    ]


def test_arguments_and_a_file_exclude_each_other(tmp_path):
    with pytest.raises(BadArgumentError, match="give either a text or --input; got both"):
        texts.text_groups(["a"], tmp_path / "b", False, what="a text")


def test_an_empty_file_is_refused_before_anything_is_read_from_it(tmp_path):
    (tmp_path / "empty").touch()
    with pytest.raises(DamagedFileError, match="but it is empty"):
        texts.text_groups(None, tmp_path / "empty", False, what="a text")


def test_a_file_in_memory_is_no_stream():
    assert texts.is_stream(Path("/dev/stdin"))
    assert texts.is_stream(Path("/dev/fd/3"))
    assert not texts.is_stream(Path("/dev/shm/texts.jsonl"))


def test_a_whole_text_is_unpacked(tmp_path):
    file = tmp_path / "text.gz"
    file.write_bytes(gzip.compress(b"one\ntwo\n"))
    assert texts.whole_text("nothing", file) == "one\ntwo\n"


def test_empty_lines_keep_their_place_and_are_not_answered():
    groups = [[Line(1, "ab"), Line(2, " "), Line(3, "cde")], [Line(4, "")], [Line(5, "fg")]]
    calls = []

    def backwards(lines, progress):
        calls.append([line.text for line in lines])
        return [line.text[::-1] for line in lines]

    refusals = Refusals(backwards, keep_going=True)
    pairs = [pair for group in groups for pair in refusals.answers(group, lambda done: None)]
    assert calls == [["ab", "cde"], ["fg"]]
    found = [(line.number, answer) for line, answer in pairs]
    assert found == [(1, "ba"), (2, None), (3, "edc"), (4, None), (5, "gf")]


def test_a_refused_text_is_named_by_its_line():
    def refuse(lines, progress):
        error = BadArgumentError("too long.")
        error.index = 1
        raise error

    group = [Line(7, ""), Line(8, "a"), Line(9, "b")]
    with pytest.raises(BadArgumentError, match="line 9: too long"):
        list(Refusals(refuse, keep_going=False).answers(group, lambda done: None))


COMMAND = call("classify", as_json=True)


def test_the_reason_for_no_answer_is_a_field_of_its_line():
    line = Line(1, "", error=DamagedFileError("not UTF-8."))
    assert json.loads(COMMAND.json_line(line, {"n": 1})) == {
        "text": "", "n": 1, "error": "not UTF-8.",
    }  # fmt: skip


def test_fields_that_came_in_pass_through():
    line = Line(1, "a", {"text": "a", "id": 7})
    assert json.loads(COMMAND.json_line(line, {"n": 2})) == {"text": "a", "id": 7, "n": 2}
    assert COMMAND.json_line(Line(1, "é"), {"n": 1}) == '{"text": "é", "n": 1}'


def test_a_line_of_json_has_no_other_line_ends():
    written = COMMAND.json_line(Line(1, "a\u2028b\x85c\u2029"), {"n": 1})
    assert len(written.splitlines()) == 1
    assert json.loads(written)["text"] == "a\u2028b\x85c\u2029"


def test_a_field_that_came_in_is_not_overwritten():
    line = Line(1, "a", {"text": "a", "labels": 0, "input_labels": 1})
    assert json.loads(COMMAND.json_line(line, {"labels": 2})) == {
        "text": "a", "input_input_labels": 0, "input_labels": 1, "labels": 2,
    }  # fmt: skip


def test_a_field_that_gets_another_name_is_named_once(capsys):
    command = call("classify")
    for number in (1, 2):
        line = Line(number, "a", {"text": "a", "labels": "old", "error": "none"})
        fields = json.loads(command.json(line, None))
        assert (fields["input_labels"], fields["labels"]) == ("old", [])
        assert (fields["input_error"], "error" in fields) == ("none", False)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert "has a field 'labels', as the answer has; it is now 'input_labels'." in said[0]
