"""`regard export`: a model as something that runs without Python."""

import json


def test_the_page_says_where_it_is_and_how_large(regard, tmp_path):
    file = tmp_path / "live.html"
    outcome = regard("export", "page", "en-de", "--output", file, "--json")
    assert outcome.code == 0
    found = json.loads(outcome.out)
    assert found["path"] == str(file)
    assert found["megabytes"] == round(file.stat().st_size / 1e6, 2) < 12


def test_a_model_of_another_kind_is_one_sentence(regard, tmp_path):
    outcome = regard("export", "page", "shakespeare", "--output", tmp_path / "live.html")
    assert outcome.code == 2
    assert outcome.err.startswith("regard: shakespeare is a language model (gpt2): use it with")
