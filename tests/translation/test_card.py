import json
from pathlib import Path
from typing import Any

import pytest

from regard.recipes.card import read_card, render
from regard.translation.card import lines, title

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


def text_of(facts: dict[str, Any]) -> str:
    return render(title(facts), facts, lines(facts))


def test_every_fact_comes_back(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(text_of(FACTS), encoding="utf-8")
    assert read_card(tmp_path) == FACTS


def test_a_reader_sees_them_in_words() -> None:
    text = text_of(FACTS)
    assert "# en → hi" in text
    assert (
        "Recurrent tiny, cell gru, attention bahdanau: 1,234,567 parameters with 8,000 subwords"
        in text
    )
    assert "500 sentences, greedy: BLEU 33.2, chrF 55.5" in text
    assert "31.4 minutes, 7,500 steps, 12,000,000 tokens" in text


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
    assert facts["training_pairs"] == 288
