"""A line that cannot be used is the same at every door: counted, named, left out; or the end."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fixtures.covering import parametrize
from regard.data import Cleaner, read_pairs
from regard.errors import RegardError
from regard.tasks.classification.read import read_labeled
from regard.tasks.embedding.read import read_text_pairs
from regard.tasks.question_answering.read import QuestionReader
from regard.tasks.question_answering.train_options import QuestionAnsweringOptions
from regard.tasks.summarization.score import read_documents_with_summaries
from regard.tasks.text_generation.read import Documents
from regard.tasks.translation.score import read_test_set
from regard.training.examples import Examples

ROWS = [
    {"source": f"a dog {k}", "target": f"ein Hund {k}", "text": f"a dog {k}", "pair": "a cat"}
    | {"label": k % 2, "document": f"a dog {k}", "summary": "dog", "question": f"who {k}?"}
    | {"context": "the dog", "answer": "dog"}
    for k in range(4)
]
BAD = {
    "surrogate": (rb'{"text": "\ud800"}', "the line is not valid Unicode: it has the lone"),
    "encoding": (b'{"text": "\xff"}', "expected UTF-8, but byte 0xff is not"),
    "no JSON": (b"{text}", "expected a JSON object; Expecting property name"),
    "a list": (b"[1]", "expected a JSON object; got list"),
}


@pytest.fixture(params=BAD)
def bad(request: Any, tmp_path: Path) -> tuple[Path, str]:
    """A file of which line 3 is bad, and what is said of it."""
    content, problem = BAD[request.param]
    lines = [json.dumps(row).encode() for row in ROWS]
    lines[2] = content
    (tmp_path / "in.jsonl").write_bytes(b"\n".join(lines))
    return tmp_path / "in.jsonl", f"{tmp_path / 'in.jsonl'}, line 3: {problem}"


def _questions(path: str, on_bad_line: Any) -> Any:
    return QuestionReader(QuestionAnsweringOptions(), print).read(path, on_bad_line)


READERS = {
    "classification": lambda path, on_bad_line: read_labeled(path, on_bad_line=on_bad_line),
    "embedding": lambda path, on_bad_line: read_text_pairs(
        path, on_bad_line=on_bad_line, say=[].append
    ),
    "summarization": lambda path, on_bad_line: read_documents_with_summaries(
        path, on_bad_line=on_bad_line
    ),
    "question-answering": _questions,
}


@parametrize("task, bad", READERS, BAD, strength=1, indirect=["bad"])
def test_training_leaves_it_out_or_stops(task: str, bad: tuple[Path, str]) -> None:
    path, message = bad
    examples = Examples(str(path), READERS[task])
    assert len(list(examples)) == 3
    assert re.search(r"4 read, 3 kept; 1 bad (record|encoding) \(first at", str(examples.report))
    with pytest.raises(RegardError, match=re.escape(message)):
        list(Examples(str(path), READERS[task], strict=True))


def test_pairs_are_left_out_or_the_end(bad: tuple[Path, str]) -> None:
    path, message = bad
    cleaner, said = Cleaner(), list[str]()
    assert len(list(cleaner.clean(read_pairs(path, on_bad_line=cleaner.skip)))) == 3
    report = r"4 read, 3 kept; 1 bad (record|encoding) \(first at line 3\)"
    assert re.search(report, str(cleaner.report))
    with pytest.raises(RegardError, match=re.escape(message)):
        list(read_pairs(path))
    assert len(read_test_set(path, say=said.append)) == 3
    assert said[0].startswith(f"1 line is left out; the first is {message}")
    with pytest.raises(RegardError, match=re.escape(message)):
        read_test_set(path, strict=True)


def test_training_a_language_model_leaves_it_out_or_stops(bad: tuple[Path, str]) -> None:
    path, message = bad
    assert len(Documents(str(path), None)) == 3
    with pytest.raises(RegardError, match=re.escape(message)):
        Documents(str(path), None, strict=True)


@parametrize(
    "command, bad",
    ["translate", "summarize", "generate", "answer", "classify", "encode"],
    BAD,
    strength=1,
    indirect=["bad"],
)
def test_a_command_stops_where_it_is_strict(
    command: str, regard: Any, bad: tuple[Path, str]
) -> None:
    path, message = bad
    outcome = regard(command, "--model", "no such model", "--input", path, "--strict")
    assert outcome.code == 2
    assert outcome.err.startswith(f"regard: {message}")
    assert outcome.err.count("\n") == 1
