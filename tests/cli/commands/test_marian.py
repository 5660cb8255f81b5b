"""A Marian folder as the Hub has it, with sentencepiece files, through every door."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fixtures.translators import EXPECTED

TEXT = next(iter(EXPECTED["unigram"]))


@pytest.fixture(scope="module")
def marian(foreign: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    return foreign("marian", tmp_path_factory.mktemp("opus") / "marian", max_length=24)


def test_it_translates_as_transformers_does(marian: Any, regard: Callable[..., Any]) -> None:
    assert {"source.spm", "target.spm", "vocab.json"} <= {p.name for p in marian.folder.iterdir()}
    one = regard("translate", TEXT, "--model", marian.folder, "--json", "--num-beams", 1)
    assert one.code == 0
    ids = marian.generate(marian.ids(TEXT), num_beams=1, do_sample=False, max_length=24)
    answer = json.loads(one.out)
    torch_one = regard(
        "translate", TEXT, "--model", marian.folder, "--json", "--num-beams", 1, "--engine", "torch"
    )
    assert json.loads(torch_one.out)["translation"] == answer["translation"]
    from regard import load

    translator = load(marian.folder)
    result = translator.run([TEXT], num_beams=1, cut_repetition=False)[0]
    assert result.ids == [id_ for id_ in ids if id_ != 63]
    assert answer["translation"] == translator(TEXT, num_beams=1)


def test_it_is_evaluated_and_looked_at(
    marian: Any, regard: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "pairs.tsv").write_text(f"{TEXT}\tder alte Hund sieht einen Baum\n")
    scored = regard("evaluate", marian.folder, tmp_path / "pairs.tsv", "--json")
    assert json.loads(scored.out)["sentences"] == 1
    looked = regard("look", marian.folder, TEXT, "--json")
    assert looked.code == 0
    assert json.loads(looked.out)["text"] == TEXT
