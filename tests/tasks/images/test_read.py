"""Pictures are read from files alone, and an .npz only where it holds what it says."""

import io
import os
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from regard import RegardError
from regard.files import sha256_tree
from regard.tasks.images.read import Broken, PictureArrays, PictureFolder


def folder_of_pictures(path: Path) -> Path:
    image = pytest.importorskip("PIL.Image")
    for label in ("cat", "dog"):
        (path / label).mkdir(parents=True)
        image.fromarray(np.zeros((4, 4), np.uint8)).save(path / label / "1.png")
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_a_pipe_or_a_device_in_a_folder_is_broken_and_not_waited_for(tmp_path: Path) -> None:
    path, said = folder_of_pictures(tmp_path / "pictures"), list[str]()
    os.mkfifo(path / "cat" / "pipe.png")
    (path / "dog" / "zero.png").symlink_to("/dev/zero")
    os.mkfifo(path / "dog" / "pipe.txt")
    pictures, broken = PictureFolder(str(path), say=said.append), Broken(str(path))
    assert len(list(pictures.sizes(on_broken=broken.add))) == 2
    assert [pictures.name(number) for number in broken.errors] == [
        str(path / "cat" / "pipe.png"), str(path / "dog" / "zero.png"),
    ]  # fmt: skip
    assert "is a pipe or a device, not a file. Take it away." in str(broken.errors[1])
    assert said == [f"{path}: 1 left out whose names are not those of images"]
    assert sha256_tree(path) == sha256_tree(path)


def write_npz(path: Path, dtype: str, shape: tuple[int, ...], size: int) -> None:
    """An .npz whose images are so many zeros, whatever their header says."""
    header = io.BytesIO()
    described = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, described)
    labels = io.BytesIO()
    np.save(labels, np.arange(shape[0]))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("images.npy", header.getvalue() + bytes(size))
        file.writestr("labels.npy", labels.getvalue())


@pytest.mark.parametrize(
    ("dtype", "shape", "sentence"),
    [
        ("|u1", (5, 2000, 2000), "is not an .npz of arrays of numbers and text"),
        ("<f4", (4, 1000, 1000), "must be bytes from 0 to 255"),
        ("|u1", (4, 2000, 2000, 1, 1), "must be .n, height, width"),
        ("|O", (4, 500, 1000), "is not an .npz of arrays of numbers and text"),
    ],
)
def test_images_that_are_refused_are_not_read_first(
    dtype: str, shape: tuple[int, ...], sentence: str, tmp_path: Path
) -> None:
    write_npz(tmp_path / "a.npz", dtype, shape, 16_000_000)
    tracemalloc.start()
    with pytest.raises(RegardError, match=sentence):
        PictureArrays(str(tmp_path / "a.npz"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000
