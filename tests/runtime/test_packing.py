"""A model is packed once, found again, and made again when what is found cannot be used."""

import json
import os
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from regard import NotFoundError, RegardError, UnavailableError, UnsupportedError
from regard.checkpoints import open_checkpoint, save_pretrained
from regard.errors import DamagedFileError
from regard.models import Encoder, EncoderConfig
from regard.runtime import building, packing
from regard.runtime.packed import MANIFEST, PackedReader, open_packed
from regard.runtime.packing import cache_folder, cache_size, folder_of, is_packed, pack
from regard.runtime.session import Session

IDS = np.array([[5, 9, 2, 30, 7], [8, 3, 14, 1, 0]])


def small(seed: int = 5) -> Encoder:
    torch.manual_seed(seed)
    config = EncoderConfig(31, d_model=32, num_layers=1, num_heads=2, d_ff=64, max_positions=11)
    return Encoder(config).eval()


def output(model: Encoder, precision: str = "fp32") -> np.ndarray:
    found = pack(model, precision)
    assert isinstance(found, PackedReader)
    return found(IDS)


def only(cache: Path) -> Path:
    (folder,) = cache.iterdir()
    return folder


def test_a_model_is_packed_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = output(small())
    folder = only(cache)
    names = {"body.onnx", "probe.onnx", "pack.json", "weights.bin"}
    assert {file.name for file in folder.iterdir()} == names
    monkeypatch.setattr(building, "graphs_of", None)  # is not called again
    assert (output(small()) == first).all()
    assert only(cache) == folder


def test_a_model_folder_is_found_by_its_files_alone(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_pretrained(small(), tmp_path / "model")
    checkpoint = open_checkpoint(tmp_path / "model")
    first = pack(tmp_path / "model")
    monkeypatch.setattr("regard.checkpoints.from_pretrained", None)  # is not called again
    assert is_packed(checkpoint, "fp32")
    again = pack(checkpoint)
    assert isinstance(first, PackedReader)
    assert isinstance(again, PackedReader)
    assert (again(IDS) == first(IDS)).all()
    content = bytearray((tmp_path / "model" / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (tmp_path / "model" / "model.safetensors").write_bytes(content)
    assert not is_packed(open_checkpoint(tmp_path / "model"), "fp32")


def test_what_older_versions_packed_of_the_same_model_is_removed(cache: Path) -> None:
    pack(small(), "int8")
    key, precision, version, form = only(cache).name.split("-")
    older = [f"{key}-{precision}-0.0.9-12", f"{key}-{precision}-{version}-{int(form) - 1}"]
    others = [
        f"{key}-{precision}-{version}.1-1",  # newer
        f"{key}-fp32-0.0.9-1",
        f"{key[::-1]}-{precision}-0.0.9-1",
    ]
    kept = only(cache)
    for name in (*older, *others):
        (cache / name).mkdir()
    (kept / "weights.bin").unlink()
    pack(small(), "int8")
    assert {each.name for each in cache.iterdir()} == {kept.name, *others}


def test_what_was_packed_of_folders_that_are_gone_is_removed(cache: Path, tmp_path: Path) -> None:
    for seed, name in enumerate(("gone", "kept")):
        save_pretrained(small(seed), tmp_path / name)
        pack(tmp_path / name)
    pack(small(2))  # in memory
    before = {folder.name for folder in cache.iterdir()}
    assert cache_size().models == len(before) == 3
    gone = folder_of(open_checkpoint(tmp_path / "gone").sha256, "fp32").name
    (tmp_path / "gone").rename(tmp_path / "elsewhere")
    pack(tmp_path / "kept")  # is found: nothing is packed, and nothing removed
    assert {folder.name for folder in cache.iterdir()} == before
    pack(tmp_path / "kept", "int8")
    int8 = folder_of(open_checkpoint(tmp_path / "kept").sha256, "int8").name
    assert {folder.name for folder in cache.iterdir()} == before - {gone} | {int8}
    pack(tmp_path / "elsewhere")  # is packed again


def test_the_size_of_the_cache_is_that_of_its_files(cache: Path) -> None:
    assert str(cache_size()) == f"0 packed models, 0.0 MB, in {cache}"
    pack(small())
    size = sum(file.stat().st_size for file in only(cache).iterdir())
    assert cache_size().bytes == size
    assert str(cache_size()) == f"1 packed model, {size / 1e6:.1f} MB, in {cache}"


def test_two_that_pack_at_once_pack_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built, graphs_of = [], building.graphs_of

    def counted(*arguments: Any) -> Any:
        built.append(arguments)
        return graphs_of(*arguments)

    monkeypatch.setattr(building, "graphs_of", counted)
    model = small()
    both = [Thread(target=pack, args=(model,)) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert len(built) == 1
    assert (output(model) == output(model)).all()


def test_what_a_killed_process_left_is_removed(cache: Path) -> None:
    output(small())
    folder = only(cache)
    (cache / f".{folder.name}.12345.part").mkdir()
    (folder / MANIFEST).write_text("{")  # half written
    output(small())
    assert only(cache) == folder


def test_packing_that_takes_long_is_announced(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said, waiting, graphs_of = [], Event(), building.graphs_of

    def slow(*arguments: Any) -> Any:
        assert waiting.wait(20)
        return graphs_of(*arguments)

    def say(sentence: str) -> None:
        said.append(sentence)
        waiting.set()

    monkeypatch.setattr(building, "graphs_of", slow)
    monkeypatch.setattr(packing, "LONG", 0.0)
    pack(small(), say=say)
    assert said == ["packing the model for ONNX Runtime in fp32; this is done once."]
    pack(small(), say=say)  # found
    assert len(said) == 1


def test_other_weights_and_precisions_are_packed_beside_it(cache: Path) -> None:
    first, other, coarse = output(small()), output(small(seed=6)), output(small(), "int8")
    assert np.abs(first - other).max() > 0.1
    assert 0 < np.abs(first - coarse).max() < 0.1
    assert len(list(cache.iterdir())) == 3


@pytest.mark.parametrize("name", ["weights.bin", "body.onnx"])
def test_a_damaged_file_is_made_again(name: str, cache: Path) -> None:
    first = output(small())
    file = only(cache) / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 255
    file.write_bytes(content)
    with pytest.raises(DamagedFileError, match=f"{name} is missing or is not what was packed"):
        open_packed(only(cache))
    assert (output(small()) == first).all()
    file.unlink()
    assert (output(small()) == first).all()


def test_another_version_is_refused(cache: Path) -> None:
    output(small())
    manifest = only(cache) / MANIFEST
    content = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(content | {"regard": "0.0.1"}))
    with pytest.raises(DamagedFileError, match=r"was packed by regard 0\.0\.1; this is"):
        open_packed(only(cache))


def test_a_processor_with_wrong_products_is_refused(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = small()
    pack(model, "int8")
    # What pairs of 8-bit products give where 16 bits hold their sum.
    sums = np.minimum(np.full((4, 32), 2 * 255 * 127), 2**15 - 1).sum(1) - 128 * 127 * 64
    wrong = sums[:, None] / 127**2
    monkeypatch.setattr(Session, "run", lambda self, inputs: [wrong[: len(inputs["x"])]])
    with pytest.raises(UnavailableError, match=r"int8 needs a processor .* Choose fp32"):
        pack(model, "int8")


def test_a_folder_without_a_packed_model_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"has no pack\.json"):
        open_packed(tmp_path)


def test_a_file_that_is_no_graph_is_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output(small())
    monkeypatch.setattr("regard.runtime.packed.sha256", lambda file: "")
    manifest = json.loads((only(cache) / MANIFEST).read_text())
    files = dict.fromkeys(manifest["files"], "")
    (only(cache) / MANIFEST).write_text(json.dumps(manifest | {"files": files}))
    (only(cache) / "body.onnx").write_bytes(b"no graph")
    with pytest.raises(DamagedFileError, match="is no graph that ONNX Runtime can run"):
        open_packed(only(cache))


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(cache: Path) -> None:
    cache.mkdir()
    cache.chmod(0o500)
    with pytest.raises(UnavailableError, match="set REGARD_CACHE"):
        pack(small())


def test_a_file_in_the_folders_place_is_named(cache: Path) -> None:
    cache.write_text("a file")
    with pytest.raises(UnavailableError, match="set REGARD_CACHE"):
        pack(small())


def test_the_cache_is_in_the_users_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REGARD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/tmp/elsewhere")
    assert cache_folder() == Path("/tmp/elsewhere/regard/packed")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "regard" / "packed"

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(UnavailableError, match="Set REGARD_CACHE to a folder"):
        cache_folder()


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(RegardError, match="precision must be one of fp32, int8, int4; got 'int3'"):
        pack(small(), "int3")
    with pytest.raises(RegardError, match="threads must be at least 1"):
        pack(small(), threads=0)
    with pytest.raises(UnsupportedError, match="the class Linear cannot be packed"):
        pack(nn.Linear(2, 3))
