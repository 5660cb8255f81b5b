"""Sentences with labeled words, from columns and from records."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.recipes.tokens.examples import of_spans, of_words
from regard.recipes.tokens.labeled_words import read_labeled_words
from regard.records import BadLine

COLUMNS = """\
-DOCSTART- -X- O

# a comment of many words
Anna NNP B-PER
sees VBZ O


Vienna NNP S-LOC"""
UNIVERSAL = """\
# text = Let's go
1-2\tLet's\t_\t_\t_\t_\t_\t_\t_\t_
1\tLet\tlet\tVERB\tVB\t_\t0\troot\t_\t_
2\t's\twe\tPRON\tPRP\t_\t1\tobj\t_\t_
2.1\tgone\tgo\tVERB\t_\t_\t_\t_\t_\t_
3\tgo\tgo\tVERB\tVB\t_\t1\txcomp\t_\t_
"""


def words(examples: Any) -> list[list[tuple[str, str]]]:
    """The words of each sentence, cut from its text, with their labels."""
    return [
        [(example.text[start:end], label) for start, end, label in example.targets]
        for example in examples
    ]


def written(folder: Path, name: str, content: str) -> str:
    path = folder / name
    path.write_bytes(gzip.compress(content.encode()) if path.suffix == ".gz" else content.encode())
    return str(path)


@pytest.mark.parametrize("name", ["a.conll", "a.txt", "a.tsv", "a.conll.gz"])
def test_columns_are_words_with_their_last_label(tmp_path: Path, name: str) -> None:
    examples = list(read_labeled_words(written(tmp_path, name, COLUMNS)))
    assert words(examples) == [[("Anna", "B-PER"), ("sees", "O")], [("Vienna", "S-LOC")]]
    assert [example.line for example in examples] == [4, 8]


def test_a_column_is_named_by_its_number(tmp_path: Path) -> None:
    path = written(tmp_path, "a.conll", COLUMNS)
    assert words(read_labeled_words(path, label="2"))[0] == [("Anna", "NNP"), ("sees", "VBZ")]
    with pytest.raises(RegardError, match="numbers for them, from 1; got 'tag'"):
        list(read_labeled_words(path, label="tag"))


def test_universal_dependencies_have_words_and_parts_of_speech(tmp_path: Path) -> None:
    path = written(tmp_path, "a.conllu", UNIVERSAL)
    assert words(read_labeled_words(path)) == [[("Let", "VERB"), ("'s", "PRON"), ("go", "VERB")]]


def test_records_have_words_or_spans(tmp_path: Path) -> None:
    records = [
        {"tokens": ["Anna", "sees"], "ner_tags": ["B-PER", "O"]},
        {"tokens": ["It", "is"], "ner_tags": ["U-X", "L-X"]},
    ]
    path = written(tmp_path, "a.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    assert words(read_labeled_words(path)) == [
        [("Anna", "B-PER"), ("sees", "O")],
        [("It", "S-X"), ("is", "E-X")],
    ]
    span = {"start": 7, "end": 17, "label": "LOC"}
    path = written(tmp_path, "b.jsonl", json.dumps({"text": "I like New York.", "spans": [span]}))
    with pytest.raises(RegardError, match="a span must be inside its text"):
        list(read_labeled_words(path))


def test_a_span_parts_words() -> None:
    example = of_spans("She loves New York's sky", [{"start": 10, "end": 18, "label": "LOC"}])
    assert words([example]) == [
        [
            *(("She", "O"), ("loves", "O"), ("New", "B-LOC"), ("York", "I-LOC")),
            *(("'", "O"), ("s", "O"), ("sky", "O")),
        ]
    ]


def test_spans_that_overlap_are_refused() -> None:
    spans = [{"start": 0, "end": 5, "label": "A"}, {"start": 3, "end": 8, "label": "B"}]
    with pytest.raises(RegardError, match="overlap; those of 'A' and 'B' do at character 3"):
        of_spans("one and two", spans)


def test_each_word_needs_a_label() -> None:
    with pytest.raises(RegardError, match="a label for each of 2 words; got 1 labels"):
        of_words(["a", "b"], ["O"])


def test_a_sentence_with_a_bad_line_is_left_out_and_named(tmp_path: Path) -> None:
    path = written(tmp_path, "a.conll", "Anna B-PER\nsees\n\nVienna B-LOC\n")
    bad: list[BadLine] = []
    assert words(read_labeled_words(path, on_bad_line=bad.append)) == [[("Vienna", "B-LOC")]]
    assert [(line.line, line.reason) for line in bad] == [(2, "no label")]
    with pytest.raises(RegardError, match="line 2: expected a word and its label; got 'sees'"):
        list(read_labeled_words(path))


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"tokens": ["a"], "labels": [1]}, "must be text, not numbers"),
        ({"tokens": ["a", "b"], "labels": ["O"]}, "a label for each of 2 words"),
        ({"tokens": "a b", "labels": "O O"}, "expected a list of words and a list of labels"),
        ({"text": "a b", "spans": [{"start": 0}]}, 'a span must have a "start"'),
    ],
)
def test_a_wrong_record_says_what_was_expected(
    tmp_path: Path, record: dict[str, Any], problem: str
) -> None:
    path = written(tmp_path, "a.jsonl", json.dumps(record))
    with pytest.raises(RegardError, match=problem):
        list(read_labeled_words(path))
