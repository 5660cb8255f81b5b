"""`regard answer`: a question in, a part of the text out."""

import gzip
import json

import pytest

from regard.tasks.question_answering.task import Answerer

TEXT = "Anna lives in the red house near the river in Vienna."
QUESTION = "Where is the house?"


@pytest.fixture(scope="module")
def folder(encoder_folder):
    return encoder_folder("Bert", "ForQuestionAnswering")


@pytest.fixture(scope="module")
def answers(folder):
    return Answerer.load(folder).run([(QUESTION, TEXT)], top_k=3, max_answer_len=2)[0]


def test_the_text_is_an_argument_or_a_file(regard, folder, answers, tmp_path):
    (tmp_path / "text.gz").write_bytes(gzip.compress(TEXT.encode()))
    wanted = f"{answers[0].text}\t{answers[0].score:.4f}\n"
    options = ("-m", folder, "--max-answer-len", 2)
    assert regard("answer", QUESTION, *options, "--text", TEXT).out == wanted
    assert regard("answer", QUESTION, *options, "-c", tmp_path / "text.gz").out == wanted


def test_several_answers_come_with_the_lines_number(regard, folder, answers):
    options = ("-m", folder, "--max-answer-len", 2, "--top-k", 3, "--text", TEXT)
    outcome = regard("answer", *options, stdin=f"\n{QUESTION}\n".encode())
    rows = [f"2\t{answer.text}\t{answer.score:.4f}" for answer in answers]
    assert outcome.out.splitlines() == ["1\t\t", *rows]


def test_json_lines_bring_their_own_text(regard, folder, answers):
    asked = {"id": 7, "question": QUESTION, "context": TEXT}
    outcome = regard(
        "answer", "-m", folder, "--max-answer-len", 2, "--json", stdin=json.dumps(asked).encode()
    )
    entry = json.loads(outcome.out)
    (found,) = entry.pop("answers")
    assert entry == asked
    assert (found["answer"], found["start"]) == (answers[0].text, answers[0].start)
    assert found["score"] == pytest.approx(answers[0].score, abs=1e-6)


def test_there_may_be_no_answer(regard, folder):
    options = ("-m", folder, "--or-none", "--top-k", 9999, "--text", TEXT, "--json")
    found = json.loads(regard("answer", QUESTION, *options).out)["answers"]
    assert [each["answer"] for each in found].count("") == 1


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["a"], b"", "a question needs a text to search"),
        (["a", "-m", "FOLDER"], b"", "line 1: a question needs a text to search"),
        (["a", "-m", "FOLDER", "--text", "b", "-c", "c"], b"", "either --context or --text"),
        (
            ["a", "-m", "FOLDER", "-c", "nowhere"],
            b"",
            "expected a file at nowhere, but there is no such file",
        ),
        (["a", "-m", "FOLDER", "-c", "LATIN"], b"", "latin, line 1: expected UTF-8, but byte 0xff"),
        (["-m", "FOLDER"], b'{"question": 3, "context": "a"}', 'a string under "question"'),
        (["-m", "FOLDER"], b'\n{"question": ', "line 2: expected a JSON object; Expecting value"),
        (["a", "-m", "FOLDER", "--text", " "], b"", "a context must contain words"),
    ],
)
def test_bad_input_is_one_sentence(regard, folder, tmp_path, arguments, stdin, message):
    (tmp_path / "latin").write_bytes(b"\x61 \xff")
    paths = {"FOLDER": str(folder), "LATIN": str(tmp_path / "latin")}
    outcome = regard("answer", *(paths.get(a, a) for a in arguments), stdin=stdin)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
