import pytest

import regard
from regard.checkpoints import find_folder
from regard.checkpoints.card import read_card
from regard.tasks import catalog


@pytest.mark.parametrize("name", catalog.taken_by("translate"))
def test_a_shipped_translator_was_trained_on_tatoeba(name: str) -> None:
    card = read_card(find_folder(name))
    assert card["license"].startswith("CC BY")
    assert "Tatoeba" in card["data"]
    assert card["command"].startswith("regard train translation")
    assert card["dev"]["bleu"] > 0


def test_weights_trained_on_non_commercial_data_say_so() -> None:
    assert read_card(find_folder("en-hi"))["license"] == "CC BY-NC-SA 4.0"


def test_english_becomes_german_and_each_word_looks_at_its_own() -> None:
    result = regard.load("en-de").run(["Where is the station?"], alignment="output")[0]
    assert result.text == "Wo ist der Bahnhof?"
    assert result.alignment is not None
    assert result.alignment.argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_english_becomes_hindi() -> None:
    text = regard.load("en-hi")("a man is standing on the beach")
    assert "आदमी" in text


def test_german_becomes_english_and_each_word_looks_at_its_own() -> None:
    result = regard.load("de-en").run(["Das Haus ist klein."], alignment="output")[0]
    assert result.text == "The house is small."
    assert result.alignment is not None
    assert result.alignment.argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_letters_of_german_are_read_and_not_copied() -> None:
    assert "ß" in (regard.load("de-en").calibration.letters or "")
    assert "Straße" not in regard.load("de-en")("Die Straße ist lang.")


@pytest.mark.parametrize("name", catalog.taken_by("translate"))
def test_another_language_is_told_from_rare_words(name: str) -> None:
    doubts = regard.load(name).calibration.doubts
    english = "Tropical rainforests produce oxygen and absorb carbon dioxide."
    german = "Das Haus steht an der Straße und wartet."
    read, other = (german, english) if name == "de-en" else (english, german)
    assert not doubts(read)
    assert doubts(other)
    assert doubts("Le chien regarde la petite maison rouge.")
