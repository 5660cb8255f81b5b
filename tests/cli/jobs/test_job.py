"""Every good line has one answer, in order; bad lines are named; what is done is not done again."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fixtures.jobs import UpperCase, here, job, run
from regard.cli.jobs import local, store
from regard.cli.jobs.parts import Part
from regard.cli.jobs.store import FolderStore
from regard.cli.jobs.worker import Worker
from regard.errors import (
    BadArgumentError,
    RegardError,
    UnavailableError,
)

TEXTS = [f"text {k}" for k in range(7)]


def rows(path: str) -> list[Any]:
    if path.endswith(".parquet"):
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path).to_pylist()
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def write(path: str, records: Sequence[Any]) -> None:
    if path.endswith(".parquet"):
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records), path, row_group_size=3)
    else:
        Path(path).write_text("".join(f"{json.dumps(record)}\n" for record in records))


@pytest.mark.parametrize("name", ["Text", "sentence", "Review", " text"])
@pytest.mark.parametrize("source", ["in.csv", "in.jsonl"])
def test_a_column_has_the_names_that_commands_know(
    source: str, name: str, folder: Path, upper_case: UpperCase
) -> None:
    if source == "in.csv":
        Path(source).write_text("\n".join([f"n,{name}", "1,one", "2,two"]))
    else:
        write(source, [{"n": k, name: text} for k, text in enumerate(("one", "two"))])
    assert run(source, "out.jsonl").written == 2
    assert [row[name] for row in rows("out.jsonl")] == ["one", "two"]


@pytest.mark.parametrize("source", ["in.txt", "in.jsonl", "in.parquet"])
@pytest.mark.parametrize("target", ["out.txt", "out.jsonl", "out.parquet"])
def test_each_line_has_its_answer_in_its_place(
    source: str, target: str, folder: Path, upper_case: UpperCase
) -> None:
    if "parquet" in source + target:
        pytest.importorskip("pyarrow")
    if source == "in.txt":
        Path(source).write_text("\n".join(TEXTS))
    else:
        write(source, [{"n": k, "text": text} for k, text in enumerate(TEXTS)])
    summary = run(source, target)
    assert (summary.read, summary.written, summary.bad, summary.bad_file) == (7, 7, 0, None)
    assert sorted(path.name for path in folder.iterdir()) == sorted([source, target])
    if target == "out.txt":
        assert Path(target).read_text() == "".join(f"{text.upper()}\n" for text in TEXTS)
        return
    first = "line" if source == "in.txt" else "n"
    assert rows(target) == [
        {first: k + (first == "line"), "text": text}
        | {"translation": text.upper(), "score": -0.5, "finished": True, "language_doubt": False}
        for k, text in enumerate(TEXTS)
    ]


@pytest.mark.parametrize("target", ["out.jsonl", "out.parquet"])
@pytest.mark.parametrize("source", ["in.jsonl", "in.parquet"])
def test_an_id_is_repeated_and_the_other_columns_are_not(
    source: str, target: str, folder: Path, upper_case: UpperCase
) -> None:
    pytest.importorskip("pyarrow")
    write(source, [{"id": f"i{k}", "en": text, "x": 1} for k, text in enumerate(TEXTS)])
    run(source, target, text_column="en", id="id")
    found = [(row["id"], row["translation"], sorted(row)) for row in rows(target)]
    names = ["finished", "id", "language_doubt", "score", "translation"]
    assert found == [(f"i{k}", text.upper(), names) for k, text in enumerate(TEXTS)]


BAD = {
    3: (b"caf \xff", "expected UTF-8, but byte 0xff is not"),
    4: (b"", "the line is empty."),
    5: (b'{"text": "a"', "expected a JSON object; Expecting"),
    6: (b'["a"]', "expected a JSON object; got list"),
    7: (b'{"txt": "a"}', "expected a text; got nothing."),
    8: (b'{"text": 5}', "expected a text in 'text'; got int."),
    9: (b'{"text": null}', "expected a text; got nothing."),
    10: (b'{"text": "a", "x": "\\ud800"}', "the line is not valid Unicode: it has the lone"),
    12: (b'{"text": "it is too long"}', "a text may have 5 tokens."),
    13: (b'{"text": "too long, too"}', "a text may have 5 tokens."),
    14: (b'{"text": ' + b"[" * 5000, "expected a JSON object"),
}


@pytest.mark.parametrize("target", ["out.txt", "out.jsonl", "out.parquet"])
def test_a_bad_line_is_named_and_ends_nothing(
    target: str, folder: Path, upper_case: UpperCase
) -> None:
    if target.endswith("parquet"):
        pytest.importorskip("pyarrow")
    good = b'{"text": "good"}'
    content = [BAD[k][0] if k in BAD else good for k in range(1, 17)]
    Path("in.jsonl").write_bytes(b"\n".join(content))
    summary = run("in.jsonl", target)
    assert (summary.read, summary.written, summary.bad) == (16, 5, 11)
    assert summary.bad_file == folder / f"{target}.bad.jsonl"
    bad = rows(f"{target}.bad.jsonl")
    assert {row["file"] for row in bad} == {str(folder / "in.jsonl")}
    assert [row["line"] for row in bad] == list(BAD)
    for row in bad:
        assert row["reason"].startswith(BAD[row["line"]][1]), row
    if target == "out.txt":  # line n of the output belongs to line n of the input
        lines = Path(target).read_text().split("\n")[:-1]
        assert lines == ["" if k in BAD else "GOOD" for k in range(1, 17)]
    else:
        assert [row["translation"] for row in rows(target)] == ["GOOD"] * 5


def test_strict_work_stops_at_a_bad_line_and_keeps_what_is_done(
    folder: Path, upper_case: UpperCase
) -> None:
    Path("in.jsonl").write_text('{"text": "a"}\n{"text": "b"}\n{"text": "\\ud800"}\n{"text": ""}\n')
    for _ in range(2):  # the second finds it in what is done
        with pytest.raises(RegardError, match=r"in\.jsonl, line 3: the line is not valid Unicode"):
            run("in.jsonl", "out.jsonl", shard_size=1, strict=True)
    assert len(list(Path("out.jsonl.parts").glob("part-*"))) == 2  # the last shards come first
    summary = run("in.jsonl", "out.jsonl", shard_size=1)
    assert (summary.written, summary.bad, summary.resumed) == (3, 1, 2)


def test_a_row_of_parquet_that_is_not_utf8_is_bad(folder: Path, upper_case: UpperCase) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    raw = pyarrow.array([b"a", b"\xff", None, b"b"]).cast(pyarrow.binary())
    broken = pyarrow.Array.from_buffers(pyarrow.string(), 4, raw.buffers(), raw.null_count)
    parquet.write_table(pyarrow.table({"text": broken, "n": [1, 2, 3, 4]}), "in.parquet")
    for target in ("out.jsonl", "out.parquet"):
        summary = run("in.parquet", target, shard_size=4)
        assert (summary.written, summary.bad) == (2, 2)
        assert [(row["n"], row["translation"]) for row in rows(target)] == [(1, "A"), (4, "B")]
        assert [row["line"] for row in rows(f"{target}.bad.jsonl")] == [2, 3]


def test_parquet_keeps_the_types_of_its_columns(folder: Path, upper_case: UpperCase) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    columns = {
        "text": pyarrow.array(["a", "b", "c"]).dictionary_encode(),
        "when": pyarrow.array([1, 2, 3], pyarrow.timestamp("ns")),
        "raw": pyarrow.array([b"\xff", None, b"x"]),
        "x": pyarrow.array([0.1, float("nan"), None], pyarrow.float32()),
        "score": ["old", "old", "old"],
    }
    parquet.write_table(pyarrow.table(columns), "in.parquet")
    run("in.parquet", "out.parquet")
    found = parquet.read_table("out.parquet")
    for name in ("when", "raw", "x"):
        assert found.column(name).type == columns[name].type
        assert (
            found.column(name).combine_chunks().cast(columns[name].type).equals(columns[name])
            or name == "x"
        )
    assert found.column("score").to_pylist() == [-0.5] * 3
    assert found.column("input_score").to_pylist() == ["old"] * 3
    run("in.parquet", "out.jsonl")
    assert (rows("out.jsonl")[0]["score"], rows("out.jsonl")[0]["input_score"]) == (-0.5, "old")
    assert rows("out.jsonl")[1]["x"] is None
    assert rows("out.jsonl")[0]["raw"] == "ff"
    assert rows("out.jsonl")[0]["when"].startswith("1970-01-01T00:00:00")


def test_json_of_several_types_becomes_one_type_in_parquet(
    folder: Path, upper_case: UpperCase
) -> None:
    pytest.importorskip("pyarrow")
    mixed = [1, 2, "three", {"a": 4}, 5.5, None, 7]
    numbers = [1, 2, 3, None, 4.5, 6, 7]
    records = [
        {"text": text, "mixed": mixed[k], "number": numbers[k]} | ({"late": [k]} if k > 3 else {})
        for k, text in enumerate(TEXTS)
    ]
    write("in.jsonl", records)
    run("in.jsonl", "out.parquet")
    found = rows("out.parquet")
    assert [row["mixed"] for row in found] == ["1", "2", "three", '{"a": 4}', "5.5", None, "7"]
    assert [row["number"] for row in found] == [1.0, 2.0, 3.0, None, 4.5, 6.0, 7.0]
    assert [row["late"] for row in found] == [None] * 4 + [[4], [5], [6]]


def test_blank_texts_have_empty_answers(folder: Path, upper_case: UpperCase) -> None:
    Path("in.txt").write_text("a\n\n   \nb\n")
    assert run("in.txt", "out.txt").written == 4
    assert Path("out.txt").read_text() == "A\n\n\nB\n"
    pytest.importorskip("pyarrow")
    run("in.txt", "labels.parquet", "classify")
    first, last = ([{"label": text, "score": 0.25}] for text in "ab")
    assert [row["labels"] for row in rows("labels.parquet")] == [first, [], [], last]


@pytest.mark.parametrize("source", ["in", "in/*.txt", "in/[ab].txt"])
def test_lines_of_several_files_say_their_file(
    source: str, folder: Path, upper_case: UpperCase
) -> None:
    Path("in").mkdir()
    for name in ("b.txt", "a.txt"):
        Path("in", name).write_text(f"{name} 1\n{name} 2\n")
    run(source, "out.jsonl")
    found = [(Path(row["file"]).name, row["line"], row["text"]) for row in rows("out.jsonl")]
    assert found == [(name, k, f"{name} {k}") for name in ("a.txt", "b.txt") for k in (1, 2)]


def test_questions_have_their_context_and_vectors_are_no_text(
    folder: Path, upper_case: UpperCase
) -> None:
    write("in.jsonl", [{"q": "what?", "context": "a cat"}, {"q": "what?"}])
    summary = run("in.jsonl", "out.jsonl", "answer", question_column="q")
    assert (summary.written, summary.bad) == (1, 1)
    assert rows("out.jsonl")[0]["answers"] == [
        {"answer": "a c", "start": 0, "end": 3, "score": 0.5}
    ]
    Path("in.txt").write_text("a\n")
    assert run("in.txt", "answers.jsonl", "answer").bad == 1
    assert "needs a text to search" in rows("answers.jsonl.bad.jsonl")[0]["reason"]
    options = {"text": "a text " * 999}  # which is no path
    assert run("in.txt", "more.jsonl", "answer", **options).written == 1
    run("in.txt", "vectors.jsonl", "encode")
    assert rows("vectors.jsonl")[0]["embedding"] == [1.0, 0.5]


def failing(after: int) -> Any:
    def parts(command: Any, shards: Any, **_: Any) -> Iterator[Part]:
        with closing(Worker(command)) as worker:
            for shard in shards[:after]:
                yield worker(shard)
        raise UnavailableError("the power failed.")

    return parts


def failed(monkeypatch: pytest.MonkeyPatch, after: int, **settings: Any) -> None:
    """Begin a job whose power fails after some parts."""
    with monkeypatch.context() as patch:
        patch.setattr(local, "parts", failing(after))
        with pytest.raises(UnavailableError, match="power"):
            run("in.jsonl", "out.jsonl", **settings)


def test_a_job_that_failed_continues(
    folder: Path, upper_case: UpperCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("in.jsonl", [{"text": text} for text in [*TEXTS, "too long"]])
    run("in.jsonl", "whole.jsonl")
    failed(monkeypatch, 2)
    assert not Path("out.jsonl").exists()
    seen: list[tuple[int, int]] = []

    def bar(total: int, done: int) -> Any:
        seen.append((total, done))
        return _nothing()

    again = job("in.jsonl", "out.jsonl", shard_size=2)
    assert again.run(bar=bar).resumed == 4
    assert seen == [(8, 4)]
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert not Path("out.jsonl.parts").exists()
    failed(monkeypatch, 2, overwrite=True)
    assert run("in.jsonl", "out.jsonl", overwrite=True, resume=False).resumed == 0


class _nothing:
    def __enter__(self) -> Any:
        return lambda lines: None

    def __exit__(self, *error: object) -> None:
        pass


OTHERS: dict[str, dict[str, Any]] = {
    "shard_size": dict(shard_size=3),
    "id": dict(id="n"),
    "num_beams": dict(num_beams=2),
    "engine": dict(precision="int8"),
    "model": dict(model="en-hi"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_job_in_its_place_is_refused(
    name: str, folder: Path, upper_case: UpperCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("in.jsonl", [{"n": k, "text": text} for k, text in enumerate(TEXTS)])
    failed(monkeypatch, 1)
    with pytest.raises(BadArgumentError, match=f"holds a job with {name}="):
        run("in.jsonl", "out.jsonl", **OTHERS[name])
    run("in.jsonl", "out.jsonl")


def test_another_input_of_the_same_name_is_refused(
    folder: Path, upper_case: UpperCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("in.jsonl", [{"text": text} for text in TEXTS])
    failed(monkeypatch, 1)
    write("in.jsonl", [{"text": text} for text in reversed(TEXTS)])
    with pytest.raises(BadArgumentError, match="before they changed"):
        run("in.jsonl", "out.jsonl")
    Path("out.jsonl.parts/job.json").unlink()
    before = sorted(path.name for path in Path("out.jsonl.parts").iterdir())
    with pytest.raises(BadArgumentError, match="is not the folder of a job"):
        run("in.jsonl", "out.jsonl", resume=False)
    assert sorted(path.name for path in Path("out.jsonl.parts").iterdir()) == before


def test_two_jobs_at_a_time_are_refused(
    folder: Path, upper_case: UpperCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("in.txt").write_text("a\nb\nc\n")

    def second(*arguments: Any, **workers: Any) -> Iterator[Part]:
        with pytest.raises(UnavailableError, match="another process is writing"):
            run("in.txt", "out.txt")
        yield from here(*arguments, **workers)

    monkeypatch.setattr(local, "parts", second)
    run("in.txt", "out.txt")
    assert Path("out.txt").read_text() == "A\nB\nC\n"


@pytest.mark.parametrize("size", [1, 9])
def test_an_output_that_exists_is_left_alone(
    size: int, folder: Path, upper_case: UpperCase
) -> None:
    Path("in.txt").write_text("too long\na\n")
    assert run("in.txt", "out.txt", shard_size=size).bad == 1
    with pytest.raises(BadArgumentError, match=r"out\.txt exists"):
        run("in.txt", "out.txt", shard_size=size)
    Path("out.txt").unlink()
    with pytest.raises(BadArgumentError, match=r"bad\.jsonl exists"):
        run("in.txt", "out.txt", shard_size=size)
    assert not Path("out.txt.parts").exists()
    Path("in.txt").write_text("b\na\n")
    assert run("in.txt", "out.txt", shard_size=size, overwrite=True).written == 2
    assert sorted(path.name for path in folder.iterdir()) == ["in.txt", "out.txt"]


def test_a_job_that_was_killed_when_its_output_was_there_ends(
    folder: Path, upper_case: UpperCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("in.txt").write_text("a\ntoo long\nc\n")
    with monkeypatch.context() as patch:
        patch.setattr(FolderStore, "end", lambda store, say: None)
        run("in.txt", "out.txt")
    assert run("in.txt", "out.txt").resumed == 3
    assert Path("out.txt").read_text() == "A\n\nC\n"
    assert len(list(folder.iterdir())) == 3


def test_a_part_that_changed_is_computed_again(
    folder: Path,
    upper_case: UpperCase,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("in.jsonl", [{"text": text} for text in TEXTS])
    failed(monkeypatch, 2)
    [part, _] = sorted(Path("out.jsonl.parts").glob("part-*"))
    part.write_bytes(part.read_bytes().replace(b"TEXT", b"NEXT"))
    assert run("in.jsonl", "out.jsonl").resumed == 2
    assert f"{part.name} was changed after it was written" in capsys.readouterr().err
    assert [row["translation"] for row in rows("out.jsonl")] == [text.upper() for text in TEXTS]


def test_what_is_not_of_the_job_stays_in_its_folder(
    folder: Path, upper_case: UpperCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("in.jsonl", [{"text": text} for text in TEXTS])
    failed(monkeypatch, 2)
    Path("out.jsonl.parts/mine").write_text("mine")
    run("in.jsonl", "out.jsonl")
    assert Path("out.jsonl.parts/mine").read_text() == "mine"


def test_a_folder_that_a_killed_call_was_removing_goes_though_the_output_is_there(
    folder: Path, upper_case: UpperCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("in.txt").write_text("a\nb\nc\n")
    with monkeypatch.context() as killed:
        killed.setattr(store, "_remove", lambda folder: None)
        run("in.txt", "out.txt")
    assert [path.suffix for path in folder.glob(".out.txt.parts.*")] == [".part"]
    with pytest.raises(RegardError, match=r"out\.txt exists"):
        run("in.txt", "out.txt")
    assert {path.name for path in folder.iterdir()} == {"in.txt", "out.txt"}


def test_a_field_that_gets_another_name_is_said_once(
    folder: Path, upper_case: UpperCase, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    write("in.jsonl", [{"text": text, "score": 1} for text in TEXTS])
    for output in ("out.jsonl", "out.parquet"):
        run("in.jsonl", output)
        assert capsys.readouterr().err == (
            "regard: the input has a field 'score', as the answer has; it is now 'input_score'.\n"
        )


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (dict(output="in.jsonl"), "is the input"),
        (dict(output="."), "is a folder"),
        (dict(output="out.jsonl.gz"), "not packed"),
        (dict(output="out.csv"), "got out.csv"),
        (
            dict(text_column="words"),
            "has no column 'words'; its columns are text. Name one of them.$",
        ),
        (dict(text_column="txt"), "its columns are text. Name one of them. Did you mean 'text'"),
        (dict(id="number"), "has no column 'number'"),
        (dict(pooling="max"), "`pooling` belongs to encode"),
        (dict(task="classify", top_k=0), "top_k must be at least 1"),
        (
            dict(num_beams=0, max_new_tokens=5),
            "num_beams must be from 1 to 1024; got 0",
        ),
    ],
)
def test_what_does_not_fit_is_refused_before_work_begins(
    settings: dict[str, Any], sentence: str, folder: Path, upper_case: UpperCase
) -> None:
    write("in.jsonl", [{"text": "a"}])
    settings = {"output": "out.jsonl"} | settings
    with pytest.raises(RegardError, match=sentence.replace(".", r"\.")):
        run("in.jsonl", **settings)
    assert [path.name for path in folder.iterdir()] == ["in.jsonl"]


def test_tables_are_read_by_the_names_in_their_first_rows(
    folder: Path, upper_case: UpperCase
) -> None:
    Path("a.csv").write_text('id,text\n1,"a, b"\n2,c\n')
    Path("b.csv").write_text("text|id\nd|3\n")
    assert run("*.csv", "out.jsonl", shard_size=1).written == 3
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [(row["id"], row["translation"]) for row in rows] == [
        ("1", "A, B"),
        ("2", "C"),
        ("3", "D"),
    ]
    Path("c.tsv").write_text("words\nd\n")
    assert run("c.tsv", "text.jsonl").written == 2  # a table without names is text
    Path("d.csv").write_text("text,text\na,b\n")
    with pytest.raises(BadArgumentError, match="two columns called 'text'"):
        run("d.csv", "other.jsonl")
