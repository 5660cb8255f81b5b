"""Weights, temperature and names decide what an epoch reads."""

import collections
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.translation.data import divided, rates, versions
from regard.translation.files import pair_files
from regard.translation.options import TrainingOptions

Pairs = list[tuple[str, str]]


@pytest.fixture
def read(write: Any, tmp_path: Path) -> Callable[..., tuple[Pairs, list[str], list[float]]]:
    """What an epoch reads of files, what was said, and how often each file's pairs are read."""

    def make(
        files: dict[str, Pairs], *, languages: bool = False, **changes: Any
    ) -> tuple[Pairs, list[str], list[float]]:
        dev = str(write(tmp_path / "dev.tsv", [("dev", "dev")]))
        names = [f"{name}=" if languages else "" for name in files]
        options = TrainingOptions(dev=",".join(f"{n}{dev}" for n in names if n) or dev, **changes)
        paths = [write(tmp_path / f"{name}.tsv", pairs) for name, pairs in files.items()]
        found = pair_files(
            [f"{name}{path}" for name, path in zip(names, paths, strict=True)], options.weights
        )
        said: list[str] = []
        parts = divided(found, options, tmp_path, said.append)
        return list(epoch(parts, options, say=said.append)), said, rates(parts, options.temperature)

    return make


def test_a_weight_repeats_the_pairs_of_a_file(read: Any, made_up: Callable[[int], Pairs]) -> None:
    one, two = made_up(80), [(f"{s} so", f"{t} so") for s, t in made_up(80)]
    found, _, often = read({"one": one, "two": two}, weights="2.5,1")
    assert often == [2.5, 1.0]
    times = collections.Counter(found)
    assert {times[pair] for pair in two} == {1}
    assert {times[pair] for pair in one} == {2, 3}
    assert 80 * 2.2 < sum(times[pair] for pair in one) < 80 * 2.8


def test_names_are_put_into_pairs_that_have_one(read: Any, made_up: Callable[[int], Pairs]) -> None:
    pairs = [(f"Tom {s}", f"Tom {t}") if k % 2 else (s, t) for k, (s, t) in enumerate(made_up(80))]
    found, said, _ = read({"pairs": pairs}, names=2.0)
    assert said[-1] == "80 pairs again with other names"
    assert len(found) == 160
    assert {*pairs} < {*found}
    new = [pair for pair in found if pair not in pairs]
    assert all(source.split()[0] == target.split()[0] for source, target in new)
    assert len({source.split()[0] for source, _ in new}) > 30
    with pytest.raises(RegardError, match="names asks for pairs with the same capitalized word"):
        read({"plain": made_up(80)}, names=2.0)


@pytest.mark.parametrize(("temperature", "times"), [(1.0, 1.0), (2.0, 2.0), (1e9, 4.0)])
def test_a_temperature_reads_the_smaller_language_more_often(
    temperature: float, times: float, read: Any, made_up: Callable[[int], Pairs]
) -> None:
    german, hindi = made_up(160), [(s, f"{t} ja") for s, t in made_up(40)]
    found, _, often = read({"de": german, "hi": hindi}, languages=True, temperature=temperature)
    assert often == pytest.approx([1.0, times])
    counts = collections.Counter(source.split()[0] for source, _ in found)
    assert counts["<2de>"] == 160
    assert counts["<2hi>"] == pytest.approx(40 * times, abs=4)
