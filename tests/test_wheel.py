"""The wheel, in an environment with its runtime dependencies alone: no index, no extras."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("hatchling")

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
try:
    import wheel as measured
finally:
    sys.path.pop(0)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    return measured.install(measured.build(folder), folder / "environment")


@pytest.mark.parametrize("name", measured.COMMANDS)
def test_a_command_needs_no_extra(name: str, programs: Path, tmp_path: Path) -> None:
    outcome = measured.outcome(name, programs, tmp_path)
    assert outcome.passed, outcome.output
    assert "Traceback" not in outcome.output


def test_the_environment_has_no_package_of_an_extra(programs: Path) -> None:
    packages = {path.name for path in programs.parent.glob("lib/python*/site-packages/*")}
    assert "torch" in packages
    assert not packages & {"matplotlib", "sklearn", "transformers", "gensim", "PIL", "pytest"}
