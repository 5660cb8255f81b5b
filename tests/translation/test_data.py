"""The user's files become training data once; nothing of dev and test is trained on."""

import collections
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.translation.data import TranslationData, prepare
from regard.translation.options import TrainingOptions

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
        return prepare(files, options, tmp_path / "run" / "data", say=said.append), said

    return make


def decoded(data: TranslationData) -> Pairs:
    """The pairs that are trained on, read back from their tokens."""
    source, target = data.tokenizers.source, data.tokenizers.target
    stored = (data.store[number] for number in range(len(data.store)))
    return [(source.decode(ours), target.decode(theirs)) for ours, theirs in stored]


@pytest.fixture
def pairs(made_up: Callable[[int], Pairs]) -> Pairs:
    return made_up(150)


def test_every_pair_is_in_one_part_and_all_are_counted(
    prepared: Any, write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    # Duplicates go; another case of a dev sentence counts as that sentence.
    lines = [*pairs, *pairs[:7], *((s.upper(), t.upper()) for s, t in pairs[:11]), ("", "leer")]
    data, said = prepared(write(tmp_path / "pairs.tsv", lines))
    train = decoded(data)
    assert "169 read, 161 kept; 7 duplicate" in said[0]
    assert "1 empty side (first at line 169)" in said[0]
    left_out = 161 - len(train) - len(data.dev) - len(data.test)
    assert said[1].startswith(f"{len(train)} pairs to train on, {len(data.dev)} dev, ")
    assert f"{len(data.test)} test" in said[1]
    assert (f"{left_out} left out" in said[1]) == (left_out > 0)
    parts = [
        [(s.casefold(), t.casefold()) for s, t in part] for part in (train, data.dev, data.test)
    ]
    assert sum(map(len, parts)) + left_out == 161
    assert {pair for part in parts for pair in part} <= set(pairs)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert not {s for s, _ in parts[one]} & {s for s, _ in parts[other]}
    for held in (1, 2):
        assert not {t for _, t in parts[0]} & {t for _, t in parts[held]}


@pytest.mark.parametrize("role", ["dev", "test"])
def test_no_sentence_of_a_given_set_is_in_another_part(
    role: str, prepared: Any, write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    given = pairs[::2]
    file = write(tmp_path / "given.tsv", given)
    data, said = prepared(write(tmp_path / "pairs.tsv", pairs), **{role: str(file)})
    theirs, others = (data.dev, data.test) if role == "dev" else (data.test, data.dev)
    held = {source for source, _ in given}
    assert theirs == given
    assert not {source for source, _ in decoded(data)} & held
    assert not {source for source, _ in others} & held
    assert f"{len(given)} left out because they are also in dev or test" in said[1]
    assert (len(others) == 0) == (role == "dev")  # test alone is not split off beside a dev set


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
    for name in ("prepared.json", "train.tokens", "dev.tsv"):  # the first is written last
        (folder / name).unlink()
    (folder / "train.tokens").write_bytes(b"half")
    assert decoded(prepared(file)[0]) == first


@pytest.mark.parametrize(
    "change",
    [{"vocab_size": 408}, {"seed": 2}, {"max_length": 50}, {"separate_vocabularies": True}],
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


@pytest.mark.parametrize("name", ["train.tokens", "dev.tsv", "test.tsv", "tokenizer.json"])
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


def test_data_prepared_before_there_were_checksums_is_used(
    prepared: Any, write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    source = write(tmp_path / "pairs.tsv", pairs)
    prepared(source)
    record = tmp_path / "run" / "data" / "prepared.json"
    content = json.loads(record.read_text())
    del content["files"]
    record.write_text(json.dumps(content))
    assert prepared(source)[0].dev


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"made_from": {', '{"files": 3}'])
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
    assert data.dev == pairs[:3]
    assert "dev: 1 pairs over 60 left out" in said


@pytest.mark.parametrize(
    ("lines", "dev", "message"),
    [
        (["a red dog."] * 3, None, r"line 1: expected a sentence, a tab and its translation"),
        (["\tein Hund", "a dog\t"], None, "no sentence pair is left after cleaning"),
        (["a red dog.\tein Hund."] * 3, None, "take all 1 examples and leave none to train on"),
        (["a dog.\tein Hund."], ["a dog.\tein Hund."], "got 0 and 1 after leaving out 1 that are"),
    ],
)
def test_data_that_cannot_be_trained_on_is_refused(
    lines: list[str], dev: list[str] | None, message: str, prepared: Any, tmp_path: Path
) -> None:
    (tmp_path / "pairs.tsv").write_text("".join(f"{line}\n" for line in lines))
    options = {}
    if dev:
        (tmp_path / "dev.tsv").write_text("".join(f"{line}\n" for line in dev))
        options = {"dev": str(tmp_path / "dev.tsv")}
    with pytest.raises(RegardError, match=message):
        prepared(tmp_path / "pairs.tsv", **options)
    assert not (tmp_path / "run" / "data" / "prepared.json").exists()


def test_undecodable_lines_are_counted(
    prepared: Any, write: Any, pairs: Pairs, tmp_path: Path
) -> None:
    file = write(tmp_path / "pairs.tsv", pairs)
    with open(file, "ab") as more:
        more.write("für\tfür\n".encode("latin-1"))
    _, said = prepared(file)
    assert "1 bad encoding (first at line 151)" in said[0]


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


def test_a_weight_repeats_the_pairs_of_a_file(
    write: Any, made_up: Callable[[int], Pairs], tmp_path: Path
) -> None:
    one, two = made_up(80), [(f"{s} so", f"{t} so") for s, t in made_up(80)]
    files = [str(write(tmp_path / f"{k}.tsv", part)) for k, part in enumerate((one, two))]
    dev = str(write(tmp_path / "dev.tsv", [("dev", "dev")]))
    options = dataclasses.replace(OPTIONS, weights="2.5,1", dev=dev)
    said: list[str] = []
    data = prepare(files, options, tmp_path / "data", say=said.append)
    times = collections.Counter(decoded(data))
    assert {times[pair] for pair in two} == {1}
    assert {times[pair] for pair in one} == {2, 3}
    assert 80 * 2.2 < sum(times[pair] for pair in one) < 80 * 2.8
    assert [sentence.split(": ")[0] for sentence in said[:2]] == files
    with pytest.raises(RegardError, match="prepared in another way"):
        prepare(files, dataclasses.replace(options, weights="2,1"), tmp_path / "data", say=print)


def test_names_are_put_into_pairs_that_have_one(
    write: Any, made_up: Callable[[int], Pairs], tmp_path: Path
) -> None:
    pairs = [(f"Tom {s}", f"Tom {t}") if k % 2 else (s, t) for k, (s, t) in enumerate(made_up(80))]
    dev = str(write(tmp_path / "dev.tsv", [("dev", "dev")]))
    said: list[str] = []
    options = dataclasses.replace(OPTIONS, names=2.0, dev=dev)
    file = str(write(tmp_path / "pairs.tsv", pairs))
    found = decoded(prepare(file, options, tmp_path / "data", say=said.append))
    assert "80 pairs again with other names" in said
    assert len(found) == 160
    assert {*pairs} < {*found}
    new = [pair for pair in found if pair not in pairs]
    assert all(source.split()[0] == target.split()[0] for source, target in new)
    assert len({source.split()[0] for source, _ in new}) > 30
    plain = made_up(80)
    with pytest.raises(RegardError, match="names asks for pairs with the same capitalised word"):
        prepare(
            str(write(tmp_path / "plain.tsv", plain)), options, tmp_path / "plain", say=said.append
        )


@pytest.mark.parametrize(("temperature", "times"), [(1.0, 1.0), (2.0, 2.0), (1e9, 4.0)])
def test_a_temperature_reads_the_smaller_language_more_often(
    temperature: float, times: float, write: Any, made_up: Callable[[int], Pairs], tmp_path: Path
) -> None:
    german, hindi = made_up(160), [(s, f"{t} ja") for s, t in made_up(40)]
    files = [
        f"{name}={write(tmp_path / f'{name}.tsv', part)}"
        for name, part in (("de", german), ("hi", hindi))
    ]
    held = write(tmp_path / "dev.tsv", [("dev", "dev")])
    options = dataclasses.replace(
        OPTIONS, temperature=temperature, dev=f"de={held},hi={held}", vocab_size=416
    )
    data = prepare(files, options, tmp_path / "data", say=lambda sentence: None)
    counts = collections.Counter(source.split()[0] for source, _ in decoded(data))
    assert counts["<2de>"] == 160
    assert counts["<2hi>"] == pytest.approx(40 * times, abs=4)
    assert data.dev_of == {"de": [("dev", "dev")], "hi": [("dev", "dev")]}
