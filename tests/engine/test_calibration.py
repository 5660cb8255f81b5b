"""A text in another language is recognized by its words."""

import json
from pathlib import Path

import pytest

from regard import RegardError
from regard.engine.calibration import FILE, UNCALIBRATED, Calibration, frequent_words
from regard.json_files import JsonFiles

SMALL = Calibration(words="the a dog sees cat", rarest=3.0)


def test_rarity_is_the_mean_logarithm_of_ranks() -> None:
    assert SMALL.rarity("A dog sees a cat.") == pytest.approx(
        (1 + 1.585 + 2 + 1 + 2.322) / 5, abs=1e-3
    )
    unknown = 8.3219  # log2 of 64 times the five words
    assert SMALL.rarity("the dog sees nothing") == pytest.approx(
        (0 + 1.585 + 2 + unknown) / 4, abs=1e-3
    )


def test_names_and_numbers_are_left_out() -> None:
    plain = SMALL.rarity("the dog sees a cat")
    assert SMALL.rarity("the dog Rex sees a cat, Minka, 17") == plain
    assert SMALL.rarity("Rex Minka Tadeusz Kowalczyk") > plain  # there are no other words


def test_a_text_of_unknown_words_doubts_unless_it_is_short() -> None:
    assert SMALL.doubts("das ist der Hund und seine Katze")  # short words of another language
    assert SMALL.doubts("große Hunde sehen manchmal sehr kleine Katzen vorbeilaufen")  # 40 letters
    assert not SMALL.doubts("noise reducing wireless headphones")
    assert not SMALL.doubts("noise reducing wireless mic")  # one short word may be rare
    assert not SMALL.doubts("the dog sees a cat")
    for short in ("", "OK", "Tadeusz Kowalczyk", "der Hund bellt", "1 2 3 4 5"):
        assert not SMALL.doubts(short)


def test_without_bounds_no_text_doubts() -> None:
    assert not UNCALIBRATED.doubts("das ist der Hund und seine Katze")


def test_a_calibration_is_read_as_it_was_saved(tmp_path: Path) -> None:
    UNCALIBRATED.save(tmp_path)
    assert not (tmp_path / FILE).exists()
    assert Calibration.of(JsonFiles(tmp_path)) == UNCALIBRATED
    SMALL.save(tmp_path)
    assert Calibration.of(JsonFiles(tmp_path)) == SMALL


@pytest.mark.parametrize(
    "content",
    [[], {"word": "the"}, {"unsure_below": "0.3"}, {"words": ["the"]}, {"rarest": "eleven"}],
)
def test_a_damaged_calibration_is_refused_in_one_sentence(tmp_path: Path, content: object) -> None:
    (tmp_path / FILE).write_text(json.dumps(content))
    with pytest.raises(RegardError, match=FILE):
        Calibration.of(JsonFiles(tmp_path))


def test_words_are_counted_without_regard_to_capitals_and_rare_ones_left_out() -> None:
    assert frequent_words(["The dog, the cat!", "Dog: the 7 birds"]) == "the dog"
    german = Calibration(words=frequent_words(["Große Straße", "große Straße, süß", "süß"]))
    assert german.letters == "ß"  # letters as they are written, or texts would be cut at them
    assert german.is_frequent("STRASSE") is False
    assert german.is_frequent("Straße")
