"""The libraries for other machines give the tokens of this one's, and its integers' bits."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from fixtures import families, portable
from regard.engine.native import library
from regard.generation import GenerationConfig
from regard.models import EncoderDecoder

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
Driver = Callable[[Path, int], list[str]]  # a file and a place among the kernels → what is printed
CONFIG = GenerationConfig(
    max_new_tokens=12, num_beams=3, alternatives=3, eos_token_id=1, decoder_start_token_id=0
)

REFUSAL = "kind must be from 0 to 2; got -1"


def with_zig(program: str, *arguments: str) -> None:
    """Call a part of the package ziglang, where it or `make engine` has been installed."""
    folders = [str(ROOT / "build" / "zig"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    command = [sys.executable, "-m", "ziglang"]
    if subprocess.run([*command, "version"], env=environment, capture_output=True).returncode:
        pytest.skip("no ziglang here, the compiler for other machines: `make engine` installs it")
    subprocess.run([*command, program, *arguments], env=environment, check=True)


def printed(*command: object) -> list[str]:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def arm64(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    """The library for arm64, on an emulated processor."""
    emulator, system = shutil.which("qemu-aarch64"), Path("/usr/aarch64-linux-gnu")
    if emulator is None or not system.exists():
        pytest.skip("no emulated arm64 here: apt-get install qemu-user libc6-arm64-cross")
    driver = tmp_path_factory.mktemp("arm64") / "driver"
    source, include = HERE / "driver.c", f"-I{ROOT / 'engine'}"
    with_zig("cc", "-target", "aarch64-linux-gnu.2.17", include, str(source), "-o", str(driver))
    emulated = (emulator, "-L", system, driver, library.FOLDER / "linux-arm64.so")
    return lambda file, kernels: printed(*emulated, file, kernels)


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    """The library for Windows, under Wine."""
    wine = shutil.which("wine64", path=f"{os.environ['PATH']}{os.pathsep}/usr/lib/wine")
    if wine is None:
        pytest.skip("no Wine here: apt-get install wine64")
    folder = tmp_path_factory.mktemp("windows")
    driver = folder / "driver.exe"
    source, include = HERE / "driver.c", f"-I{ROOT / 'engine'}"
    with_zig("cc", "-target", "x86_64-windows-gnu", include, str(source), "-o", str(driver))
    environment = {"WINEPREFIX": str(folder / "wine"), "WINEDEBUG": "-all"}
    command = ["env", *(f"{name}={value}" for name, value in environment.items()), wine]
    subprocess.run([*command, "wineboot"], check=True, capture_output=True)
    emulated = (*command, driver, library.FOLDER / "windows-x86_64.so")
    return lambda file, kernels: printed(*emulated, file, kernels)


@pytest.fixture(scope="module")
def x86_64(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Path], list[str]]:
    """This machine's library on an emulated processor of a name."""
    emulator, compiler = shutil.which("qemu-x86_64"), shutil.which("cc")
    if emulator is None or compiler is None or platform.machine() != "x86_64":
        pytest.skip("no emulated x86-64 or no compiler here: apt-get install qemu-user gcc")
    driver = tmp_path_factory.mktemp("x86_64") / "driver"
    source, include = HERE / "driver.c", f"-I{ROOT / 'engine'}"
    subprocess.run([compiler, include, source, "-o", driver, "-ldl"], check=True)
    emulated = (driver, library.FOLDER / "linux-x86_64.so")
    return lambda processor, file: printed(emulator, "-cpu", processor, *emulated, file, 0)


@pytest.fixture(scope="module")
def wasm() -> Callable[..., list[str]]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node here, which runs WebAssembly")
    driver = HERE / "driver.mjs"
    return lambda file, _, build="wasm32": printed(
        node, driver, library.FOLDER / f"{build}.wasm", file
    )


def small() -> tuple[EncoderDecoder, np.ndarray]:
    return families.small("paper", activation="gelu"), np.random.default_rng(5).integers(
        2, 31, (7, 11)
    )


@pytest.mark.parametrize("precision", library.PRECISIONS)
def test_arm64_has_the_bits_of_fused_kernels(precision: str, arm64: Driver, tmp_path: Path) -> None:
    model, source = small()
    portable.write(tmp_path / "model", model, precision, source, CONFIG)
    fused = library.kernels()[0] != "plain"
    expected = portable.found_here(model, precision, 0, source, CONFIG)
    for kernels in (0, 1):
        names, refusal, states, *got = arm64(tmp_path / "model", kernels)
        assert (names.split(), refusal) == (["neon_dot", "plain"], REFUSAL)
        assert portable.tokens(got) == portable.tokens(expected)
        if fused:
            assert got == expected
            assert states == portable.states_here(model, precision, 0, source)


@pytest.mark.slow
@pytest.mark.parametrize("precision", library.PRECISIONS)
def test_windows_has_the_bits_of_every_kernels(
    precision: str, windows: Driver, tmp_path: Path
) -> None:
    model, source = small()
    portable.write(tmp_path / "model", model, precision, source, CONFIG)
    for place in range(len(library.kernels())):
        names, refusal, states, *got = windows(tmp_path / "model", place)
        assert (tuple(names.split()), refusal) == (tuple(library.kernels()), REFUSAL)
        assert got == portable.found_here(model, precision, place, source, CONFIG)
        assert states == portable.states_here(model, precision, place, source)


@pytest.mark.parametrize("precision", library.PRECISIONS)
@pytest.mark.parametrize(
    ("processor", "kernels"), [("Nehalem", ["plain"]), ("max", ["avx2", "plain"])]
)
def test_an_older_processor_opens_it_and_has_the_bits_of_its_kernels(
    processor: str, kernels: list[str], precision: str, x86_64: Any, tmp_path: Path
) -> None:
    if kernels[0] not in library.kernels():
        pytest.skip(f"this processor has no {kernels[0]} to compare with")
    model, source = small()
    portable.write(tmp_path / "model", model, precision, source, CONFIG)
    names, refusal, states, *got = x86_64(processor, tmp_path / "model")
    assert (names.split(), refusal) == (kernels, REFUSAL)
    place = library.kernels().index(kernels[0])
    assert got == portable.found_here(model, precision, place, source, CONFIG)
    assert states == portable.states_here(model, precision, place, source)


@pytest.mark.parametrize("precision", library.PRECISIONS)
def test_wasm_has_the_bits_of_plain_kernels(precision: str, wasm: Driver, tmp_path: Path) -> None:
    model, source = small()
    portable.write(tmp_path / "model", model, precision, source, CONFIG)
    plain = library.kernels().index("plain")
    names, *got = wasm(tmp_path / "model", 0)
    assert names.split() == ["plain"]
    expected = portable.found_here(model, precision, plain, source, CONFIG)
    assert got == expected


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_wasm_translates_fifty_sentences_as_this_machine_does(
    precision: str, wasm: Callable[..., list[str]], tmp_path: Path
) -> None:
    lines = (ROOT / "benchmarks" / "idioms.tsv").read_text("utf-8").splitlines()
    tokenizer = Tokenizer.from_file(str(ROOT / "src/regard/shipped/en-de/tokenizer.json"))
    ids = [each.ids for each in tokenizer.encode_batch([line.split("\t")[0] for line in lines])]
    source = np.zeros((50, max(map(len, ids))), np.int32)
    for row, some in zip(source, ids, strict=True):
        row[: len(some)] = some
    config = GenerationConfig(
        max_new_tokens=60, num_beams=1, eos_token_id=1, decoder_start_token_id=0
    )
    portable.write(tmp_path / "model", "en-de", precision, source, config)
    builds = ("wasm32", "wasm32-relaxed")
    (_, *got), (_, *relaxed) = (wasm(tmp_path / "model", 0, build) for build in builds)
    plain, best = library.kernels().index("plain"), 0
    assert got == portable.found_here("en-de", precision, plain, source, config)
    assert (got == relaxed) == (precision == "int8")  # whose products are exact
    fused = portable.tokens(portable.found_here("en-de", precision, best, source, config))
    least = 50 if precision == "fp32" else 44  # a last bit can round to another integer
    for each in (got, relaxed):
        assert sum(x == y for x, y in zip(portable.tokens(each), fused, strict=True)) >= least
