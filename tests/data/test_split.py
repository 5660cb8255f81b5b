"""No sentence of dev or test is in train, and the same pairs always part the same way."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from regard.data import Pair, Split, plan_folds, plan_split
from regard.errors import RegardError

# 3,001 sources, every fifth with a second translation; two sources share each 50th target.
PAIRS = [Pair(f"Sentence {i}.", f"Satz {i - (i % 50 == 1)}.", 0) for i in range(3001)] + [
    Pair(f"sentence  {i}", f"Anders {i}!", 0) for i in range(0, 3001, 5)
]


def parts(split: Split, pairs: list[Pair]) -> dict[str | None, list[Pair]]:
    found: dict[str | None, list[Pair]] = {"train": [], "dev": [], "test": [], None: []}
    for pair in pairs:
        found[split.part(pair)].append(pair)
    return found


def bare(text: str) -> str:
    return text.lower().replace(" ", "").rstrip(".!")


def test_no_source_or_target_of_dev_and_test_is_trained_on() -> None:
    found = parts(plan_split(PAIRS, dev=301, test=0.1), PAIRS)
    held = found["dev"] + found["test"]
    assert not {bare(p.source) for p in held} & {bare(p.source) for p in found["train"]}
    assert not {bare(p.target) for p in held} & {bare(p.target) for p in found["train"]}
    assert not {bare(p.source) for p in found["dev"]} & {bare(p.source) for p in found["test"]}
    assert 0 < len(found[None]) < 30  # of train by their source, but with a target held out


def test_the_sizes_are_those_asked_for_up_to_one_source() -> None:
    found = parts(plan_split(PAIRS, dev=301, test=0.1), PAIRS)
    assert 301 <= len(found["dev"]) <= 302
    assert 360 <= len(found["test"]) <= 361
    assert sum(map(len, found.values())) == len(PAIRS)


def test_a_fiftieth_is_dev_by_default_at_least_fifty_and_at_most_two_thousand() -> None:
    found = parts(plan_split(PAIRS), PAIRS)
    assert (len(found["dev"]) - 72) in (0, 1)
    assert found["test"] == []
    assert len(parts(plan_split(PAIRS[:1000]), PAIRS[:1000])["dev"]) in (50, 51)
    assert len(parts(plan_split(PAIRS[:100]), PAIRS[:100])["dev"]) in (15, 16)
    many = [Pair(str(i), str(i), i) for i in range(101_009)]
    split = plan_split(many)
    assert sum(split.part(pair) == "dev" for pair in many) == 2000


def test_dev_may_be_none_at_all() -> None:
    split = plan_split(PAIRS, dev=0)
    assert {split.part(pair) for pair in PAIRS} == {"train"}


def test_the_smallest_file_still_has_a_dev_sentence() -> None:
    pairs = [Pair("one", "eins", 1), Pair("two", "zwei", 2), Pair("three", "drei", 3)]
    split = plan_split(pairs)
    assert Counter(map(split.part, pairs)) == {"train": 2, "dev": 1}


def test_the_order_of_the_pairs_does_not_matter_and_the_seed_does() -> None:
    shuffled = random.Random(0).sample(PAIRS, len(PAIRS))
    assert plan_split(PAIRS, dev=97, seed=5) == plan_split(shuffled, dev=97, seed=5)
    one, other = (parts(plan_split(PAIRS, dev=97, seed=seed), PAIRS)["dev"] for seed in (5, 6))
    assert len(set(one) & set(other)) < 20


def test_vowel_signs_tell_hindi_sentences_apart() -> None:
    pairs = [Pair(source, source, 1) for source in ("की", "कि", "का", "के", "को")]
    split = plan_split(pairs, dev=2)
    assert sum(split.part(pair) == "dev" for pair in pairs) == 2


@pytest.mark.parametrize(("dev", "test"), [(4000, 0), (0.5, 0.5), (3602, 0)])
def test_taking_everything_is_refused(dev: float, test: float) -> None:
    with pytest.raises(RegardError, match="leave none to train on"):
        plan_split(PAIRS, dev=dev, test=test)


@pytest.mark.parametrize("size", [-1, 1.5, -0.1])
def test_an_impossible_size_is_refused(size: float) -> None:
    with pytest.raises(RegardError, match=f"test must be a number of pairs .* got {size}"):
        plan_split(PAIRS, test=size)


def test_no_pairs_cannot_be_split() -> None:
    with pytest.raises(RegardError, match="all 0 examples"):
        plan_split([])


def test_folds_take_every_text_once_and_each_label_in_turn() -> None:
    examples = [(f"Sentence {i}.", "ab"[i % 5 == 0]) for i in range(33)]
    examples += [("sentence  1", "a"), ("SENTENCE 1!", "a")]  # one text with the second
    folds = plan_folds(examples, 4, seed=3)
    numbers = [folds.number(text) for text, _ in examples]
    assert numbers[1] == numbers[33] == numbers[34]
    assert [numbers.count(fold) for fold in (1, 2, 3, 4)] == [*folds.sizes]
    assert sum(folds.sizes) == 35
    assert max(folds.sizes) - min(folds.sizes) <= 1
    rare = [number for number, (_, label) in zip(numbers, examples, strict=True) if label == "b"]
    assert sorted(Counter(rare).values()) == [1, 2, 2, 2]
    random.Random(1).shuffle(examples)
    again = plan_folds(examples, 4, seed=3)
    assert again == folds


def test_more_folds_than_texts_are_refused() -> None:
    with pytest.raises(RegardError, match=r"folds must be at most 2, .*; got 3\. Give fewer"):
        plan_folds([("a", ""), ("A.", ""), ("b", "")], 3)
