import json
from pathlib import Path
from typing import Any

import pytest

from regard.checkpoints.card import read_card, render

FACTS: dict[str, Any] = {
    "language": ["en", "hi"],
    "license": "cc-by-4.0",
    "kind": "recurrent tiny, cell gru, attention bahdanau",
    "parameters": 1_234_567,
    "vocabulary": 8_000,
    "data": 'a "quoted" – हिन्दी: one\u2028two\nthree --- \\',
    "training_pairs": 29_000,
    "command": "regard train translation 'my pairs.tsv'",
    "minutes": 31.4,
    "step": 7_500,
    "target_tokens": 12_000_000,
    "dev": {"bleu": 33.25, "chrf": 55.5, "loss": 1.875, "sentences": 500.0},
}


def test_every_fact_comes_back(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(render("en → hi", FACTS, ["a line"]), encoding="utf-8")
    assert read_card(tmp_path) == FACTS


@pytest.mark.parametrize("text", [None, "", "# Title\n", "---\n", "text\n---\na: 1\n---\n"])
def test_where_there_are_no_facts_there_are_none(text: str | None, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "README.md").write_text(text, encoding="utf-8")
    assert read_card(tmp_path) == {}


def test_a_card_from_elsewhere_gives_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("---\nlicense: mit\ntags:\n- a\n---\n# Title\n")
    assert read_card(tmp_path) == {"license": "mit"}


def test_any_card_from_elsewhere_can_be_read(tmp_path: Path) -> None:
    deep = "[" * 100_000
    card = f"---\nlanguage: no\ndate: 2024-05-01\na: &a {deep}\nb: {deep}\nc: ".encode()
    (tmp_path / "README.md").write_bytes(card + b"\xff\n---\n")
    facts = read_card(tmp_path)
    assert json.dumps(facts)
    assert (facts["language"], facts["date"], facts["b"]) == ("no", "2024-05-01", deep)


def test_a_finished_run_has_a_card(run_folder: Path) -> None:
    facts = read_card(run_folder / "model")
    assert facts["language"] == ["en", "de"]
    assert facts["license"] == "cc0-1.0"
    assert facts["data"] == "made up"
    assert facts["step"] == 3
    assert facts["vocabulary"] == 376
    assert facts["dev"]["sentences"] == 1
    assert facts["training_pairs"] == 210
    text = (run_folder / "model" / "README.md").read_text(encoding="utf-8")
    assert "# en → de" in text
    size = f"{facts['parameters']:,}"
    assert f"- Transformer tiny, norm pre: {size} parameters\n- Vocabulary: 376 subwords" in text
    assert "- Data: made up (210 pairs to train on)" in text
    assert "1 sentences, greedy: BLEU " in text
    assert f"minutes, 3 steps, {facts['tokens']:,} tokens" in text
