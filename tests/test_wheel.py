"""The wheel, in an environment with its runtime dependencies alone: no index, no extras."""

import json
import sys
from importlib.metadata import Distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

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


@pytest.mark.long("starts a process")
@pytest.mark.parametrize("name", measured.COMMANDS)
def test_a_command_needs_no_extra(name: str, programs: Path, tmp_path: Path) -> None:
    outcome = measured.outcome(name, programs, tmp_path)
    assert outcome.passed, outcome.output
    assert "Traceback" not in outcome.output


def test_the_environment_has_no_package_of_an_extra(programs: Path) -> None:
    packages = {path.name for path in programs.parent.glob("lib/python*/site-packages/*")}
    assert "numpy" in packages
    assert not packages & {
        "torch",
        "sacrebleu",
        "matplotlib",
        "sklearn",
        "transformers",
        "gensim",
        "PIL",
        "pytest",
    }


def test_the_wheel_carries_its_sbom_and_the_licenses(programs: Path) -> None:
    (info,) = programs.parent.glob("lib/python*/site-packages/regard-*.dist-info")
    wheel = Distribution.at(info)
    for name in ("LICENSE", "NOTICE", "THIRD-PARTY.md"):
        assert (info / "licenses" / name).read_text("utf-8") == (ROOT / name).read_text("utf-8")
        assert name in (wheel.metadata.get_all("License-File") or [])
    sbom = json.loads((info / "sboms" / "regard.cdx.json").read_text("utf-8"))
    assert sbom["bomFormat"] == "CycloneDX"
    assert sbom["metadata"]["component"]["version"] == wheel.version
    kinds = {each["bom-ref"]: each for each in sbom["components"]}
    assert kinds["npm:preact"]["purl"].startswith("pkg:npm/preact@")
    assert kinds["model:en-hi"]["licenses"] == [{"license": {"name": "CC BY-NC-SA 4.0"}}]
    required = [Requirement(line) for line in wheel.requires or [] if "extra ==" not in line]
    assert {f"pypi:{each.name}" for each in required} <= set(kinds)


@pytest.mark.long("builds a wheel")
def test_a_wheel_of_a_platform_carries_its_library_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REGARD_PLATFORM", "linux-arm64")
    wheel = measured.build(tmp_path)
    assert wheel.name.endswith("-py3-none-manylinux_2_17_aarch64.whl")
    with ZipFile(wheel) as files:
        libraries = {Path(name).name for name in files.namelist() if "/native/libraries/" in name}
    assert libraries == {"linux-arm64.so", "wasm32.wasm", "wasm32-relaxed.wasm", "sources.sha256"}
