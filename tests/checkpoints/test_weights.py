import json
import math
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from regard import RegardError
from regard.checkpoints.weights import float8_bits, open_weights
from regard.errors import DamagedFileError

TENSORS = {"a": torch.arange(15.0).reshape(5, 3), "b": torch.ones(7, dtype=torch.bfloat16)}
LEGACY = {"_use_new_zipfile_serialization": False}


def write_shards(folder: Path) -> None:
    files = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    for name, file in files.items():
        save_file({name: TENSORS[name]}, folder / file)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": files}))


def write_bin_shards(folder: Path) -> None:
    files = {name: f"pytorch_model-{name}.bin" for name in TENSORS}
    for name, file in files.items():
        torch.save({name: TENSORS[name]}, folder / file)
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": files}))


WRITERS = {
    "safetensors": lambda folder: save_file(TENSORS, folder / "model.safetensors"),
    "shards": write_shards,
    "bin": lambda folder: torch.save(TENSORS, folder / "pytorch_model.bin"),
    "bin of long ago": lambda folder: torch.save(TENSORS, folder / "pytorch_model.bin", **LEGACY),
    "bin shards": write_bin_shards,
}


@pytest.mark.parametrize("kind", WRITERS)
def test_every_kind_of_file_gives_the_same_tensors(kind: str, tmp_path: Path) -> None:
    WRITERS[kind](tmp_path)
    weights = open_weights(tmp_path)
    assert sorted(weights) == ["a", "b"]
    assert weights.shapes == {"a": (5, 3), "b": (7,)}
    assert weights.dtypes == {"a": "float32", "b": "bfloat16"}
    for name, tensor in TENSORS.items():
        assert torch.equal(weights[name], tensor)
        assert weights[name].dtype == tensor.dtype


@pytest.mark.parametrize("kind", ["safetensors", "bin"])
def test_a_weight_may_be_written_to_and_the_file_stays(kind: str, tmp_path: Path) -> None:
    WRITERS[kind](tmp_path)
    (file,) = tmp_path.iterdir()
    before = file.read_bytes()
    open_weights(tmp_path)["a"].fill_(9)
    assert file.read_bytes() == before


@pytest.mark.parametrize("kind", ["safetensors", "bin"])
def test_a_weight_is_the_file_mapped_into_memory(kind: str, tmp_path: Path) -> None:
    maps = Path("/proc/self/maps")
    if not maps.exists():
        pytest.skip("this system does not list its mappings in /proc")
    WRITERS[kind](tmp_path)
    weights = open_weights(tmp_path)
    held = [weights[name] for name in weights]
    assert str(tmp_path) in maps.read_text()
    del held


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn]
)
@pytest.mark.parametrize("kind", ["safetensors", "bin"])
def test_a_weight_with_a_number_that_is_none_is_refused_by_name(
    kind: str, dtype: torch.dtype, number: float, tmp_path: Path
) -> None:
    most = torch.finfo(dtype).max
    bad = torch.full((7, 3), -most, dtype=torch.float64)
    bad[6, 2] = number if dtype.itemsize > 1 else math.nan  # float8 has no infinity
    good = torch.tensor([-most, most, 0], dtype=torch.float64)
    tensors = {"bad": bad.to(dtype), "good": good.to(dtype), "integers": torch.full((4,), -1)}
    file = "model.safetensors" if kind == "safetensors" else "pytorch_model.bin"
    (save_file if kind == "safetensors" else torch.save)(tensors, tmp_path / file)
    weights = open_weights(tmp_path)
    for read in (np, torch):
        with pytest.raises(DamagedFileError, match=f"^bad contains NaN or infinity in .*{file}: "):
            weights.read("bad", read)
        for name in ("good", "integers"):
            weights.read(name, read)


def test_a_header_that_is_damaged_at_its_old_time_is_refused_at_first_use(tmp_path: Path) -> None:
    WRITERS["safetensors"](tmp_path)
    weights = open_weights(tmp_path)
    [file] = weights.files
    opened = file.stat()
    content = file.read_bytes()
    with open(file, "r+b") as written:
        written.write(content[:8] + b"[" + content[9:])
    os.utime(file, ns=(opened.st_atime_ns, opened.st_mtime_ns))
    with pytest.raises(DamagedFileError, match="has been damaged since it was opened"):
        weights["a"]


@pytest.mark.parametrize("kind", ["safetensors", "bin"])
def test_a_file_that_has_been_written_to_is_refused_and_one_that_gave_up_its_name_is_not(
    kind: str, tmp_path: Path
) -> None:
    WRITERS[kind](tmp_path)
    weights = open_weights(tmp_path)
    [file] = weights.files
    (tmp_path / "another").write_bytes(b"another")
    (tmp_path / "another").replace(file)
    assert torch.equal(weights["a"], TENSORS["a"])
    file.unlink()
    assert torch.equal(weights["b"], TENSORS["b"])
    WRITERS[kind](tmp_path)
    weights = open_weights(tmp_path)
    weights.check_unchanged()
    os.truncate(file, 200)
    for refused in (weights.check_unchanged, lambda: weights["a"]):
        with pytest.raises(DamagedFileError, match="has been written to since it was opened"):
            refused()


def test_safetensors_come_before_bin_and_one_file_before_shards(tmp_path: Path) -> None:
    write_shards(tmp_path)
    save_file({"c": torch.ones(2)}, tmp_path / "model.safetensors")
    torch.save({"d": torch.ones(2)}, tmp_path / "pytorch_model.bin")
    assert list(open_weights(tmp_path)) == ["c"]


class RunsCode:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("ran",)


def evil(folder: Path) -> None:
    torch.save({"a": RunsCode()}, folder / "pytorch_model.bin")


def evil_of_long_ago(folder: Path) -> None:
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"a": RunsCode()}))


def cut(name: str, kind: str, length: int = 100) -> object:
    def write(folder: Path) -> None:
        WRITERS[kind](folder)
        file = folder / name
        file.write_bytes(file.read_bytes()[:length])

    return write


def text(name: str, content: str) -> object:
    return lambda folder: (folder / name).write_text(content)


def without_a_shard(folder: Path) -> None:
    write_shards(folder)
    (folder / "model-00002-of-00002.safetensors").unlink()


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
INDEX = "model.safetensors.index.json"
REFUSED = {
    "nothing": (lambda folder: None, "has no model.safetensors .nor pytorch_model.bin"),
    "another program's": (text("tf_model.h5", "x"), "only tf_model.h5, which regard cannot read"),
    "cut": (cut("model.safetensors", "safetensors"), "model.safetensors is damaged"),
    "cut in its header": (cut("model.safetensors", "safetensors", 5), "is damaged"),
    "no safetensors": (text("model.safetensors", "x" * 99), "is damaged"),
    "empty": (text("model.safetensors", ""), "is damaged: it is empty"),
    "git's pointer": (text("model.safetensors", POINTER), "Run `git lfs pull`"),
    "a web page": (text("model.safetensors", "<!DOCTYPE html>"), "is a web page, not weights"),
    "cut bin": (cut("pytorch_model.bin", "bin", 400), "pytorch_model.bin is damaged"),
    "cut bin of long ago": (cut("pytorch_model.bin", "bin of long ago"), "is damaged"),
    "no bin": (text("pytorch_model.bin", "hello, this is no pickle"), "is damaged"),
    "code": (evil, "contains more than tensors, and opening it would run code; it was not opened"),
    "code of long ago": (evil_of_long_ago, "contains more than tensors, which regard never runs"),
    "numbers": (lambda f: torch.save({"a": 3}, f / "pytorch_model.bin"), "'a' is a int"),
    "a list": (lambda f: torch.save([1], f / "pytorch_model.bin"), "it is a list"),
    "missing shard": (without_a_shard, "lacks 1 of the 2 weight files .*: model-00002-of-00002"),
    "no index": (text(INDEX, "{"), "is not valid JSON"),
    "an index without map": (text(INDEX, "{}"), "must have the key 'weight_map'"),
    "an index of elsewhere": (
        text(INDEX, '{"weight_map": {"a": "../x.safetensors"}}'),
        "must name files in its own folder; it names '../x.safetensors'",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_bad_file_is_refused_in_one_sentence(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model").mkdir()
    monkeypatch.chdir(tmp_path)
    write, message = REFUSED[kind]
    write(tmp_path / "model")  # type: ignore[operator]
    with pytest.raises(RegardError, match=message):
        open_weights(tmp_path / "model")
    assert not (tmp_path / "ran").exists()


def test_float8_is_read_as_bfloat16_which_has_all_of_its_numbers(tmp_path: Path) -> None:
    every = torch.arange(256, dtype=torch.uint8).view(torch.float8_e4m3fn).reshape(16, 16)
    bits = torch.from_numpy(float8_bits()).view(torch.bfloat16)
    assert torch.equal(bits.isnan(), every.float().isnan().flatten())
    every.view(torch.uint8)[[7, 15], 15] = 0  # the two NaN
    save_file({"a": every}, tmp_path / "model.safetensors")
    weights = open_weights(tmp_path)
    assert weights.dtypes == {"a": "float8_e4m3fn"}
    assert torch.equal(weights["a"].float(), every.float())
    assert torch.equal(torch.from_numpy(weights.read("a", np)).view(torch.bfloat16), weights["a"])
