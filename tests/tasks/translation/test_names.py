"""Names in sentence pairs, and other names in their place."""

from random import Random

import pytest

from regard.tasks.translation.names import HELD_OUT, Names, put

PAIRS = [
    ("Tom sees Mary.", "Tom sieht Maria."),
    ("I know Boston.", "Ich kenne Boston."),
    ("Hand me that.", "Hand her damit."),
    ("My hand hurts.", "Meine Hand tut weh."),
    ("It was in April.", "Es war im April."),
    ("The Hotel is old, a hotel.", "Das Hotel ist alt."),
    ("I met Apple.", "Ich traf Apple."),
    ("Oskar and Ines left the village.", "Oskar und Ines verließen das Dorf."),
]


@pytest.fixture
def names() -> Names:
    return Names.of(PAIRS)


def test_a_name_is_a_capitalized_word_of_both_sides_that_is_never_small(names: Names) -> None:
    assert names.found == ["Boston", "Ines", "Oskar", "Tom"]  # nor a month, nor held out


def test_names_of_a_pair_stand_equally_often_on_both_sides(names: Names) -> None:
    assert names.of_pair("Tom knows Boston.", "Tom kennt Boston.") == ["Tom", "Boston"]
    assert names.of_pair("Tom knows Tom.", "Tom kennt ihn.") == []
    assert names.of_pair("Tom's dog", "Toms Hund") == ["Tom"]
    assert names.of_pair("Tom-like", "Tom-artig") == []


def test_a_genitive_gets_the_new_name_too(names: Names) -> None:
    source, target = names.replaced("Tom's dog bit Tom.", "Toms Hund biss Tom.", ["Tom"], Random(3))
    name = source.split("'")[0]
    assert name != "Tom"
    assert (source, target) == (f"{name}'s dog bit {name}.", f"{name}s Hund biss {name}.")
    assert name[-1] not in "sxzß"


def test_a_name_with_an_s_of_its_own_is_no_genitive(names: Names) -> None:
    pair = "Tom met the Toms.", "Tom traf die Toms."
    source, target = names.replaced(*pair, ["Tom"], Random(1))
    assert (source.endswith("the Toms."), target.endswith("die Toms.")) == (True, True)


def test_every_name_of_a_pair_gets_another(names: Names) -> None:
    for seed in range(50):
        source, _ = names.replaced("Oskar met Ines.", "Oskar traf Ines.", ["Oskar", "Ines"],
                                   Random(seed))  # fmt: skip
        first, _, second = source.rstrip(".").split()
        assert first != second


def test_no_new_name_is_held_out_and_most_are_made_up(names: Names) -> None:
    draw = Random(1)
    new = [names.new(draw) for _ in range(2000)]
    assert not {*new} & HELD_OUT
    assert all(name[0].isupper() and 3 <= len(name) <= 11 for name in new)
    assert len({*new} - {*names.found}) > 500
    assert "Village" in new  # a word that is written as a name …
    at_start = [names.new(draw, begins_sentence=True) for _ in range(2000)]
    assert "Village" not in at_start  # … where no sentence begins


def test_variants_depend_on_the_draw_alone_and_have_their_number(names: Names) -> None:
    pair = ("Tom left.", "Tom ging.")
    made = [list(names.variants(*pair, 1.5, Random(seed))) for seed in range(200)]
    assert made == [list(names.variants(*pair, 1.5, Random(seed))) for seed in range(200)]
    assert {len(each) for each in made} == {1, 2}
    assert 250 < sum(map(len, made)) < 350
    assert list(names.variants("He left.", "Er ging.", 3, Random(0))) == []


def test_only_whole_words_are_replaced() -> None:
    assert put("Tom, Tommy and Tom-Tom", {"Tom": "Bo"}) == "Bo, Tommy and Tom-Tom"
