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
