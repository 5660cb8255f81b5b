"""No sentence of dev or test is trained on, and every pair is counted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.translation.cleaned import CleanedPairs
from regard.translation.data import pairs_of
from regard.translation.files import pair_files
from regard.translation.options import TrainingOptions
from regard.translation.parts import Parts, divided

Pairs = list[tuple[str, str]]


@pytest.fixture
def pairs(made_up: Callable[[int], Pairs]) -> Pairs:
    return made_up(150)


def parts_of(files: Any, folder: Path, **options: Any) -> Parts:
    cleaned = CleanedPairs.write(folder / "cleaned.tsv", pair_files(files), say=lambda text: None)
    return divided(cleaned, TrainingOptions(**options))


def test_every_pair_is_in_one_part_and_all_are_counted(
    write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    # Another case of a dev sentence counts as that sentence.
    lines = [*pairs, *((s.upper(), t.upper()) for s, t in pairs[:11])]
    parts = parts_of(str(write(tmp_path / "pairs.tsv", lines)), tmp_path)
    train, dev, test = list(parts.texts()), pairs_of(parts.dev), pairs_of(parts.test)
    assert str(parts) == f"{len(train)} pairs to train on, {len(dev)} dev, {len(test)} test"
    assert (parts.sizes, parts.left_out) == ([len(train)], 0)
    every = [{(s.casefold(), t.casefold()) for s, t in part} for part in (train, dev, test)]
    assert len(train) + len(dev) + len(test) == 161
    assert set.union(*every) == set(pairs)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert not {s for s, _ in every[one]} & {s for s, _ in every[other]}
    for held in (1, 2):
        assert not {t for _, t in every[0]} & {t for _, t in every[held]}


@pytest.mark.parametrize("role", ["dev", "test"])
def test_no_sentence_of_a_given_set_is_in_another_part(
    role: str, write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    given = pairs[::2]
    file = str(write(tmp_path / "given.tsv", given))
    parts = parts_of(str(write(tmp_path / "pairs.tsv", pairs)), tmp_path, **{role: file})
    theirs, others = (parts.dev, parts.test) if role == "dev" else (parts.test, parts.dev)
    held = {source for source, _ in given}
    assert pairs_of(theirs) == given
    assert not {source for source, _ in parts.texts()} & held
    assert not {each.text for each in others} & held
    assert f"{len(given)} left out because they are also in dev or test" in str(parts)
    assert (len(others) == 0) == (role == "dev")  # test alone is not split off beside a dev set


def test_dev_pairs_know_their_language(write: Any, pairs: Pairs, tmp_path: Path) -> None:
    files = [
        f"{name}={write(tmp_path / f'{name}.tsv', part)}"
        for name, part in (("de", pairs[:100]), ("hi", pairs[100:]))
    ]
    parts = parts_of(files, tmp_path)
    for language, own in (("de", pairs[:100]), ("hi", pairs[100:])):
        found = pairs_of(parts.dev, language)
        assert found
        assert set(found) <= set(own)
    assert parts.sizes[0] > parts.sizes[1] > 40


@pytest.mark.parametrize(
    ("lines", "dev", "message"),
    [
        ([("a red dog.", "ein Hund.")], None, "take all 1 examples and leave none to train on"),
        ([("a dog.", "Hund.")], [("a dog.", "Hund.")], "got 0 and 1 after leaving out 1 that are"),
    ],
)
def test_too_few_pairs_are_refused(
    lines: Pairs, dev: Pairs | None, message: str, write: Any, tmp_path: Path
) -> None:
    options = {"dev": str(write(tmp_path / "dev.tsv", dev))} if dev else {}
    with pytest.raises(RegardError, match=message):
        parts_of(str(write(tmp_path / "pairs.tsv", lines)), tmp_path, **options)


def test_a_language_without_dev_pairs_is_refused(write: Any, pairs: Pairs, tmp_path: Path) -> None:
    files = [f"{name}={write(tmp_path / f'{name}.tsv', pairs)}" for name in ("de", "hi")]
    dev = f"de={write(tmp_path / 'dev.tsv', [('dev', 'dev')])}"
    with pytest.raises(RegardError, match="every target language needs dev pairs; hi got no pairs"):
        parts_of(files, tmp_path, dev=dev)
