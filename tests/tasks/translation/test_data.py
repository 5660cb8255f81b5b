"""The user's files become training data once; nothing of dev and test is trained on."""

import collections
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.tasks.translation.data import TranslationData, pairs_of
from regard.tasks.translation.train import TranslationRecipe
from regard.tasks.translation.train_options import TrainingOptions

Pairs = list[tuple[str, str]]
OPTIONS = TrainingOptions(vocab_size=400, max_length=60)


@pytest.fixture
def prepared(tmp_path: Path) -> Callable[..., tuple[TranslationData, list[str]]]:
    """Prepares pairs in the run's folder; gives the data and what was said."""

    def make(
        pairs: Path | tuple[str, str], options: TrainingOptions = OPTIONS, **changes: Any
    ) -> tuple[TranslationData, list[str]]:
        said: list[str] = []
        options = dataclasses.replace(options, **changes)
        files = pairs if isinstance(pairs, tuple) else str(pairs)
        recipe = TranslationRecipe(files, options, say=said.append, command="")
        recipe.check_files()
        return recipe.prepare(tmp_path / "run" / "data"), said

    return make


def decoded(data: TranslationData) -> Pairs:
    """The pairs that are trained on, read back from their tokens."""
    source, target = data.tokenizers.source, data.tokenizers.target
    stored = (data.train[number] for number in range(len(data.train)))
    return [(source.decode(ours), target.decode(theirs)) for ours, theirs in stored]


@pytest.fixture
def pairs(made_up: Callable[[int], Pairs]) -> Pairs:
    return made_up(150)


def test_two_parallel_files_are_the_same_data(
    prepared: Any, write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    for name, lines in zip(("a.en", "a.de"), zip(*pairs, strict=True), strict=True):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    data, _ = prepared((str(tmp_path / "a.en"), str(tmp_path / "a.de")), separate_vocabularies=True)
    assert data.origin == "a.en, a.de"
    assert not data.tokenizers.joint
    assert set(decoded(data)) < set(pairs)


def test_a_resumed_run_finds_its_data(
    prepared: Any, write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    file = write(tmp_path / "pairs.tsv", pairs)
    first, _ = prepared(file)
    moved = file.rename(tmp_path / "elsewhere.tsv")  # what is in it counts
    second, said = prepared(moved)
    assert len(said) == 1
    assert said[0].startswith("found prepared data in ")
    assert decoded(second) == decoded(first)
    assert (second.dev, second.test, second.sha256) == (first.dev, first.test, first.sha256)


def test_an_interrupted_preparation_is_made_anew(
    prepared: Any, write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    file = write(tmp_path / "pairs.tsv", pairs)
    first = decoded(prepared(file)[0])
    folder = tmp_path / "run" / "data"
    for name in ("prepared.json", "train.tokens", "dev.jsonl"):  # the first is written last
        (folder / name).unlink()
    (folder / "train.tokens").write_bytes(b"half")
    assert decoded(prepared(file)[0]) == first


@pytest.mark.parametrize(
    "change",
    [
        {"vocab_size": 408},
        {"seed": 2},
        {"max_length": 50},
        {"separate_vocabularies": True},
        {"joined": 0.5},
        {"fold_quotes": True},
    ],
)
def test_other_options_on_prepared_data_are_refused(
    change: dict[str, Any], prepared: Any, write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    file = write(tmp_path / "pairs.tsv", pairs)
    prepared(file)
    with pytest.raises(RegardError, match="holds a run on other data"):
        prepared(file, **change)


def test_other_data_is_refused(prepared: Any, write: Any, pairs: Pairs, tmp_path: Path) -> None:
    prepared(write(tmp_path / "pairs.tsv", pairs))
    with pytest.raises(RegardError, match=r"other data.* or another `output` to start a new run"):
        prepared(write(tmp_path / "pairs.tsv", pairs[1:]))


@pytest.mark.parametrize("name", ["train.tokens", "dev.jsonl", "test.jsonl", "tokenizer.json"])
def test_prepared_data_that_has_changed_is_refused(
    name: str, prepared: Any, write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    source = write(tmp_path / "pairs.tsv", pairs)
    prepared(source)
    file = tmp_path / "run" / "data" / name
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(RegardError, match=rf"{name} has changed since it was prepared, so the run"):
        prepared(source)
    file.unlink()
    with pytest.raises(RegardError, match=rf"{name} is missing, so the run would not be the same"):
        prepared(source)
    file.with_name("prepared.json").unlink()  # as the message says
    prepared(source)
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "[]",
        "{}",
        '{"made_from": {',
        '{"files": 3}',
        '{"made_from": 1, "summary": 1, "values": {}, "files": 3}',
    ],
)
def test_a_damaged_record_is_a_sentence(
    damage: str, prepared: Any, write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    source = write(tmp_path / "pairs.tsv", pairs)
    prepared(source)
    (tmp_path / "run" / "data" / "prepared.json").write_text(damage)
    with pytest.raises(RegardError, match=r"prepared\.json is damaged\. Delete it to prepare"):
        prepared(source)


def test_dev_pairs_that_no_loss_can_be_computed_of_are_left_out_and_counted(
    prepared: Any, write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    long = ("the " * 90 + "house.", "das " * 90 + "haus.")
    dev = write(tmp_path / "dev.tsv", [*pairs[:3], long])
    file = write(tmp_path / "pairs.tsv", [*pairs, long])
    data, said = prepared(file, dev=str(dev))
    assert pairs_of(data.dev) == pairs[:3]
    assert "dev: 1 pairs over 60 left out" in said


def test_a_missing_file_is_named(prepared: Any, tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"expected a file at .*none\.tsv"):
        prepared(tmp_path / "none.tsv")


def test_the_record_says_what_it_was_made_from(
    prepared: Any, write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    data, _ = prepared(write(tmp_path / "pairs.tsv", pairs))
    record = json.loads((tmp_path / "run" / "data" / "prepared.json").read_text())
    assert record["made_from"]["sha256"] == [data.sha256]
    assert "pairs to train on" in record["summary"]


def test_texts_of_several_languages_name_theirs(
    write: Any, made_up: Callable[[int], Pairs], tmp_path: Path
) -> None:
    files = [f"{name}={write(tmp_path / f'{name}.tsv', made_up(40))}" for name in ("de", "hi")]
    held = write(tmp_path / "dev.tsv", [("dev", "dev")])
    options = dataclasses.replace(OPTIONS, dev=f"de={held},hi={held}", vocab_size=416)
    recipe = TranslationRecipe(files, options, say=lambda sentence: None, command="")
    data = recipe.prepare(tmp_path / "data")
    counts = collections.Counter(source.split()[0] for source, _ in decoded(data))
    assert counts == {"<2de>": 40, "<2hi>": 40}
    assert all(pairs_of(data.dev, name) == [("dev", "dev")] for name in ("de", "hi"))


def test_nothing_is_recorded_of_data_that_is_refused(prepared: Any, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("a red dog.\n")
    with pytest.raises(RegardError, match="expected a sentence, a tab and its translation"):
        prepared(tmp_path / "pairs.tsv")
    assert not (tmp_path / "run" / "data" / "prepared.json").exists()
