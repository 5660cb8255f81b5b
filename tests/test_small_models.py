"""tools/shrink.py, tools/cloze.py, tools/elsewhere.py: smaller weights, questions made of texts."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from regard.checkpoints.weights import open_weights

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
try:
    import cloze
    import elsewhere
    import shrink
finally:
    sys.path.pop(0)

TEXT = (
    "The river Elbe flows through Hamburg and reaches the North Sea near Cuxhaven. In 1842 a great"
    " fire destroyed a third of the old city within four days. Some 1800 people worked there."
)


def test_matrices_are_rounded_to_float8_and_vectors_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(1)
    whole = {"a": torch.randn(9, 5).bfloat16(), "b": torch.randn(7).bfloat16()}
    (tmp_path / "in").mkdir()
    save_file(whole, tmp_path / "in" / "model.safetensors")
    (tmp_path / "in" / "config.json").write_text("{}")
    monkeypatch.setattr(sys, "argv", ["shrink", str(tmp_path / "in"), str(tmp_path / "out")])
    shrink.main()
    found = open_weights(tmp_path / "out")
    assert found.dtypes == {"a": "float8_e4m3fn", "b": "bfloat16"}
    assert torch.equal(found["b"], whole["b"])
    assert torch.allclose(found["a"], whole["a"], rtol=1 / 16, atol=2**-10)
    assert (tmp_path / "out" / "config.json").read_text() == "{}"


def test_every_answer_stands_at_its_start_and_not_in_its_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "texts.tsv").write_text(TEXT + "\tanother column\n")
    arguments = ["cloze", str(tmp_path / "out.jsonl"), str(tmp_path / "texts.tsv"), "--each", "9"]
    monkeypatch.setattr(sys, "argv", arguments)
    cloze.main()
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert len(rows) > 5
    for row in rows:
        assert row["context"] == TEXT
        assert TEXT.startswith(row["answer"], row["start"])
        assert row["answer"] not in row["question"]
        assert row["question"].endswith("?")
    years = [row["question"] for row in rows if row["answer"] in ("1842", "1800")]
    assert all(question.startswith(("When ", "What year ", "In what year ")) for question in years)


def test_questions_are_asked_of_paragraphs_that_do_not_answer_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def paragraph(number: int) -> dict[str, Any]:
        answer = {"text": f"town {number % 2}", "answer_start": 3}
        asked = [{"question": f"Where {k}?", "id": f"{k}", "answers": [answer]} for k in range(9)]
        return {"context": f"In town {number % 2}.", "qas": asked}

    articles = [{"title": str(k), "paragraphs": list(map(paragraph, range(4)))} for k in range(12)]
    (tmp_path / "squad.json").write_text(json.dumps({"data": articles}))
    files = [str(tmp_path / name) for name in ("squad.json", "train.json", "dev.json")]
    monkeypatch.setattr(sys, "argv", ["elsewhere", *files])
    elsewhere.main()
    train, dev = (json.loads(Path(file).read_text())["data"] for file in files[1:])
    assert [article["title"] for article in dev] == ["5", "11"]
    assert len(train) == 10
    asked = [
        (each, part["context"])
        for article in (*train, *dev)
        for part in article["paragraphs"]
        for each in part["qas"]
    ]
    without = [each for each, _ in asked if each.get("is_impossible")]
    assert len(asked) - len(without) == 12 * 4 * 9
    assert 80 < len(without) < 220  # half of them, but for those whose other paragraph answers
    assert all(answer["text"] in context for each, context in asked for answer in each["answers"])
