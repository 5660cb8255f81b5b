"""Every family against transformers: numbers, gradients, tokens, files both ways.

The models, and what is measured of them, are those of benchmarks/parity.py, which prints it.
"""

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")

from fixtures.covering import parametrize

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    import parity
finally:
    sys.path.pop(0)

CASES = {case.name: case for case in parity.CASES}
FAMILIES: dict[str, list[str]] = {}  # its cases: "DeBERTa, words" is one of DeBERTa
for _name in CASES:
    FAMILIES.setdefault(_name.split(",")[0], []).append(_name)
WRITERS = [name for name, case in CASES.items() if case.writes]
every_family = pytest.mark.parametrize("names", FAMILIES.values(), ids=FAMILIES)


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A model of transformers and what is opened here from its files, by the family's name."""
    made: dict[str, parity.Twins] = {}

    def build(name: str) -> parity.Twins:
        if name not in made:
            made[name] = parity.build(CASES[name], tmp_path_factory.mktemp("theirs"))
        return made[name]

    return build


@every_family
def test_output_every_hidden_state_and_every_gradient_are_equal(
    names: list[str], twins: Any
) -> None:
    for name in names:
        output, hidden, gradient = parity.differences(twins(name))
        assert output <= 1e-5, name
        assert hidden <= 2e-5, name  # 1.05e-5 of Phi-3 on one processor
        assert gradient <= 1e-4, name


@pytest.mark.parametrize("name", ["DeBERTa, words", "Mixtral", "Qwen3-MoE, biased", "gpt-oss"])
def test_in_float64_gradients_are_equal_so_what_is_left_is_rounding(name: str, twins: Any) -> None:
    apart, ours, theirs = parity.exact_gradients(twins(name))
    assert apart <= 1e-12
    assert 0 < ours < 4 * theirs


@parametrize("name, num_beams", WRITERS, [1, 4], strength=1)
def test_tokens_are_equal_with_padding_on_either_side(
    name: str, num_beams: int, twins: Any
) -> None:
    assert parity.same_tokens(twins(name), num_beams) == parity.PROMPTS


@every_family
def test_what_is_saved_here_opens_there(names: list[str], twins: Any, tmp_path: Path) -> None:
    for number, name in enumerate(names):
        assert parity.reopened(twins(name), tmp_path / str(number)) <= 1e-5, name


def test_every_family_that_transformers_has_too_is_among_them() -> None:
    from regard.checkpoints.families import TYPES

    architectures = " ".join(case.architecture for case in parity.CASES).lower()
    ours_alone = {"regard", "regard-recurrent"}
    names = {
        name: name.removesuffix("_text").replace("-", "").replace("_", "")
        for name in TYPES
        if name not in ours_alone
    }
    assert not [name for name, spelled in names.items() if spelled not in architectures]
