"""`regard evaluate --calibrate` measures a model's bounds and keeps them beside its weights."""

from pathlib import Path

import pytest

import regard
from regard import RegardError
from regard.checkpoints import shipped
from regard.engine.calibration import FILE, Calibration
from regard.json_files import JsonFiles
from regard.tasks.translation.task import Translator

TESTS = "the old dog sees a tree.\tein Haus\na red house.\tder alte Hund\n" * 20


def test_bounds_are_measured_and_written(translator: Translator, tmp_path: Path) -> None:
    translator.save(tmp_path / "model")
    assert not (tmp_path / "model" / FILE).exists()
    (tmp_path / "dev.tsv").write_text(TESTS)
    (tmp_path / "train.tsv").write_text(TESTS * 30)
    (tmp_path / "sources.toml").write_text('[[source]]\npairs = "train.tsv"\n')
    options = dict(calibrate=tmp_path / "sources.toml", num_beams=1, max_new_tokens=20)
    report = regard.evaluate(tmp_path / "model", tmp_path / "dev.tsv", **options)
    bounds = Calibration.of(JsonFiles(tmp_path / "model"))
    assert bounds.unsure_below == report.result.judged.threshold()
    assert bounds.rarest == 12.5
    assert set(bounds.words.split()) == {"the", "old", "dog", "sees", "a", "tree", "red", "house"}
    assert any(
        line.lstrip().startswith("| 90% to 100%") for line in "\n".join(report.lines()).splitlines()
    )
    assert regard.load(str(tmp_path / "model"), "translation").calibration == bounds


@pytest.mark.parametrize(("most_other", "precision"), [(1.0, "int8"), (-1.0, "fp32")])
def test_int8_is_the_default_where_it_loses_little(
    most_other: float,
    precision: str,
    translator: Translator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("regard.tasks.translation.score.MOST_OTHER", most_other)
    translator.save(tmp_path / "model")
    assert regard.load(tmp_path / "model").computed_by == "native fp32"
    (tmp_path / "dev.tsv").write_text(TESTS)
    regard.evaluate(
        tmp_path / "model", tmp_path / "dev.tsv", calibrate=tmp_path / "dev.tsv", max_new_tokens=20
    )
    assert regard.load(tmp_path / "model").computed_by == f"native {precision}"


def test_what_cannot_be_calibrated_is_refused(translator: Translator, tmp_path: Path) -> None:
    (tmp_path / "dev.tsv").write_text(TESTS)
    with pytest.raises(RegardError, match="`calibrate` needs a folder"):
        regard.evaluate(translator, tmp_path / "dev.tsv", calibrate=tmp_path / "dev.tsv")
    before = (shipped.FOLDER / "en-de" / FILE).read_bytes()
    with pytest.raises(
        RegardError, match=r"en-de is a part of regard.*: copy .*, and name the copy"
    ):
        regard.evaluate("en-de", tmp_path / "dev.tsv", calibrate=tmp_path / "dev.tsv")
    assert (shipped.FOLDER / "en-de" / FILE).read_bytes() == before
    with pytest.raises(RegardError, match="`calibrate` is of one model"):
        regard.evaluate("en-de", tmp_path / "dev.tsv", calibrate="a", compare="en-de")
