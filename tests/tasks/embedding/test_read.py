"""Pairs of texts, with a score or without."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from regard import RegardError
from regard.data import BadLine
from regard.tasks.embedding.read import read_text_pairs
from regard.training.examples import Example


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
    yes = {1: "1", "1": "1"}.get(answers[0], str(answers[0]).lower())
    assert f"pairs with {yes} have the score 1, the others 0" in said[0]


def test_a_label_may_be_graded(tmp_path: Path) -> None:
    assert pairs_of(tmp_path, (0.0, 2.5, 5.0), []) == [[0], [2.5], [5]]  # STS-B, in GLUE


def test_numbers_of_classes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="has the labels 0, 1, 2, and which of them"):
        pairs_of(tmp_path, (0, 1, 2), [])


@pytest.mark.parametrize("answers", [(0, 1, 2, -1), (0, 1, -1), (-1, -1), (0, 2, 0)])
def test_a_class_that_is_missing_changes_no_other(answers: tuple[int, ...], tmp_path: Path) -> None:
    # Hugging Face's SNLI: 0 entailment, 1 neutral, 2 contradiction, -1 no agreement.
    with pytest.raises(RegardError, match="which of them says that two texts belong together"):
        pairs_of(tmp_path, answers, [])


def test_classes_that_are_named_as_scores_are_said(tmp_path: Path) -> None:
    rows = [f"a{k},b,{one}" for k, one in enumerate((0, 1, 2, -1))]
    (tmp_path / "a.csv").write_text("\n".join(["premise,hypothesis,label", *rows]))
    said: list[str] = []
    read = read_text_pairs(str(tmp_path / "a.csv"), score="label", say=said.append)
    assert [example.targets for example in read] == [[0], [1], [2], [-1]]
    assert "the scores are -1, 0, 1, 2, as classes of inference are" in said[0]


def test_a_score_that_is_missing_makes_no_words_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,pair,score\na,b,1\na,c,\n")
    said: list[str] = []
    with pytest.raises(RegardError, match="line 3: expected a number as the score"):
        list(read_text_pairs(str(tmp_path / "a.csv"), say=said.append))
    assert not said


def test_minus_one_beside_one_is_a_no(tmp_path: Path) -> None:
    said: list[str] = []
    assert pairs_of(tmp_path, (1, -1, 1.0, "-1"), said) == [[1], [0], [1], [0]]
    assert "neutral" not in said[0]


def test_an_answer_of_another_kind_than_the_first_is_a_bad_line(tmp_path: Path) -> None:
    with pytest.raises(
        RegardError, match=r"line 18,002: expected yes or no as the first rows have"
    ):
        list_of_pairs(tmp_path, [1, 0, 2], 9000)


def list_of_pairs(folder: Path, answers: Sequence[object], times: int) -> list[Example]:
    """The pairs of a file whose answers all but the last, so many times, stand before the last."""
    rows = [*answers[:-1]] * times + [answers[-1]]
    lines = [f"a{k},b{k},{one}" for k, one in enumerate(rows)]
    (folder / "a.csv").write_text("\n".join(["text_a,text_b,label", *lines]))
    return list(read_text_pairs(str(folder / "a.csv"), say=lambda sentence: None))


@pytest.mark.parametrize("name", ["target", "answer", "document"])
def test_numbered_texts_are_the_pair_whatever_stands_beside_them(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"text_a,text_b,{name}\none,two,1\nthree,four,0\n")
    with pytest.raises(RegardError, match=f"column '{name}' that is not read, of numbers"):
        list(read_text_pairs(str(tmp_path / "a.csv")))


@pytest.mark.parametrize("form", ["csv", "jsonl", "named", "bare"])
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("agree", ("1", "0")),
        ("same_intent", (1, 0)),
        ("y", (True, False)),
        ("contradiction", (0, 1)),
        ("equivalent", ("Y", "N")),
        ("relation", ("same", "different")),
        ("verdict", ("match", "no match")),
        ("similar", ("T", "F")),
        ("gleich", ("ja", "nein")),
        ("duplicado", ("sí", "no")),
        ("doublon", ("oui", "non")),
        ("human_judgement", (0.9, 0.1)),
        ("rating", (4.5, 1.0)),
        ("checked", ("x", "")),
        ("closeness", ("exact", "close", "related", "far", "none")),
    ],
)
def test_a_column_that_may_say_no_is_never_passed_over(
    name: str, values: tuple[object, ...], form: str, tmp_path: Path
) -> None:
    file = tmp_path / ("a.jsonl" if form == "jsonl" else "a.csv")
    rows = [
        (f"How is {k} made?", f"{k} is made by hand.", values[k % len(values)]) for k in range(8)
    ]
    if form == "jsonl":
        pairs = [dict(zip(("text1", "text2", name), row, strict=True)) for row in rows]
        file.write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    else:
        header = [] if form == "bare" else [("text1", "text2", name)]
        lines = [",".join(map(str, row)) for row in [*header, *rows]]
        file.write_text("\n".join(lines))
    names: dict[str, str] = {"text": "text1", "pair": "text2"}
    if form == "named":  # the way out for a column that says something else
        assert len(list(read_text_pairs(str(file), **names))) == 8
        return
    message = f"has a column '{name}' that is not read, of .*`score`.*name `text` and `pair`.$"
    with pytest.raises(RegardError, match="Name one with" if form == "bare" else message):
        list(read_text_pairs(str(file), say=lambda sentence: None))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("pair_id", (1, 2)), ("split", ("train", "dev")), ("part", ("train", "test")),
        ("lang", ("x", "y")), ("from", ("en", "de")), ("when", ("2024-01-02", "2024-01-03")),
        ("link", ("http://a", "http://b")), ("kind", ("web", "web")), ("", (0, 1)),
        ("Unnamed: 0", (0, 1)), ("genre", ("fiction", "travel")), ("meta", ({}, {"a": 1})),
    ],
)  # fmt: skip
def test_what_is_about_a_row_does_not_say_no(
    name: str, values: tuple[object, ...], tmp_path: Path
) -> None:
    rows = [{"text1": f"a{k}", "text2": "b", name: values[k % 2]} for k in range(8)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert len(list(read_text_pairs(str(tmp_path / "a.jsonl")))) == 8


def test_a_no_that_comes_late_is_not_passed_over(tmp_path: Path) -> None:
    lines = [f"a{k},b{k},{'same' if k < 9000 else 'other'}" for k in range(9001)]
    (tmp_path / "a.csv").write_text("\n".join(["text1,text2,kind", *lines]))
    with pytest.raises(RegardError, match=r"'other' and 'same', the second from line 9,002 on"):
        list(read_text_pairs(str(tmp_path / "a.csv")))


def test_a_named_score_may_be_words(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text1,text2,gleich\na,b,ja\nc,d,nein\n")
    read = read_text_pairs(str(tmp_path / "a.csv"), score="gleich", say=lambda sentence: None)
    assert [example.targets for example in read] == [[1], [0]]


@pytest.mark.parametrize("name", ["negative", "hard_neg", "negative_1", "Negative 1", "neg1"])
def test_negatives_of_triplets_are_named(name: str, tmp_path: Path) -> None:
    row = {"anchor": "a", "positive": "b", name: "c"}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    said: list[str] = []
    [example] = read_text_pairs(str(tmp_path / "a.jsonl"), say=said.append)
    assert (example.text, example.pair, example.targets) == ("a", "b", [])
    assert "its negatives are not read" in said[0]
