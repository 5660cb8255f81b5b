"""Every task reads the same examples of a table in memory, whatever kind of table it is."""

import wave
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import PIL.Image
import pyarrow as pa
import pytest

import regard
from regard import BadArgumentError, DamagedFileError, RegardError
from regard.data.tables import Tables
from regard.tasks.catalog import TRAINED

CONTEXT = "The old dog sleeps in the garden."
ROWS: dict[str, list[tuple[Any, ...]]] = {
    "classification": [("a good film", "good"), ("a bad film", "bad"), ("both", ["bad", "good"])],
    "embedding": [("an old dog", "a dog of age", 0.9), ("an old dog", "a car", 0.1)],
    "extractive-summarization": [("The dog runs. It is old.", "The dog runs."), ("A. B.", "B.")],
    "summarization": [("The dog runs. It is old.", "The dog runs."), ("A. B.", "B.")],
    "question-answering": [("Who sleeps?", CONTEXT, "The old dog"), ("Where?", CONTEXT, "garden")],
    "token-classification": [
        (["Ada", "lives"], ["B-PER", "O"]),
        ("Ada lives", [{"start": 0, "end": 3, "label": "PER"}]),
    ],
    "masked-language-model": [("the old dog runs",), ("a second\ndocument",)],
    "language-model": [("the old dog runs",), ("a second\ndocument",)],
    "translation": [("the dog", "der Hund"), ("two\tcats", '"zwei" Katzen')],
    "transcription": [("a.wav", "the dog"), ("b.wav", "a cat")],
    "matching": [("a.png", "the dog"), ("b.png", "a cat")],
    "image-classification": [("a.png", "dog"), ("b.png", "cat")],
}


class Polars:
    """What is used of a DataFrame of polars."""

    def __init__(self, rows: list[dict[str, Any]]):
        self.columns, self.to_dicts = list(rows[0]), lambda: rows


class DataSet:
    """What is used of a data set of datasets."""

    def __init__(self, rows: list[dict[str, Any]], features: dict[str, Any] | None = None):
        self.rows, self.column_names, self.features = rows, list(rows[0]), features

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)


KINDS: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "dictionaries": lambda rows: rows,
    "tuples": lambda rows: [tuple(row.values()) for row in rows],
    "lists": lambda rows: [[*row.values()] for row in rows],
    "named tuples": lambda rows: [
        namedtuple("Named", row)(**row)  # type: ignore[misc]
        for row in rows
    ],
    "a generator": lambda rows: (row for row in rows),
    "a DataFrame": lambda rows: pd.DataFrame(rows, index=[f"row {k}" for k in range(len(rows))]),
    "a DataFrame without names": lambda rows: pd.DataFrame([tuple(row.values()) for row in rows]),
    "a DataFrame of polars": Polars,
    "a table of pyarrow": lambda rows: pa.Table.from_pylist(rows),
    "a data set": DataSet,
}


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with two sounds and two images."""
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        PIL.Image.new("RGB", (4, 4)).save(f"{name}.png")
        with wave.open(f"{name}.wav", "wb") as sound:
            sound.setparams((1, 2, 16000, 0, "NONE", ""))
            sound.writeframes(bytes(3200))


def read(task: str, table: object, **options: object) -> Sequence[Any]:
    """Return the examples of a table, as the task's evaluation reads them."""
    training = TRAINED[task].training
    tables = Tables(Path("run"), training.columns, options)
    with tables.named():
        path = tables.path("data", table)
        kind = training.evaluator_class()
        examples = kind(training.options_class().evaluation(**options), say=tables.say).read(path)
        if task == "image-classification":
            return [*zip(examples.files, examples.labels, strict=True)]
        return list(examples.pieces() if hasattr(examples, "pieces") else examples)


def test_every_task_is_listed() -> None:
    assert ROWS.keys() == TRAINED.keys()


@pytest.mark.parametrize("task", ROWS)
def test_every_kind_of_table_has_the_same_examples(task: str) -> None:
    columns, rows = TRAINED[task].training.columns, ROWS[task]
    mixed = len({type(value) for row in rows for value in row[:1]}) > 1
    expected = read(task, rows)
    assert len(expected) == len(rows)
    for name, kind in KINDS.items():
        if name == "a table of pyarrow" and (mixed or task == "classification"):
            continue  # whose columns have one type
        table = kind([dict(zip(columns, row, strict=False)) for row in rows])
        assert read(task, table) == expected, name


@pytest.mark.long("trains")
@pytest.mark.filterwarnings("ignore:The model gives all")
def test_a_table_is_trained_on_resumed_and_evaluated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.DataFrame(
        {
            "review": [f"film {k} is {'good' if k % 2 else 'bad'}" for k in range(40)],
            "verdict": ["good" if k % 2 else "bad" for k in range(40)],
        }
    ).set_index(pd.date_range("2026-01-01", periods=40))
    frame.iloc[3, 1], frame.iloc[5, 0] = None, float("nan")
    held = [("film 1 is good", "good"), ("film 2 is bad", "bad")]
    options: dict[str, Any] = {"text": "review", "label": "verdict", "dev": held}
    options |= {"preset": "tiny", "max_steps": 2}

    def train() -> Any:
        table = (row for row in frame.to_dict("records"))
        return regard.train("classification", table, tmp_path / "run", **options)

    train()
    classifier = train()
    said = capsys.readouterr().out
    assert "`data`: 40 read, 38 kept; 1 no label (first at row 4), 1 empty text" in said
    assert "found prepared data" in said
    card = (tmp_path / "run" / "model" / "README.md").read_text("utf-8")
    assert "Data: generator of 40 rows" in card
    assert classifier("a good film") in ("good", "bad")
    report = regard.evaluate(classifier, iter(held))
    assert (report.count, "accuracy" in report.figures) == (2, True)
    with pytest.raises(BadArgumentError, match="holds a run on other data"):
        regard.train("classification", frame[:30], tmp_path / "run", **options)


def test_values_of_pandas_and_numpy_are_those_of_json(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "day": [pd.Timestamp("2026-02-01"), pd.NaT],
            "count": np.array([3, 4]),
            "share": [0.5, float("nan")],
            "stars": [5.0, None],  # which were whole numbers before one was missing
            "whole": pd.array([1, pd.NA], dtype="Int64"),
            "words": [np.array(["a", "b"]), {"c", "d"}],
            "none": [None, date(2026, 2, 1)],
        }
    )
    path = Tables(tmp_path, ["text"], {}).path("data", frame)
    assert Path(path).read_text("ascii").splitlines() == [
        '{"day": "2026-02-01T00:00:00", "count": 3, "share": 0.5, "stars": 5,'
        ' "whole": 1, "words": ["a", "b"], "none": null}',
        '{"day": null, "count": 4, "share": null, "stars": null, "whole": null,'
        ' "words": ["c", "d"], "none": "2026-02-01"}',
    ]


def test_numbers_of_labels_that_a_data_set_names_are_these_labels() -> None:
    names = namedtuple("ClassLabel", ["names"])(["O", "B-PER"])
    table = DataSet(
        [{"tokens": ["Ada", "lives"], "ner_tags": [1, 0]}],
        {"tokens": None, "ner_tags": namedtuple("List", ["feature"])(names)},
    )
    assert read("token-classification", table) == read(
        "token-classification", [(["Ada", "lives"], ["B-PER", "O"])]
    )
    one = DataSet([{"text": "a", "label": 1}, {"text": "b", "label": -1}], {"label": names})
    assert [example.targets for example in read("classification", one)] == [["B-PER"]]


def test_columns_that_an_option_names_are_read_and_tuples_have_them() -> None:
    frame = pd.DataFrame({"a": ["one", "two"], "b": ["x", "y"], "c": ["u", "v"]})
    options = {"text": "c", "label": "a"}
    assert read("classification", frame, **options) == read(
        "classification", [("u", "one"), ("v", "two")], **options
    )


@pytest.mark.parametrize(
    ("table", "error", "sentence"),
    [
        (3, BadArgumentError, "`data` must be a path, a DataFrame .*; got int"),
        ({"text": ["a"]}, BadArgumentError, "`data` must be a path, .*; got dict"),
        ([], BadArgumentError, "expected rows in `data`; got list without any"),
        (pd.DataFrame(), BadArgumentError, "expected rows in `data`; got DataFrame without any"),
        ([1, 2], BadArgumentError, "expected dictionaries or tuples in `data`; got int in row 1"),
        (iter("ab"), BadArgumentError, "tuples in `data`; got str in row 1.*of text, label"),
        ([("a", "b"), ("c",)], BadArgumentError, "2 values as in the first row in row 2 of `data`"),
        ([("a", "b", "c")], BadArgumentError, "expected text, label in row 1 of `data`; got 3"),
        ([()], BadArgumentError, "expected text, label in row 1 of `data`; got 0"),
        (
            pd.DataFrame([["a", "b"]], columns=["text", "text"]),
            BadArgumentError,
            "`data` has two columns called 'text'",
        ),
        (
            pd.DataFrame({"text": ["a"], "topics_of_it": ["b"]}),
            BadArgumentError,
            "`data` has no column .*label.*topics_of_it",
        ),
        (
            pd.DataFrame({"text": [1, 2], "label": ["a", "b"]}),
            DamagedFileError,
            "^`data`, row 1: expected a text in 'text'; got int",
        ),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_in_a_sentence(
    table: object, error: type[RegardError], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        read("classification", table)


def test_a_bad_row_is_left_out_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"text": "a", "label": "x"}, {"text": 3, "label": "x"}, {"text": "b", "label": "y"}]
    assert len(read("classification", rows)) == 2
    assert "1 row is left out; the first is `data`, row 2: expected a text in 'text'; got int" in (
        capsys.readouterr().out
    )
    with pytest.raises(DamagedFileError, match="`data`, row 2"):
        read("classification", rows, strict=True)


def test_names_of_several_files_are_for_translation_alone(tmp_path: Path) -> None:
    with pytest.raises(BadArgumentError, match="classification reads one file as `data`; got 2"):
        regard.train("classification", ["a.txt", "b.txt"], tmp_path / "run")  # type: ignore[list-item]
    assert not (tmp_path / "run").exists()


def test_an_image_that_is_missing_is_left_out_and_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [("a.png", 1), ("c.png", 2), ("b.png", None)]
    assert read("image-classification", rows) == [(Path("a.png"), "1")]
    said = capsys.readouterr().out
    assert "2 rows are left out; the first is `data`, row 2: expected a file at c.png" in said
