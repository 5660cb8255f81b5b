"""`regard encode`: one line in, one vector out."""

import json

import numpy as np
import pytest

from regard.files import LONGEST_LINE
from regard.tasks.embedding.task import Embedder


@pytest.fixture(scope="module")
def folder(encoder_folder):
    return encoder_folder("Bert", "Model")


@pytest.fixture(scope="module")
def embedder(folder):
    return Embedder.load(folder).run_by("auto")


def test_arguments_become_json_lines_with_all_of_a_float(regard, folder, embedder):
    outcome = regard("encode", "-m", folder, "Anna sees it.", "a dog")
    entries = [json.loads(line) for line in outcome.out.splitlines()]
    assert [entry["text"] for entry in entries] == ["Anna sees it.", "a dog"]
    found = np.float32([entry["embedding"] for entry in entries])
    assert np.array_equal(found, embedder(["Anna sees it.", "a dog"]))
    assert outcome.err == "regard: 2 texts → vectors of 15 numbers.\n"


def test_other_fields_pass_through(regard, folder):
    outcome = regard("encode", "-m", folder, stdin=b'{"id": 7, "text": "a dog"}\n')
    entry = json.loads(outcome.out)
    assert (entry["id"], len(entry["embedding"])) == (7, 15)


def test_a_file_becomes_an_array_with_a_row_a_line(regard, folder, embedder, tmp_path):
    source, target = tmp_path / "in.txt", tmp_path / "out.npy"
    lines = [f"the dog sees {'house ' * (k % 7)}" for k in range(5000)]  # more than one group
    lines[3] = ""
    source.write_text("\n".join(lines))
    options = ("--pooling", "max", "--no-normalize", "--batch-size", 500)
    outcome = regard("encode", "-m", folder, "-i", source, "-o", target, *options)
    assert (outcome.code, outcome.out) == (0, "")
    assert "5,000 texts" in outcome.err
    found = np.load(target)
    assert (found.shape, found.dtype) == ((5000, 15), np.float32)
    expected = embedder([lines[0], lines[3], lines[4999]], pooling="max", normalize=False)
    # Float32 sums differ in their last bits between batches of other shapes.
    np.testing.assert_allclose(found[[0, 3, 4999]], expected, rtol=1e-5, atol=1e-5)


def test_an_array_is_written_whole_or_not_at_all(regard, folder, tmp_path):
    long = b"a" * (LONGEST_LINE + 1)
    outcome = regard(
        "encode", "-m", folder, "-o", tmp_path / "x.npy", "--strict", stdin=b"good\n" + long
    )
    assert outcome.code == 2
    assert "stdin, line 2: the line is longer than" in outcome.err
    assert not list(tmp_path.iterdir())


def test_a_line_that_cannot_be_read_has_a_row_of_nan_or_null(regard, folder, tmp_path):
    lines = b"good\n\xff\ngood\n"
    outcome = regard("encode", "-m", folder, "-o", tmp_path / "x.npy", stdin=lines)
    assert outcome.code == 2
    assert outcome.err.startswith("regard: stdin, line 2: expected UTF-8")
    array = np.load(tmp_path / "x.npy")
    assert np.isnan(array).all(1).tolist() == [False, True, False]
    outcome = regard("encode", "-m", folder, stdin=lines)
    _, second, _ = map(json.loads, outcome.out.splitlines())
    assert second["embedding"] is None
    assert "expected UTF-8" in second["error"]


def test_what_was_cut_is_said(regard, folder):
    outcome = regard("encode", "-m", folder, "the house " * 99, "a")
    assert "; 1 was longer than 67 tokens and was cut." in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a", "-m", "nowhere"], "there is no folder nowhere"),
        (["a", "-m", "FOLDER", "--pooling", "sum"], "pooling must be one of mean, cls, max"),
    ],
)
def test_bad_input_is_one_sentence(regard, folder, arguments, message):
    outcome = regard("encode", *(str(folder) if a == "FOLDER" else a for a in arguments))
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
