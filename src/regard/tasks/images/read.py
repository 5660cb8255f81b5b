"""Labeled images from a user's files, in one size.

A folder has a sub-folder for each label; an .npz has the arrays `images`, bytes of
(n, height, width) or (n, height, width, channels), and `labels`, (n,). Rows, which Python gives,
have the name of a file and its label.
"""

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from regard.data import BadCellError, LeftOut, Role, read_examples
from regard.data.lines import check_file, check_rereadable
from regard.data.tables import folder_of
from regard.errors import BadArgumentError, DamagedFileError, NotFoundError, RegardError
from regard.files import check_content
from regard.lazy import PIL
from regard.tasks.classification.read import LABEL
from regard.tasks.images.preparation import Preparation
from regard.tasks.images.task import image_files, is_image, open_image, unread_image
from regard.training.examples import Say

if TYPE_CHECKING:
    from PIL.Image import Image

IMAGE = ("image", "file", "path", "file_name", "filename", "picture", "image_path", "filepath")
ROWS = ".jsonl"  # of a table in memory

Bytes = NDArray[np.uint8]
Size = tuple[int, int]  # height and width, in pixels
OnBroken = Callable[[int, DamagedFileError], None]  # gets the number of the image and its fault


def refuse_broken(number: int, error: DamagedFileError) -> None:
    """Stop at an image that cannot be read."""
    raise error


class Pictures(Protocol):
    """Labeled images that can be read several times."""

    path: str

    @property
    def labels(self) -> Sequence[str]:
        """Label of each image, (n,)."""

    def sizes(self, *, on_broken: OnBroken = refuse_broken) -> Iterator[tuple[Size, bool, str]]:
        """Each image's size, whether it is gray, and what to call it in messages."""

    def read(
        self, preparation: Preparation, *, on_broken: OnBroken = refuse_broken
    ) -> Iterator[tuple[int, Bytes]]:
        """Return the number of each image, and its bytes in one size, (height, width, channels)."""

    def name(self, number: int) -> str:
        """Return an image's name for messages."""


class PictureFolder:
    """The images in the sub-folders of a folder, each labeled by the name of its sub-folder."""

    def __init__(self, path: str, *, say: Say):
        self.path = path
        every = sorted(folder for folder in Path(path).iterdir() if folder.is_dir())
        folders = [folder for folder in every if any(map(is_image, folder.rglob("*")))]
        if not folders:
            raise DamagedFileError(
                f"expected a folder with a sub-folder of images for each label; {path} has none."
                " Put the images of each label into a folder of its own in it."
            )
        pairs = [(file, folder.name) for folder in folders for file in image_files(folder)]
        self.files = [file for file, _ in pairs]
        self.labels: Sequence[str] = [label for _, label in pairs]
        others = sum(not file.is_dir() for file in Path(path).rglob("*")) - len(pairs)
        if others:
            say(f"{path}: {others:,} left out whose names are not those of images")

    def sizes(self, *, on_broken: OnBroken = refuse_broken) -> Iterator[tuple[Size, bool, str]]:
        for number, file in enumerate(self.files):
            try:
                facts = upright_size(file)
            except DamagedFileError as error:
                on_broken(number, error)
            else:
                yield facts

    def read(
        self, preparation: Preparation, *, on_broken: OnBroken = refuse_broken
    ) -> Iterator[tuple[int, Bytes]]:
        for number, file in enumerate(self.files):
            try:
                image = open_image(file)
            except DamagedFileError as error:
                on_broken(number, error)
            else:
                yield number, preparation.cut(image)

    def name(self, number: int) -> str:
        return os.fspath(self.files[number])


class PictureTable(PictureFolder):
    """The image files that rows name, each with its label."""

    def __init__(self, path: str, *, say: Say):
        self.path = path
        bad = LeftOut()

        def example(values: tuple[Any, ...], line: int) -> tuple[Path, str]:
            name, label = values
            if not name or label is None:
                problem = "expected an image and a label; got an empty cell. Fill it."
                raise BadCellError(problem, "empty cell")
            file = folder_of(Path(path)) / name
            try:
                check_file(file, "an image")
            except RegardError as error:
                raise BadCellError(str(error), "missing file") from error
            return file, str(label)

        roles = (Role("image", IMAGE, text=True), Role("label", LABEL, label=True))
        rows = list(read_examples(path, roles, example, on_bad_line=bad, say=say, note=say))
        bad.report(say)
        self.files, self.labels = [file for file, _ in rows], [label for _, label in rows]


class PictureArrays:
    """The images of an .npz."""

    def __init__(self, path: str):
        self.path = path
        arrays = _read_npz(path, _described)
        for name in ("images", "labels"):
            if name not in arrays:
                names = ", ".join(sorted(arrays)) or "nothing"
                raise DamagedFileError(
                    f"{path} has no array {name!r}; it has {names}."
                    " Save it with numpy.savez(file, images=…, labels=…)."
                )
        images, labels = arrays["images"], arrays["labels"]
        if images.dtype != np.uint8:
            raise DamagedFileError(
                f"images in {path} must be bytes from 0 to 255 (uint8); got {images.dtype}."
                " Convert them before you save them."
            )
        shape: tuple[int, ...] = images.shape if images.ndim != 3 else (*images.shape, 1)
        if len(shape) != 4 or shape[-1] not in (1, 3) or 0 in shape:
            raise DamagedFileError(
                f"images in {path} must be (n, height, width), (n, height, width, 1) or"
                f" (n, height, width, 3); got {images.shape}. Reshape them."
            )
        if labels.shape != (len(images),):
            raise DamagedFileError(
                f"labels in {path} must be ({len(images)},), one for each image; got"
                f" {labels.shape}. Save as many labels as images."
            )
        arrays = _read_npz(path, NpzFile.__getitem__)
        self.images = arrays["images"].reshape(shape)
        self.labels: Sequence[str] = [str(label) for label in arrays["labels"].tolist()]

    def sizes(self, *, on_broken: OnBroken = refuse_broken) -> Iterator[tuple[Size, bool, str]]:
        count, height, width, channels = self.images.shape
        for number in range(count):
            yield (height, width), channels == 1, self.name(number)

    def read(
        self, preparation: Preparation, *, on_broken: OnBroken = refuse_broken
    ) -> Iterator[tuple[int, Bytes]]:
        size = preparation.crop or preparation.size
        cut = preparation.crop is not None or size != self.images.shape[1:3]
        if not cut and preparation.channels >= self.images.shape[-1]:
            yield from enumerate(self.images)
            return
        for number, pixels in enumerate(self.images):
            yield number, preparation.cut(_picture(pixels))

    def name(self, number: int) -> str:
        return f"image {number} of {self.path}"


def open_pictures(path: str, *, say: Say) -> Pictures:
    """Return a folder, rows or an .npz."""
    if Path(path).suffix == ROWS:
        return PictureTable(path, say=say)
    return PictureFolder(path, say=say) if Path(path).is_dir() else PictureArrays(path)


def check_pictures(path: str) -> None:
    """Raise NotFoundError or BadArgumentError unless the path is a folder, rows or an .npz."""
    if not Path(path).exists():
        raise NotFoundError(
            f"expected a folder of images or an .npz at {path}; there is neither. Check the path."
        )
    if Path(path).is_dir() or Path(path).suffix == ROWS:
        return
    if Path(path).suffix != ".npz":
        raise BadArgumentError(
            f"expected a folder with a sub-folder of images for each label, or an .npz; got {path}."
        )
    if not Path(path).stat().st_size:
        raise DamagedFileError(f"expected arrays in {path}, but it is empty. Save it again.")
    check_rereadable(Path(path))


@dataclass
class Broken:
    """The images that could not be read, by their numbers."""

    path: str
    errors: dict[int, DamagedFileError] = field(default_factory=dict)

    def add(self, number: int, error: DamagedFileError) -> None:
        self.errors[number] = error

    def check(self, kept: int) -> None:
        """Raise DamagedFileError if no image could be read."""
        if self.errors and not kept:
            raise DamagedFileError(
                f"expected images in {self.path}; none of its {len(self.errors):,} can be read:"
                f" {next(iter(self.errors.values()))}"
            )

    def described(self, pictures: Pictures) -> str:
        """`5 broken (cats/1.png, cats/7.png, dogs/2.png and 2 more)`"""
        names = [pictures.name(number) for number in self.errors]
        more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
        return f"{len(names):,} broken ({', '.join(names[:3])}{more})"


@dataclass(frozen=True)
class Look:
    """Sizes and colors of images."""

    sizes: Counter[Size]
    gray: bool  # all of them
    first: dict[Size, str] = field(default_factory=dict)  # an image of each size


def look_at(pictures: Pictures) -> Look:
    """Read the sizes and colors of all images; those that cannot be read do not count."""
    sizes: Counter[Size] = Counter()
    first: dict[Size, str] = {}
    every_gray = True
    broken = Broken(pictures.path)
    for size, gray, name in pictures.sizes(on_broken=broken.add):
        sizes[size] += 1
        first.setdefault(size, name)
        every_gray &= gray
    broken.check(sizes.total())
    return Look(sizes, every_gray, first)


def common_size(look: Look, path: str) -> Size:
    """Return the one size of all images."""
    if len(look.sizes) == 1:
        return next(iter(look.sizes))
    (usual, _), (other, _) = look.sizes.most_common(2)
    raise BadArgumentError(
        f"{look.first[other]} has {other[0]} × {other[1]} pixels, and other images in {path}"
        f" {usual[0]} × {usual[1]}. Give image_size to resize all of them."
    )


def _read_npz(path: str, read: Callable[[NpzFile, str], NDArray[Any]]) -> dict[str, NDArray[Any]]:
    check_content(path)
    try:
        # Numpy leaves a file open that it cannot read.
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            return {
                name: read(file, name) if name in ("images", "labels") else np.empty(0)
                for name in file.files
            }
    except Exception as error:  # zipfile and numpy have many
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DamagedFileError(
            f"{path} is not an .npz of arrays of numbers and text. Save it with numpy.savez(file,"
            " images=…, labels=…)."
        ) from error


def _described(file: NpzFile, name: str) -> NDArray[Any]:
    """Return an array of the shape and the type that a file says, which takes no memory.

    Raises:
        ValueError: the file does not hold so many bytes.
    """
    assert file.zip is not None
    with file.zip.open(f"{name}.npy") as member:
        version = np.lib.format.read_magic(member)
        header = {(1, 0): np.lib.format.read_array_header_1_0}
        header[(2, 0)] = np.lib.format.read_array_header_2_0
        shape, _, dtype = header[version](member)
        size = file.zip.getinfo(f"{name}.npy").file_size - member.tell()
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != size:
        raise ValueError(f"{name} are {size} bytes, not {dtype} of {shape}")
    return np.broadcast_to(np.empty((), dtype), shape)


def upright_size(file: Path) -> tuple[Size, bool, str]:
    """Return an image's size as `Pictures.sizes` gives it, from the file's first bytes."""
    try:
        with unread_image(file) as image:
            (width, height), gray = image.size, image.mode in ("1", "L")
            on_its_side = image.getexif().get(0x0112, 1) in (5, 6, 7, 8)
    except Exception:
        open_image(file)  # says what is wrong with it
        raise
    return (width, height) if on_its_side else (height, width), gray, os.fspath(file)


def _picture(pixels: Bytes) -> "Image":
    return PIL.Image.fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels)
