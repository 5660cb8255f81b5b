"""The committed figures of copying, and the tasks and models that they come from."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "copying.py"


@pytest.fixture(scope="module")
def copying() -> ModuleType:
    spec = importlib.util.spec_from_file_location("copying", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_copies_tell_what_the_lengths_cost(copying):
    result = json.loads(copying.RESULT.read_text(encoding="utf-8"))
    fixed, bahdanau, transformer = (result["models"][name] for name in copying.NAMES)
    assert fixed["path"] == fixed["path_at"]
    assert set(bahdanau["path"]) == set(transformer["path"]) == {1}
    longest = fixed["right_at"].index(result["longest"])  # longer ones were never seen
    right = [rows["right"][longest] for rows in (fixed, bahdanau, transformer)]
    assert right[0] < 0.8 < 0.95 < min(right[1:])
    assert transformer["seconds"][-1] < fixed["seconds"][-1] < bahdanau["seconds"][-1]
    sizes = [rows["parameters"] for rows in (fixed, bahdanau, transformer)]
    assert max(sizes) < 1.2 * min(sizes)


def test_a_row_to_copy_is_symbols_and_an_end(copying):
    rows = copying.rows(3, 5, seed=0)
    assert rows.shape == (3, 6)
    assert (rows[:, -1] == copying.EOS).all()
    assert rows[:, :-1].min() > copying.EOS
    assert rows.max() < copying.VOCAB


def test_a_short_training_lowers_the_loss_of_every_model(copying):
    for name in copying.NAMES:
        model = copying.build(name, width=16)
        before = copying.copy_loss(model, copying.rows(32, 2, seed=0)).item()
        copying.train(model, longest=2, steps=30)
        assert copying.copy_loss(model, copying.rows(32, 2, seed=0)).item() < 0.9 * before


def test_the_last_result_is_drawn_and_reported(copying, monkeypatch, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(sys, "argv", ["copying.py", "--picture", str(tmp_path / "copying.svg")])
    copying.main()
    assert capsys.readouterr().out.count(" symbols ") > 20
    picture = (tmp_path / "copying.svg").read_text(encoding="utf-8")
    assert all(name in picture for name in copying.NAMES)


def test_a_result_that_is_not_there_is_one_sentence(copying, monkeypatch, capsys, tmp_path):
    where = ["--into", str(tmp_path / "none.json"), "--picture", "copying.svg"]
    monkeypatch.setattr(sys, "argv", ["copying.py", *where])
    with pytest.raises(SystemExit):
        copying.main()
    assert "none.json, which is not there." in capsys.readouterr().err
