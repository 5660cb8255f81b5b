"""A model is packed once, found again, and made again when what is found cannot be used."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from regard import NotFoundError, RegardError, UnavailableError, UnsupportedError
from regard.errors import DamagedFileError
from regard.models import Encoder, EncoderConfig
from regard.runtime import packing
from regard.runtime.packed import MANIFEST, PackedReader, open_packed
from regard.runtime.packing import cache_folder, pack
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
    monkeypatch.setattr(packing, "graphs_of", None)  # is not called again
    assert (output(small()) == first).all()
    assert only(cache) == folder


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


def test_the_hash_is_of_config_and_every_parameter() -> None:
    model = small()
    hashes = {packing.weights_sha256(model)}
    for parameter in model.parameters():
        with torch.no_grad():
            parameter.view(-1)[0] += 1
        hashes.add(packing.weights_sha256(model))
    assert len(hashes) == 1 + len(list(model.parameters()))


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


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(RegardError, match="precision must be one of fp32, int8; got 'int3'"):
        pack(small(), "int3")
    with pytest.raises(RegardError, match="threads must be at least 1"):
        pack(small(), threads=0)
    with pytest.raises(UnsupportedError, match="the class Linear cannot be packed"):
        pack(nn.Linear(2, 3))
