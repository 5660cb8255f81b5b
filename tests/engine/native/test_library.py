"""The native library's door: its structs, its version, and callers that get sizes wrong."""

import ctypes
import importlib.util
import platform
import runpy
from pathlib import Path

import pytest

from regard import UnavailableError, UnsupportedError
from regard.engine.native import interface, library
from regard.engine.native.loading import open_native
from regard.models import RecurrentConfig, RecurrentEncoderDecoder

ROOT = Path(__file__).parents[3]


TOOL = runpy.run_path(str(ROOT / "tools" / "interface.py"))


@pytest.mark.parametrize(
    "name", ["tensor", "config", "generation", "hypotheses", "room", "job", "event"]
)
def test_the_fields_of_structs_are_where_the_c_of_this_machine_has_them(name: str) -> None:
    """As ctypes says it; of the page, pointers are shorter."""
    declared = TOOL["Interface"](TOOL["HEADER"].read_text("utf-8"))
    struct = getattr(interface, name.title())
    places = [getattr(struct, field).offset for field, _ in struct._fields_]
    size = ctypes.sizeof(struct)
    pointer = ctypes.sizeof(ctypes.c_void_p)
    assert declared.layout(name, pointer) == (size, ctypes.alignment(struct), places)


def test_the_libraries_are_built_from_the_sources_that_are_here() -> None:
    """A library that is older than its sources computes something else than they say."""
    spec = importlib.util.spec_from_file_location("build_engine", ROOT / "tools/build_engine.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    files = {file.name for file in library.FOLDER.iterdir()} - {tool.FINGERPRINTS}
    assert files <= {tool.file_of(target) for target in tool.TARGETS}
    built, sources = tool.fingerprints(), tool.fingerprint()
    assert built == dict.fromkeys(files, sources), "run `make engine`"
    for name in files:
        assert (library.FOLDER / name).stat().st_size <= 0.6 * 2**20


def test_a_machine_without_a_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "vax")
    library.library.cache_clear()
    with pytest.raises(UnavailableError, match=r"no library that fits this machine, \w+-vax"):
        library.library()
    library.library.cache_clear()


def test_a_library_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "INTERFACE", 0)
    library.library.cache_clear()
    with pytest.raises(UnavailableError, match=r"must have the interface 0, and has \d+; run"):
        library.library()
    library.library.cache_clear()


def test_a_library_for_another_processor_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in library.FOLDER.glob("*.so"):
        (tmp_path / file.name).write_bytes(b"\x7fELF")
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    library.library.cache_clear()
    with pytest.raises(UnavailableError, match="no library that fits this machine"):
        library.library()
    library.library.cache_clear()


def test_a_model_that_the_engine_lacks_is_refused_by_its_class() -> None:
    model = RecurrentEncoderDecoder(RecurrentConfig(9, d_model=4, hidden_size=6))
    with pytest.raises(UnsupportedError, match="RecurrentEncoderDecoder cannot run"):
        open_native(model)
