"""Weights, caps, temperature, names and paragraphs decide what an epoch reads."""

import collections
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.tasks.translation.data import divided, rates, versions
from regard.tasks.translation.read import pair_files
from regard.tasks.translation.train_options import TrainingOptions

Pairs = list[tuple[str, str]]


@pytest.fixture
def read(write: Any, tmp_path: Path) -> Callable[..., tuple[Pairs, list[str], list[float]]]:
    """What is stored of files, what was said, and how often an epoch reads each file's pairs."""

    def make(
        files: dict[str, Pairs],
        *,
        languages: bool = False,
        most: int | None = None,
        tag: str = "",
        **changes: Any,
    ) -> tuple[Pairs, list[str], list[float]]:
        dev = str(write(tmp_path / "dev.tsv", [("dev", "dev")]))
        names = [f"{name.split(':')[0]}=" if languages else "" for name in files]
        options = TrainingOptions(dev=",".join(f"{n}{dev}" for n in names if n) or dev, **changes)
        for name, pairs in files.items():
            write(tmp_path / f"{name.split(':')[0]}.tsv", pairs)
        paths = [f"{tmp_path}/{name.replace(':', '.tsv:')}" for name in files]
        paths = [path if ".tsv" in path else f"{path}.tsv" for path in paths]
        sources = pair_files([f"{name}{path}" for name, path in zip(names, paths, strict=True)])
        said: list[str] = []
        sources = [replace(file, most=most, tag=tag) for file in sources]
        parts = divided(sources, options, tmp_path, said.append)
        stored = [
            (source, target) for _, source, target in versions(parts, options, say=said.append)
        ]
        return stored, said, rates(parts, options)

    return make


def test_a_weight_is_how_often_an_epoch_reads_a_pair(
    read: Any, made_up: Callable[[int], Pairs]
) -> None:
    one, two = made_up(80), [(f"{s} so", f"{t} so") for s, t in made_up(80)]
    stored, _, often = read({"one:2.5": one, "two": two})
    assert often == [2.5, 1.0]
    assert stored == [*one, *two]


def test_a_cap_is_how_many_pairs_an_epoch_reads(read: Any, made_up: Callable[[int], Pairs]) -> None:
    files = {"one:2": made_up(80), "two": [(f"{s} so", f"{t} so") for s, t in made_up(20)]}
    assert read(files, most=40)[2] == [0.5, 1.0]


def test_paragraphs_are_of_pairs_of_one_file(read: Any, made_up: Callable[[int], Pairs]) -> None:
    one, two = made_up(80), [(f"{s} so", f"{t} so") for s, t in made_up(80)]
    stored, said, _ = read({"one": one, "two": two}, joined=0.5)
    paragraphs = [pair for pair in stored if pair not in [*one, *two]]
    assert said[-1] == f"{len(paragraphs)} paragraphs of joined pairs"
    assert 50 < len(paragraphs) < 110
    texts = {"one": dict(one), "two": dict(two)}

    def parts(text: str, known: Any, count: int = 3) -> bool:
        """Whether a text is two or three of the known ones with spaces between them."""
        return text in known or (
            count > 1
            and any(
                text.startswith(f"{one} ") and parts(text[len(one) + 1 :], known, count - 1)
                for one in known
            )
        )

    assert all(
        any(parts(s, t.keys()) and parts(a, t.values()) for t in texts.values())
        for s, a in paragraphs
    )


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
    stored, _, often = read({"de": german, "hi": hindi}, languages=True, temperature=temperature)
    assert often == pytest.approx([1.0, times])
    counts = collections.Counter(source.split()[0] for source, _ in stored)
    assert counts == {"<2de>": 160, "<2hi>": 40}
    assert read({"one": german, "two": hindi}, temperature=temperature)[2] == pytest.approx(often)


def test_pairs_are_read_as_they_may_be_typed(read: Any) -> None:
    pairs = [
        (f"It's Tom's number {k} again, isn't it?", f"Es ist Toms Nummer {k}.") for k in range(80)
    ]
    stored, said, _ = read({"pairs": pairs}, typed=0.5)
    retyped = [pair for pair in stored if pair not in pairs]
    assert said[-1] == f"{len(retyped)} pairs again as they may be typed"
    assert 25 < len(retyped) < 55
    assert {target.removesuffix(".") for _, target in retyped} <= {t[:-1] for _, t in pairs}
    assert any("'" not in source for source, _ in retyped)
    assert any(source.islower() for source, _ in retyped)
    assert read({"pairs": pairs}, typed=0.5)[0] == stored


def test_a_tag_is_before_each_source_of_its_file(
    read: Any, made_up: Callable[[int], Pairs], tmp_path: Path
) -> None:
    (tmp_path / "sources.toml").write_text('[[source]]\npairs = "written.tsv"\ntag = "⊞"\n')
    assert [file.tag for file in pair_files(str(tmp_path / "sources.toml"))] == ["⊞"]
    pairs = made_up(20)
    stored, _, _ = read({"pairs": pairs}, tag="⊞")
    assert stored == [(f"⊞ {source}", target) for source, target in pairs]
