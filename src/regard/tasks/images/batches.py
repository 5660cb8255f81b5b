"""Images in a run's folder as batches, moved, rotated, enlarged and mirrored at random."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.lib.format import open_memmap
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from regard.data.batches import Shuffled
from regard.data.seen import SeenHashes
from regard.errors import BadArgumentError
from regard.tasks.images.preparation import Preparation
from regard.tasks.images.read import Broken, Bytes, Pictures
from regard.training.examples import Example, Say, read_examples, split
from regard.training.labels import in_order


@dataclass
class PictureParts:
    """Reads images into a folder and divides them: no image of dev or test is trained on.

    Two images are the same if their bytes are, in the size and colors of the model. Of the same
    images with the same label, one stays.
    """

    folder: Path
    preparation: Preparation
    gray: bool
    seed: int
    say: Say
    pixels: dict[str, Bytes] = field(default_factory=dict)  # by the file that has them

    def write(self, pictures: Pictures, held: dict[str, Pictures | None]) -> dict[str, Any]:
        """Write the parts; return the labels, their counts in train, and the parts' sizes."""
        held_out = {
            name: [] if theirs is None else list(self._examples(f"{name}.cleaned", theirs))
            for name, theirs in held.items()
        }
        examples = self._examples("cleaned", pictures)
        split(examples, held_out, self.folder, seed=self.seed, say=self.say)
        parts = {}
        for name in ("train", *held):
            file = self.folder / f"{name}.jsonl"
            parts[name] = list(read_examples(file))
            file.unlink()
        labels, counts = self._labels(parts, held)
        numbers = {label: number for number, label in enumerate(labels)}
        for name, part in parts.items():
            self._write(self.folder / name, part, numbers)
        for file in self.folder.glob("*cleaned.npy"):
            file.unlink()
        sizes = {name: len(part) for name, part in parts.items()}
        return {"labels": labels, "counts": counts, "sizes": sizes}

    def _examples(self, name: str, pictures: Pictures) -> Iterator[Example]:
        """Yield the images that stay: an example's text is a hash of its bytes, its line the row of
        the pixels in its group's file."""
        size = self.preparation.crop or self.preparation.size
        assert size is not None
        count, written = len(pictures.labels), 0
        shape = (count, *size, 1 if self.gray else self.preparation.channels)
        pixels = open_memmap(self.folder / f"{name}.npy", "w+", np.uint8, shape)
        self.pixels[name] = pixels
        seen, broken = SeenHashes(), Broken(pictures.path)
        for row, read in pictures.read(self.preparation, on_broken=broken.add):
            pixels[row] = read[..., :1] if self.gray else read
            digest = hashlib.blake2b(pixels[row].tobytes(), digest_size=16)
            key, label = digest.hexdigest(), pictures.labels[row]
            digest.update(label.encode("utf-8", "surrogatepass"))
            if seen.add(np.frombuffer(digest.digest()[:8], np.uint64))[0]:
                written += 1
                yield Example(key, None, [label], row, name)
        broken.check(written)
        twice = count - len(broken.errors) - written
        why = [f"{twice:,} duplicate"] if twice else []
        why += [broken.described(pictures)] if broken.errors else []
        left_out = ", ".join(why) or "none left out"
        self.say(f"{pictures.path}: {count:,} read, {written:,} kept; {left_out}")

    def _labels(
        self, parts: dict[str, list[Example]], held: dict[str, Pictures | None]
    ) -> tuple[list[str], list[int]]:
        """Return the labels of the training images in order, and how many images have each; dev and
        test lose images of other labels."""
        counter = Counter(example.targets[0] for example in parts["train"])
        if len(counter) < 2:
            raise BadArgumentError(
                f"classification needs at least two labels; the training images have only"
                f" {list(counter)}. Add images with another label."
            )
        for name, theirs in held.items():
            rare = [one.targets[0] for one in parts[name] if one.targets[0] not in counter]
            if rare and theirs is not None:
                raise BadArgumentError(
                    f"{theirs.path} has the label {rare[0]!r}, which no training image has. Give"
                    " training images with it, or take it out."
                )
            if rare:
                self.say(f"{name}: {len(rare):,} left out whose label no training image has")
                parts[name] = [example for example in parts[name] if example.targets[0] in counter]
        labels = sorted(counter, key=in_order)
        return labels, [counter[label] for label in labels]

    def _write(self, path: Path, part: list[Example], numbers: dict[str, int]) -> None:
        """Write a part's bytes and the numbers of its labels."""
        shape = (len(part), *next(iter(self.pixels.values())).shape[1:])
        images = open_memmap(path.with_suffix(".npy"), "w+", np.uint8, shape)
        for place, example in enumerate(part):
            images[place] = self.pixels[example.group][example.line]
        images.flush()
        targets = np.array([numbers[example.targets[0]] for example in part], np.int64)
        np.save(path.with_suffix(".labels.npy"), targets)


@dataclass(frozen=True)
class Augmentation:
    """Random changes of position and size; every image of a batch has its own.

    What it moves out of the image is lost, and what it moves in is black.
    """

    shift: float = 0.0  # most, of the image's height and width
    rotate: float = 0.0  # most, in degrees
    scale: float = 0.0  # most that it becomes larger; smaller by as large a factor
    flip: bool = False  # mirror every second image, left to right

    def __call__(self, images: Tensor, seed: int, step: int) -> Tensor:
        """Return the changed images, a function of the images, the seed and the step alone.

        Args:
            images: bytes, (batch, height, width, channels).

        Returns:
            floats from 0 to 255 of the same shape.
        """
        pixels = images.permute(0, 3, 1, 2).float()
        if not (self.shift or self.rotate or self.scale or self.flip):
            return pixels.permute(0, 2, 3, 1)
        maps = self.maps(len(images), pixels.shape[2] / pixels.shape[3], seed, step)
        grid = functional.affine_grid(
            maps.to(pixels.device), list(pixels.shape), align_corners=False
        )
        moved = functional.grid_sample(pixels, grid, padding_mode="zeros", align_corners=False)
        return moved.permute(0, 2, 3, 1)

    def maps(self, count: int, ratio: float, seed: int, step: int) -> Tensor:
        """Return maps from places in the changed image to places in the original, (count, 2, 3).

        Places are from −1 to 1 across the width and down the height; `ratio` is height over width,
        in which a rotation has to be measured.
        """
        draw = np.random.default_rng([seed, step, 2])
        turn, size, right, down = torch.from_numpy(draw.uniform(-1, 1, (4, count)))
        angle = turn * np.pi * self.rotate / 180
        factor = (1 + self.scale) ** size
        cos, sin = torch.cos(angle) * factor, torch.sin(angle) * factor
        mirrored = torch.from_numpy(draw.random(count) < 0.5) & self.flip
        side = 1 - 2 * mirrored.double()
        rows = [
            torch.stack([cos * side, -sin * ratio, 2 * self.shift * right], 1),
            torch.stack([sin / ratio * side, cos, 2 * self.shift * down], 1),
        ]
        return torch.stack(rows, 1).float()


@dataclass(frozen=True)
class Images:
    """A part of the data; its bytes stay on disk until they are read."""

    pixels: Bytes  # (n, height, width, channels)
    labels: NDArray[np.int64]  # (n,)

    @classmethod
    def open(cls, folder: Path, name: str) -> "Images":
        """Return the part that was written under this name."""
        labels = np.load(folder / f"{name}.labels.npy")
        path = folder / f"{name}.npy"
        # A map of a file without content is refused by the system.
        return cls(np.load(path, mmap_mode="r" if len(labels) else None), labels)

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class PreparedPictures:
    """Images in a run's folder as `Pictures` that a model of the run can read."""

    path: str
    images: Images
    names: Sequence[str]  # of the labels

    @property
    def labels(self) -> Sequence[str]:
        return [self.names[number] for number in self.images.labels]

    def read(self, preparation: Preparation) -> Iterator[tuple[int, Bytes]]:
        return enumerate(self.images.pixels)

    def name(self, number: int) -> str:
        return f"image {number} of {self.path}"


@dataclass(frozen=True)
class ImageBatch:
    """Images as a vision Transformer takes them, and the numbers of their labels."""

    pixels: Tensor  # (batch, channels, height, width)
    labels: Tensor  # (batch,)


class ImageBatches(Shuffled):
    """Every image once an epoch, each time changed at random; see `Augmentation`."""

    def __init__(
        self,
        images: Images,
        preparation: Preparation,
        augmentation: Augmentation,
        *,
        batch_size: int,
        seed: int,
    ) -> None:
        super().__init__(len(images), batch_size=batch_size, seed=seed)
        self.images, self.preparation, self.augmentation = images, preparation, augmentation

    def at(self, step: int) -> ImageBatch:
        rows = self.rows(step)
        changed = self.augmentation(torch.from_numpy(self.images.pixels[rows]), self.seed, step)
        labels = torch.from_numpy(self.images.labels[rows])
        return ImageBatch(self.preparation.scaled(changed), labels)
