"""A summarizer that takes sentences learns which one from a file of documents with summaries."""

import json
from pathlib import Path
from typing import Any

import pytest

import regard
from regard.checkpoints.card import read_card
from regard.tasks.extraction.task import Extractor
from regard.training.examples import Example

pytest.importorskip("rouge_score")

from regard.tasks.extraction.train import best_sentences


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on documents whose summary is the sentence that says what is new."""
    folder = tmp_path_factory.mktemp("extraction")
    animals, places = ("dog", "cat", "horse", "bird", "fish"), ("house", "river", "tree", "garden")
    rows = []
    for number in range(120):
        animal, place = animals[number % 5], places[number % 4]
        parts = [
            f"The {animal} number {number} is well known.",
            f"Many people live near the {place}.",
        ]
        parts.insert(number % 3, f"We show that a {animal} sees the {place}.")
        rows.append({"document": " ".join(parts), "summary": f"a {animal} sees the {place}"})
    (folder / "stories.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options: dict[str, Any] = {"preset": "tiny", "precision": "fp32", "batch_size": 16}
    regard.train(
        "extractive-summarization",
        str(folder / "stories.jsonl"),
        str(folder / "run"),
        max_epochs=6,
        learning_rate=3e-3,
        **options,
    )
    return folder / "run"


def test_it_learns_which_sentence_says_what_is_new(run: Path) -> None:
    extractor = regard.load(str(run / "model"), "summarization")
    assert isinstance(extractor, Extractor)
    text = "A bird is loud. Many people live near the house. We show that a bird sees the tree."
    assert extractor(text) == "We show that a bird sees the tree."


def test_the_card_has_its_figures_beside_those_of_the_first_sentence(run: Path) -> None:
    card = (run / "model" / "README.md").read_text()
    facts = read_card(run / "model")
    assert facts["pipeline_tag"] == "summarization"
    dev = facts["dev"]
    assert dev["rouge1_low"] <= dev["rouge1"] <= dev["rouge1_high"]
    assert f"ROUGE-1 {dev['rouge1']:.2f} [" in card
    assert "The first sentence of each of them: ROUGE-1" in card


def test_it_is_scored_as_every_summarizer(run: Path) -> None:
    data = run / "data" / "dev.jsonl"
    report = regard.evaluate(str(run / "model"), str(data), document="text", summary="targets")
    facts = read_card(run / "model")
    assert report.figures["rougeL"] == pytest.approx(facts["dev"]["rougeL"], abs=1e-3)
    assert "first sentence" in report.baselines


def test_the_sentence_that_shares_most_with_the_summaries_is_the_best() -> None:
    examples = [
        Example("A dog. A cat sees it. No.", targets=["the cat sees", "a cat"]),
        Example("One house. Two houses.", targets=["two houses"]),
    ]
    found = best_sentences(examples)
    assert [each.text[a:b] for each, (a, b) in zip(examples, found, strict=True)] == [
        "A cat sees it.",
        "Two houses.",
    ]
