"""Sentences with labeled words, from columns and from records."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.data import BadLine
from regard.tasks.token_classification.examples import from_beginnings, of_spans, of_words
from regard.tasks.token_classification.read import read_labeled_words

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


@pytest.mark.parametrize(
    ("text", "end", "expected"),
    [
        ("कुत्ता दौड़ता है।", 6, ["कुत्ता", "दौड़ता", "है", "।"]),
        ("कुत्ता दौड़ता है।", 5, ["कुत्ता", "दौड़ता", "है", "।"]),  # an end inside a letter
        ("বাংলা ভাষা", 5, ["বাংলা", "ভাষা"]),
        ("cafe\u0301 noir", 5, ["cafe\u0301", "noir"]),
        ("می\u200cخواهم رفت", 8, ["می\u200cخواهم", "رفت"]),
        ("北京大学", 2, ["北", "京", "大", "学"]),
        ("don't 👨‍👩‍👧!", 5, ["don't", "👨‍👩‍👧", "!"]),
    ],
)
def test_words_of_spans_are_unicodes(text: str, end: int, expected: list[str]) -> None:
    targets = of_spans(text, [{"start": 0, "end": end, "label": "A"}]).targets
    assert [text[begin:end] for begin, end, _ in targets] == expected
    assert targets[0][2] == "B-A"


ANNA = [("Anna", "B-PER"), ("pays", "O"), ("#", "O"), ("10\u00a0000", "B-SUM")]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.conll", "{word} {label}\n"),
        ("a.conll", "{word}\t{label}\n"),
        ("a.conll", "{word}\t{label}\t\n"),
        ("a.conll", "{word} X {label} \n"),
        ("a.conll", "{word}\tX\tY\t{label}\r\n"),
        ("a.conll", "{label}\t{word}\n"),
        ("a.tsv", "{n}\t{word}\t{label}\tO\n"),  # GermEval 2014: the outer label, the inner one
        ("a.tsv", "{n}\t{word}\tX\t{label}\t_\t_\t_\t_\t_\t_\n"),  # CoNLL-U by another name
    ],
)
def test_columns_are_as_programs_write_them(tmp_path: Path, name: str, line: str) -> None:
    sentence = "".join(
        line.format(n=n, word=word, label=label) for n, (word, label) in enumerate(ANNA, 1)
    )
    comment = "# text = Anna pays\n#\thttp://a.b/c\t[2009-10-17]\n"
    path = written(tmp_path, name, (comment + sentence + "\n") * 3)
    examples = list(read_labeled_words(path, say=[].append))
    assert words(examples) == [ANNA] * 3
    assert examples[1].text == "Anna pays # 10\u00a0000"


def test_a_header_names_the_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "a.tsv", "Tag\tToken\nB-PER\tAnna\nO\tpays\n")
    assert words(read_labeled_words(path)) == [[("Anna", "B-PER"), ("pays", "O")]]


def test_a_line_of_another_width_is_bad(tmp_path: Path) -> None:
    path = written(tmp_path, "a.tsv", "Anna\tN\tB-PER\nand\tO\nBen\tN\tB-PER\n\nKim\tN\tB-PER\n")
    bad: list[BadLine] = []
    assert words(read_labeled_words(path, on_bad_line=bad.append)) == [[("Kim", "B-PER")]]
    assert [line.problem for line in bad] == ["expected 3 columns like most lines; got 2."]


@pytest.mark.parametrize(
    "content",
    [
        "sentence_id,words,labels\n0,Anna,B-PER\n0,pays,O\n1,Ben,B-PER\n",
        "Sentence #,Word,POS,Tag\nSentence: 1,Anna,N,B-PER\n,pays,V,O\nSentence: 2,Ben,N,B-PER\n",
        "word;tag\nAnna;B-PER\npays;O\n\nBen;B-PER\n",
        "tokens,ner_tags\n\"['Anna', 'pays']\",\"['B-PER', 'O']\"\n['Ben'],['B-PER']\n",
        "tokens,ner_tags\n['Anna' 'pays'],['B-PER' 'O']\n['Ben'],['B-PER']\n",
        "id,text,labels\n0,Anna pays,B-PER O\n1,Ben,B-PER\n",
    ],
)
def test_csv_has_a_word_or_a_sentence_a_row(tmp_path: Path, content: str) -> None:
    path = written(tmp_path, "a.csv", content)
    expected = [[("Anna", "B-PER"), ("pays", "O")], [("Ben", "B-PER")]]
    assert words(read_labeled_words(path, say=[].append)) == expected


def test_csv_without_ends_of_sentences_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "word,tag\n" + "a,O\n" * 1001)
    with pytest.raises(RegardError, match="1,001 words without an end of a sentence"):
        list(read_labeled_words(path))


KIEL = "Anna lives in Kiel."
OFFSETS = {"start_offset": 14, "end_offset": 18}
RESULT = {"value": {"start": 14, "end": 18, "text": "Kiel", "labels": ["LOC"]}, "type": "labels"}


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("a.jsonl", {"text": KIEL, "label": [[14, 18, "LOC"]]}),  # doccano
        ("a.jsonl", {"text": KIEL, "labels": [[14, 18, "LOC"]]}),
        ("a.jsonl", {"text": KIEL, "entities": [{"id": 1, "label": "LOC", **OFFSETS}]}),
        ("a.jsonl", [KIEL, {"entities": [[14, 18, "LOC"]]}]),  # spaCy
        ("a.json", [[KIEL, {"entities": [[14, 18, "LOC"]]}]]),
        ("a.json", [{"data": {"text": KIEL}, "annotations": [{"result": [RESULT]}]}]),
        (
            "a.jsonl",  # Prodigy
            {
                "text": KIEL,
                "tokens": [{"text": "Anna", "start": 0, "end": 4, "id": 0}],
                "spans": [{"start": 14, "end": 18, "label": "LOC", "token_start": 3}],
            },
        ),
    ],
)
def test_annotations_are_read_as_programs_write_them(
    tmp_path: Path, name: str, record: Any
) -> None:
    path = written(tmp_path, name, json.dumps(record) + "\n")
    [sentence] = words(read_labeled_words(path))
    expected = [("Anna", "O"), ("lives", "O"), ("in", "O"), ("Kiel", "B-LOC"), (".", "O")]
    assert sentence == expected


def test_entities_of_iob1_begin_with_b() -> None:
    # Tjong Kim Sang and Veenstra 1999, "Representing Text Chunks", table 1: IOB1 and IOB2.
    labels = ["I-PER", "I-PER", "B-PER", "O", "I-LOC", "I-PER"]
    example, changed = from_beginnings(of_words(list("abcdef"), labels))
    found = [label for _, _, label in example.targets]
    assert found == ["B-PER", "I-PER", "B-PER", "O", "B-LOC", "B-PER"]
    assert changed == 3
    ended = of_words(["a", "b"], ["I-PER", "E-PER"])
    assert from_beginnings(ended) == (ended, 0)


def test_what_an_annotator_set_aside_is_left_out(tmp_path: Path) -> None:
    span = {"start": 0, "end": 4, "label": "PER"}
    value = {"value": {"start": 0, "end": 4, "labels": ["PER"]}}
    rows: list[dict[str, Any]] = [
        {"text": "Anna", "spans": [span], "answer": answer}  # of Prodigy
        for answer in ("accept", "reject", "ignore")
    ]
    annotations = [{"result": [value], "was_cancelled": skipped} for skipped in (False, True)]
    rows += [  # of Label Studio
        {"data": {"text": "Anna"}, "annotations": annotations},
        {"data": {"text": "Anna"}, "annotations": annotations[1:]},
    ]
    for name, some in (("a.jsonl", rows[:3]), ("b.jsonl", rows[3:])):
        content = "".join(json.dumps(row) + "\n" for row in some)
        bad: list[BadLine] = []
        read = list(read_labeled_words(written(tmp_path, name, content), on_bad_line=bad.append))
        assert words(read) == [[("Anna", "B-PER")]]
        assert {line.reason for line in bad} == {"set aside"}
        assert len(bad) == len(some) - 1


@pytest.mark.parametrize("count", [1, 4])
def test_spans_inside_words_are_said_and_many_are_refused(count: int, tmp_path: Path) -> None:
    text = "Ärger für Öztürk in Köln mit Anna"
    spans = [(10, 16), (20, 24), (29, 33)]
    assert [text[start:end] for start, end in spans] == ["Öztürk", "Köln", "Anna"]
    as_bytes = [tuple(len(text[:place].encode()) for place in span) for span in spans]
    rows = [{"text": text, "spans": [[*span, "X"] for span in spans]} for _ in range(4)]
    for row in rows[:count]:
        row["spans"] = [[*span, "X"] for span in as_bytes[: 2 if count == 4 else 1]]
    path = written(tmp_path, "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    said: list[str] = []
    if count == 1:
        assert len(list(read_labeled_words(path, say=said.append))) == 4
        assert "1 spans begin or end inside a word, the first in line 1: are they" in said[0]
        return
    with pytest.raises(RegardError, match="of the first 8 spans begin or end inside a word"):
        list(read_labeled_words(path))


def test_files_of_brat_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="it has brat's annotations, whose text is in a file"):
        list(read_labeled_words(written(tmp_path, "a.ann", "T1\tPER 0 4\tAnna\n")))


def test_names_as_r_writes_them_are_the_same(tmp_path: Path) -> None:
    # read.csv and write.csv make "Sentence.." of Kaggle's "Sentence #".
    content = '"","Sentence..","Word","POS","Tag"\n"1","Sentence: 1","Anna","NNP","B-per"\n'
    content += '"2","","pays","VBZ","O"\n"3","Sentence: 2","Tom","NNP","B-per"\n'
    for text in (content, content.replace('"2",""', '"2",NA')):  # write.csv with na, and without
        read = words(read_labeled_words(written(tmp_path, "a.csv", text)))
        assert read == [[("Anna", "B-per"), ("pays", "O")], [("Tom", "B-per")]]


def test_a_hard_space_parts_no_words(tmp_path: Path) -> None:
    content = "id,text,labels\n1,10\u00a0000 euros,B-SUM O\n2,a b,O O\n"
    read = words(read_labeled_words(written(tmp_path, "a.csv", content)))
    assert read[0] == [("10\u00a0000", "B-SUM"), ("euros", "O")]
