"""Every good line has one answer, in order; bad lines are named; what is done is not done again."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fixtures.bulk import UpperCase, here
from regard.bulk import Job, Settings, Summary
from regard.bulk.parts import Part
from regard.bulk.shards import Shard
from regard.bulk.worker import Worker
from regard.errors import (
    BadArgumentError,
    DamagedFileError,
    RegardError,
    UnavailableError,
)

TEXTS = [f"text {k}" for k in range(7)]


def run(input: str, output: str, task: str = "translate", **settings: Any) -> Summary:
    settings = {"model": "en-de", "shard_size": 2} | settings
    return Job(task, input, output, **settings).run(here)


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
    run(source, target, text="en", id="id")
    found = [(row["id"], row["translation"], sorted(row)) for row in rows(target)]
    names = ["finished", "id", "language_doubt", "score", "translation"]
    assert found == [(f"i{k}", text.upper(), names) for k, text in enumerate(TEXTS)]


BAD = {
    3: (b"caf \xff", "expected UTF-8, but byte 0xff is not"),
    4: (b"", "the line is empty."),
    5: (b'{"text": "a"', "expected a JSON object; Expecting"),
    6: (b'["a"]', "expected a JSON object; got list"),
    7: (b'{"txt": "a"}', "there is no 'text'."),
    8: (b'{"text": 5}', "'text' must be a string; it is int."),
    9: (b'{"text": null}', "'text' must be a string; it is null."),
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
    job = Job("translate", "in.jsonl", "out.jsonl", model="en-de", shard_size=1)
    for _ in range(2):  # the second finds it in what is done
        with pytest.raises(RegardError, match=r"in\.jsonl, line 3: the line is not valid Unicode"):
            job.run(here, strict=True)
    assert job.done() == 2  # the last shards come first
    summary = job.run(here)
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
    run("in.txt", "labels.parquet", "classify", model="emotions")
    first, last = ([{"label": text, "score": 0.25}] for text in "ab")
    assert [row["labels"] for row in rows("labels.parquet")] == [first, [], [], last]


def test_lines_of_several_files_say_their_file(folder: Path, upper_case: UpperCase) -> None:
    for name in ("b.txt", "a.txt"):
        Path(name).write_text(f"{name} 1\n{name} 2\n")
    run("[ab].txt", "out.jsonl")
    found = [(Path(row["file"]).name, row["line"], row["text"]) for row in rows("out.jsonl")]
    assert found == [(name, k, f"{name} {k}") for name in ("a.txt", "b.txt") for k in (1, 2)]


def test_questions_have_their_context_and_vectors_are_no_text(
    folder: Path, upper_case: UpperCase
) -> None:
    write("in.jsonl", [{"q": "what?", "context": "a cat"}, {"q": "what?"}])
    summary = run("in.jsonl", "out.jsonl", "answer", text="q", model="en-de")
    assert (summary.written, summary.bad) == (1, 1)
    assert rows("out.jsonl")[0]["answers"] == [
        {"answer": "a c", "start": 0, "end": 3, "score": 0.5}
    ]
    Path("in.txt").write_text("a\n")
    with pytest.raises(BadArgumentError, match="reads question and context"):
        run("in.txt", "answers.jsonl", "answer")
    with pytest.raises(BadArgumentError, match="numbers, not text"):
        run("in.txt", "vectors.txt", "encode", model="sentences")
    run("in.txt", "vectors.jsonl", "encode", model="sentences")
    assert rows("vectors.jsonl")[0]["embedding"] == [1.0, 0.5]


def failing(after: int) -> Any:
    def engine(settings: Settings, shards: Sequence[Shard]) -> Iterator[Part]:
        with closing(Worker(settings, 1)) as worker:
            for shard in shards[:after]:
                yield worker(shard)
        raise UnavailableError("the power failed.")

    return engine


def test_a_job_that_failed_continues(folder: Path, upper_case: UpperCase) -> None:
    write("in.jsonl", [{"text": text} for text in [*TEXTS, "too long"]])
    run("in.jsonl", "whole.jsonl")
    job = Job("translate", "in.jsonl", "out.jsonl", model="en-de", shard_size=2)
    with pytest.raises(UnavailableError, match="power"):
        job.run(failing(2))
    assert job.done() == 4
    assert not Path("out.jsonl").exists()
    seen: list[tuple[int, int]] = []

    def bar(total: int, done: int) -> Any:
        seen.append((total, done))
        return _nothing()

    assert job.run(here, bar=bar).resumed == 4
    assert seen == [(8, 4)]
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert not job.folder.exists()


class _nothing:
    def __enter__(self) -> Any:
        return lambda lines: None

    def __exit__(self, *error: object) -> None:
        pass


OTHERS = {
    "shard_size": dict(shard_size=3),
    "id": dict(id="n"),
    "num_beams": dict(options={"num_beams": 2}),
    "precision": dict(precision="int8"),
    "model": dict(model="en-hi"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_job_in_its_place_is_refused(
    name: str, folder: Path, upper_case: UpperCase
) -> None:
    write("in.jsonl", [{"n": k, "text": text} for k, text in enumerate(TEXTS)])
    settings = dict(model="en-de", shard_size=2)
    with pytest.raises(UnavailableError):
        Job("translate", "in.jsonl", "out.jsonl", **settings).run(failing(1))  # type: ignore[arg-type]
    changes = OTHERS[name]
    with pytest.raises(BadArgumentError, match=f"holds a job with {name}="):
        run("in.jsonl", "out.jsonl", **(settings | changes))
    run("in.jsonl", "out.jsonl", **settings)


def test_another_input_of_the_same_name_is_refused(folder: Path, upper_case: UpperCase) -> None:
    write("in.jsonl", [{"text": text} for text in TEXTS])
    with pytest.raises(UnavailableError):
        Job("translate", "in.jsonl", "out.jsonl", model="en-de", shard_size=2).run(failing(1))
    write("in.jsonl", [{"text": text} for text in reversed(TEXTS)])
    with pytest.raises(BadArgumentError, match="before they changed"):
        run("in.jsonl", "out.jsonl")
    Path("out.jsonl.parts/job.json").unlink()
    with pytest.raises(DamagedFileError, match="has parts, but not the job"):
        run("in.jsonl", "out.jsonl")


def test_two_jobs_at_a_time_are_refused(folder: Path, upper_case: UpperCase) -> None:
    Path("in.txt").write_text("a\n")

    def second(settings: Settings, shards: Sequence[Shard]) -> Iterator[Part]:
        with pytest.raises(UnavailableError, match="another process is writing"):
            run("in.txt", "out.txt")
        yield from here(settings, shards)

    Job("translate", "in.txt", "out.txt", model="en-de").run(second)
    assert Path("out.txt").read_text() == "A\n"


def test_an_output_that_exists_is_left_alone(folder: Path, upper_case: UpperCase) -> None:
    Path("in.txt").write_text("too long\n")
    assert run("in.txt", "out.txt").bad == 1
    with pytest.raises(BadArgumentError, match=r"out\.txt exists"):
        run("in.txt", "out.txt")
    Path("out.txt").unlink()
    with pytest.raises(BadArgumentError, match=r"bad\.jsonl exists"):
        run("in.txt", "out.txt")
    assert not Path("out.txt.parts").exists()


def test_a_part_that_lost_lines_is_noticed(folder: Path, upper_case: UpperCase) -> None:
    Path("in.txt").write_text("a\nb\nc\n")
    with pytest.raises(UnavailableError):
        Job("translate", "in.txt", "out.txt", model="en-de", shard_size=2).run(failing(1))
    Path("out.txt.parts/part-00000000").write_text("A\n")
    with pytest.raises(DamagedFileError, match="must have 2 lines; it has 1"):
        run("in.txt", "out.txt")
    Path("out.txt.parts/part-00000000").unlink()
    assert run("in.txt", "out.txt").written == 3


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (dict(output="in.jsonl"), "is the input"),
        (dict(output="."), "is a folder"),
        (dict(output="out.jsonl.gz"), "not packed"),
        (dict(output="out.csv"), "got out.csv"),
        (dict(text="words"), "has no column 'words'; its columns are text. Name one of them.$"),
        (dict(text="txt"), "its columns are text. Name one of them. Did you mean 'text'"),
        (dict(id="number"), "has no column 'number'"),
        (dict(options={"pooling": "max"}), "`pooling` belongs to encode"),
        (dict(task="classify", options={"top_k": 0}), "top_k must be at least 1"),
        (
            dict(options={"num_beams": 0, "max_new_tokens": 5}),
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
    assert run("*.csv", "out.jsonl", text="text", shard_size=1).written == 3
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [(row["id"], row["translation"]) for row in rows] == [
        ("1", "A, B"),
        ("2", "C"),
        ("3", "D"),
    ]
    Path("c.tsv").write_text("words\nd\n")
    with pytest.raises(BadArgumentError, match="no column 'text'; its columns are words"):
        run("c.tsv", "other.jsonl")
    Path("d.csv").write_text("text,text\na,b\n")
    with pytest.raises(BadArgumentError, match="two columns called 'text'"):
        run("d.csv", "other.jsonl")


def test_plain_text_has_no_columns(folder: Path, upper_case: UpperCase) -> None:
    Path("in.txt").write_text("a\n")
    with pytest.raises(BadArgumentError, match="has no columns"):
        run("in.txt", "out.txt", text="text")
