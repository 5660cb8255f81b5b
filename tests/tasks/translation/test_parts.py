"""No sentence of dev or test is trained on, and every pair is counted."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.tasks.translation.data import TrainingPairs, divided, pairs_of
from regard.tasks.translation.read import pair_files
from regard.tasks.translation.train_options import TrainingOptions
from regard.training.examples import Example, read_examples

Pairs = list[tuple[str, str]]


@pytest.fixture
def pairs(made_up: Callable[[int], Pairs]) -> Pairs:
    return made_up(150)


def parts_of(
    files: Any, folder: Path, *, said: list[str] | None = None, **options: Any
) -> tuple[TrainingPairs, list[Example], list[Example]]:
    """The pairs to train on, those of dev and those of test."""
    say = (lambda text: None) if said is None else said.append
    train = divided(pair_files(files), TrainingOptions(**options), folder, say)
    dev, test = (list(read_examples(folder / f"{name}.jsonl")) for name in ("dev", "test"))
    return train, dev, test


def test_every_pair_is_in_one_part_and_all_are_counted(
    write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    # Another case of a dev sentence counts as that sentence.
    lines = [*pairs, *((s.upper(), f"{t} so") for s, t in pairs[:11])]
    parts, *held_out = parts_of(str(write(tmp_path / "pairs.tsv", lines)), tmp_path)
    train, (dev, test) = list(parts.texts()), map(pairs_of, held_out)
    assert parts.summary == f"{len(train)} pairs to train on, {len(dev)} dev, {len(test)} test"
    every = [{(s.casefold(), t) for s, t in part} for part in (train, dev, test)]
    assert len(train) + len(dev) + len(test) == 161
    assert set.union(*every) == {(s.casefold(), t) for s, t in lines}
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
    parts, *both = parts_of(str(write(tmp_path / "pairs.tsv", pairs)), tmp_path, **{role: file})
    theirs, others = both if role == "dev" else reversed(both)
    held = {source for source, _ in given}
    assert pairs_of(theirs) == given
    assert not {source for source, _ in parts.texts()} & held
    assert not {each.text for each in others} & held
    assert f"{len(given)} left out because dev or test has them too" in parts.summary
    assert (len(others) == 0) == (role == "dev")  # test alone is not split off beside a dev set


def test_dev_pairs_know_their_language(write: Any, pairs: Pairs, tmp_path: Path) -> None:
    files = [
        f"{name}={write(tmp_path / f'{name}.tsv', part)}"
        for name, part in (("de", pairs[:100]), ("hi", pairs[100:]))
    ]
    parts, dev, _ = parts_of(files, tmp_path)
    for language, own in (("de", pairs[:100]), ("hi", pairs[100:])):
        found = pairs_of(dev, language)
        assert found
        assert set(found) <= set(own)
    sizes = Counter(map(parts.file, parts))
    assert sizes[0] > sizes[1] > 30


@pytest.mark.parametrize(
    ("lines", "dev", "message"),
    [
        ([("a red dog.", "ein Hund.")], None, "take all 1 examples and leave none to train on"),
        ([("a dog.", "Hund.")], [("a dog.", "Hund.")], "dev examples; got 0 and 1. Give more data"),
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


def test_pairs_of_several_files_follow_each_other_and_know_their_file(
    write: Any, tmp_path: Path
) -> None:
    one = [("a dog", "ein Hund"), ("", "leer"), ("a cat", "eine Katze"), ("a dog", "ein Hund")]
    two = [("a  bird", "ein Vogel")]
    files = [str(write(tmp_path / f"{k}.tsv", rows)) for k, rows in enumerate((one, two))]
    said: list[str] = []
    dev = str(write(tmp_path / "dev.tsv", [("dev", "dev")]))
    parts, *_ = parts_of(files, tmp_path, dev=dev, said=said)
    expected = [("a dog", "ein Hund", 1), ("a cat", "eine Katze", 2), ("a bird", "ein Vogel", 3)]
    assert [(each.text, *each.targets, each.line) for each in parts] == expected
    assert [parts.file(each) for each in parts] == [0, 0, 1]
    assert any(line.startswith(f"{tmp_path / '0.tsv'}: 4 read, 2 kept; ") for line in said)
    assert any(line.endswith("1 read, 1 kept; none left out") for line in said)


def test_undecodable_lines_are_counted(write: Any, tmp_path: Path) -> None:
    file = write(tmp_path / "pairs.tsv", [("a dog", "ein fröhlicher Hund")])
    with open(file, "ab") as more:
        more.write("für\tfür\n".encode("latin-1"))
    said: list[str] = []
    dev = str(write(tmp_path / "dev.tsv", [("dev", "dev")]))
    parts, *_ = parts_of(str(file), tmp_path, dev=dev, said=said)
    assert len(list(parts)) == 1
    assert "1 bad encoding (first at line 2)" in "\n".join(said)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a red dog.\n", "line 1: expected a sentence, a tab and its translation"),
        ("\tein Hund\na dog\t\n", "no sentence pair is left after cleaning"),
    ],
)
def test_files_without_pairs_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(text)
    with pytest.raises(RegardError, match=message):
        parts_of(str(tmp_path / "pairs.tsv"), tmp_path)
    assert not list(tmp_path.glob("*.jsonl"))
