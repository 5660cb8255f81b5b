"""`regard pack`: a packed model that is found later, and what it gives beside the model itself."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard as package
from regard.data.documents import Piece
from regard.recipes.language.text_scores import evaluate_text

DIGIT = Path(__file__).parents[3] / "docs" / "images" / "digit.png"
PLAY = "ROMEO:\nWhat light through yonder window breaks?\n" * 6


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REGARD_CACHE", str(tmp_path / "packed"))
    return tmp_path / "packed"


def test_a_packed_model_is_where_the_engine_finds_it(regard: Any, cache: Path) -> None:
    outcome = regard("pack", "digits")
    [folder] = cache.iterdir()
    parameters = sum(each.numel() for each in package.load("digits").model.parameters())
    size = sum(file.stat().st_size for file in folder.iterdir())
    assert outcome.out.splitlines() == [
        f"folder      {folder}",
        f"size        {size / 1e6:.1f} MB, of {parameters:,} parameters",
        f"cache       1 packed model, {size / 1e6:.1f} MB, in {cache}",
    ]
    made = (folder / "pack.json").stat().st_mtime_ns
    package.load("digits").run_by("onnx", precision="int8")
    assert [each.name for each in cache.iterdir()] == [folder.name]
    assert (folder / "pack.json").stat().st_mtime_ns == made


def test_a_language_model_is_checked_on_every_character(regard: Any, tmp_path: Path) -> None:
    (tmp_path / "play.txt").write_text(PLAY)
    outcome = regard("pack", "shakespeare", "--check", tmp_path / "play.txt", "--json")
    found = json.loads(outcome.out)
    torchs = package.load("shakespeare")
    coarse = torchs.run_by("onnx", precision="int8")
    expected, got = (evaluate_text(each, [Piece(0, PLAY)]) for each in (torchs, coarse))
    same = (expected.likeliest == got.likeliest).mean()
    assert 0.9 < same < 1
    assert found["precision"] == "int8"
    assert found["check"] == {
        "figures": {"loss": pytest.approx([expected.figures["loss"], got.figures["loss"]])},
        "examples": len(PLAY) - 1,
        "same": pytest.approx(same),
    }
    assert expected.figures["loss"] != got.figures["loss"]


def test_fp32_gives_the_same_for_every_kind_of_result(regard: Any, tmp_path: Path) -> None:
    (tmp_path / "pictures" / "7").mkdir(parents=True)
    shutil.copy(DIGIT, tmp_path / "pictures" / "7")
    (tmp_path / "pairs.tsv").write_text("Good morning.\tGuten Morgen.\nThe dog.\tDer Hund.\n")
    (tmp_path / "texts.tsv").write_text("text\tlabel\nHow lovely!\tjoy\nI am sorry.\tremorse\n")
    for model, data, figures in (
        ("digits", "pictures", ["accuracy"]),
        ("emotions", "texts.tsv", ["macro_f1"]),
        ("sentences", "pairs.tsv", ["mrr"]),
        ("en-de", "pairs.tsv", ["bleu", "chrf"]),
    ):
        check = tmp_path / data
        outcome = regard("pack", model, "--precision", "fp32", "--check", check, "--json")
        found = json.loads(outcome.out)["check"]
        assert list(found["figures"]) == figures, outcome.err
        for exact, packed in found["figures"].values():
            assert np.isclose(exact, packed)
        assert found["same"] == 1
    shown = regard("pack", "sentences", "--precision", "fp32", "--check", tmp_path / "pairs.tsv")
    assert "mrr         1.0000 by torch, 1.0000 in fp32; difference +0.0000" in shown.out
    assert "the same    100.00% of 2 results" in shown.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("digits", "--precision", "int3"), "precision must be one of fp32, int8"),
        (("digits", "--check", "nowhere"), "expected the data at nowhere"),
        (("words-en",), "words-en is"),
        (("nowhere",), "there is no folder nowhere"),
    ],
)
def test_mistakes_are_one_line(regard: Any, arguments: tuple[str, ...], message: str) -> None:
    outcome = regard("pack", *arguments)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
