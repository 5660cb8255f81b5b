"""`regard export`: a model in a form that runs without this package."""

import json


def test_the_page_says_where_it_is_and_how_large(regard, tmp_path):
    file = tmp_path / "live.html"
    outcome = regard("export", "page", "en-de", "--output", file, "--json")
    assert outcome.code == 0
    found = json.loads(outcome.out)
    assert found["path"] == str(file)
    assert found["megabytes"] == round(file.stat().st_size / 1e6, 2) < 16
    assert outcome.err == f"{file}, {found['megabytes']} MB\n"


def test_a_model_that_the_page_cannot_run_is_one_sentence(regard, tmp_path):
    outcome = regard("export", "page", "en-de", "words-en", "--output", tmp_path / "live.html")
    assert outcome.code == 2
    assert outcome.err.startswith("regard: words-en is a set of vectors")
    assert not list(tmp_path.iterdir())


def test_the_graphs_are_in_a_folder_with_their_instructions(regard, tmp_path):
    outcome = regard("export", "onnx", "emotions", tmp_path / "out", "--precision", "int8")
    assert (outcome.code, outcome.out) == (0, "")
    size = sum(file.stat().st_size for file in (tmp_path / "out").iterdir())
    expected = f"{tmp_path / 'out'}, {size / 1e6:.1f} MB; README.md says how to run it\n"
    assert outcome.err == expected
    again = regard("export", "onnx", "emotions", tmp_path / "out")
    assert again.code == 2
    assert "output must be a new or an empty folder" in again.err


def test_json_names_the_graphs_and_the_operators_of_onnx_runtime(regard, tmp_path):
    found = json.loads(regard("export", "onnx", "digits", tmp_path / "out", "--json").out)
    assert found["folder"] == str(tmp_path / "out")
    assert found["graphs"] == ["body", "head"]
    assert "com.microsoft: MultiHeadAttention" in found["own_operators"]
