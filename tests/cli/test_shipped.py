"""The shipped models: small, with a card, and what the commands use where no model is named."""

from pathlib import Path

import pytest

from regard import load
from regard.checkpoints import find_folder, shipped
from regard.checkpoints.card import read_card

ROOT = Path(__file__).parents[2]


def test_together_they_are_small() -> None:
    files = [file for file in shipped.FOLDER.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 125_000_000


@pytest.mark.parametrize("name", shipped.names())
def test_each_is_small_and_says_where_it_comes_from(name: str) -> None:
    folder = find_folder(name)
    assert sum(file.stat().st_size for file in folder.iterdir()) < 24_000_000
    card = read_card(folder)
    assert card["license"] != "unknown"
    assert card["data"]
    assert card["command"].startswith(("regard train ", "python tools/prune.py "))
    assert card["minutes"] > 0
    assert card["dev"]
    assert name in (ROOT / "NOTICE").read_text()


def test_texts_are_labeled_with_an_emotion(regard) -> None:
    outcome = regard("classify", "What a lovely surprise!", "I am so sorry for your loss.")
    assert outcome.code == 0, outcome.err
    surprised, sad = (line.split("\t")[0] for line in outcome.out.splitlines())
    assert surprised in ("surprise", "excitement", "joy", "admiration", "love")
    assert sad in ("remorse", "sadness", "grief", "caring")


def test_a_handwritten_digit_is_read(regard) -> None:
    outcome = regard("classify", "--images", str(ROOT / "docs" / "images" / "digit.png"))
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("7\t")


def test_a_play_is_continued(regard) -> None:
    outcome = regard("generate", "ROMEO:", "--seed", "1", "--max-new-tokens", "40")
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("ROMEO:")
    assert len(outcome.out) > 30


def test_a_sentence_is_nearest_to_its_translation() -> None:
    embedder = load("sentences")
    english = ["Where is the station?", "The dog is sleeping.", "I would like a cup of tea."]
    german = ["Wo ist der Bahnhof?", "Der Hund schläft.", "Ich hätte gern eine Tasse Tee."]
    vectors = embedder(english + german)
    first, second = vectors[:3], vectors[3:]
    cosine = first @ second.T
    assert cosine.argmax(1).tolist() == [0, 1, 2]


def test_a_question_is_answered_from_a_text_or_not_at_all(regard) -> None:
    text = "The lighthouse was built in 1885. The engineer Carl Offermann led the work."
    outcome = regard(
        "answer", "Who led the work?", "What is the capital of France?", "--text", text
    )
    assert outcome.code == 0, outcome.err
    found, none = (line.split("\t")[0] for line in outcome.out.splitlines())
    assert "Carl Offermann" in found
    assert none == ""
