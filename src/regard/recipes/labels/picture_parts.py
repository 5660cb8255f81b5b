"""Labeled images divided into parts, as bytes in a run's folder.

train.npy, dev.npy, test.npy            bytes, (n, height, width, channels)
train.labels.npy, …                     numbers of the labels, (n,)
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap

from regard.data import Pair, plan_split
from regard.data.seen import SeenHashes
from regard.errors import BadArgumentError
from regard.recipes.examples import Say
from regard.recipes.labels.image_batches import Bytes
from regard.recipes.labels.labels import in_order
from regard.recipes.labels.pictures import Broken, Pictures
from regard.tasks.preparation import Preparation


@dataclass
class _Part:
    """The images that go to one part, by their numbers in a file of pixels."""

    pixels: Bytes
    labels: Sequence[str]
    rows: list[int]

    def write(self, path: Path, numbers: dict[str, int]) -> None:
        """Writes the bytes and the numbers of the labels."""
        shape = (len(self.rows), *self.pixels.shape[1:])
        images = open_memmap(path.with_suffix(".npy"), "w+", np.uint8, shape)
        for place, row in enumerate(self.rows):
            images[place] = self.pixels[row]
        images.flush()
        targets = np.array([numbers[self.labels[row]] for row in self.rows], np.int64)
        np.save(path.with_suffix(".labels.npy"), targets)


class Split:
    """Reads images into a folder and divides them: no image of dev or test is trained on.

    Two images are the same if their bytes are, in the size and colors of the model. Of the same
    images with the same label, one stays.

    Args:
        preparation: of the images.
        gray: whether bytes of one channel are enough.
    """

    def __init__(
        self, folder: Path, preparation: Preparation, *, gray: bool, seed: int, say: Say
    ) -> None:
        self.folder, self.preparation, self.gray = folder, preparation, gray
        self.seed, self.say = seed, say

    def write(self, pictures: Pictures, held: dict[str, Pictures | None]) -> dict[str, Any]:
        """Writes the parts; returns the labels, their counts in train, and the parts' sizes.

        Args:
            held: the dev and test images that were given.

        Raises:
            BadArgumentError: fewer than two labels, nothing to train on or no dev images, or a
                label that only dev or test has.
        """
        pixels, keys, rows = self._read("cleaned", pictures)
        parts: dict[str, _Part] = {}
        taken: set[bytes] = set()
        for name, own in held.items():
            if own is not None:
                theirs, their_keys, kept = self._read(f"{name}.cleaned", own)
                parts[name] = _Part(theirs, own.labels, kept)
                taken.update(their_keys[row] for row in kept)
        own_dev, own_test = held.get("dev") is not None, held.get("test") is not None
        split = plan_split(
            (Pair(keys[row].hex(), "", 0) for row in rows),
            dev=0 if own_dev else None,
            test=0 if own_test or own_dev else min(2000, max(1, round(0.02 * len(rows)))),
            seed=self.seed,
            targets_leak=False,
        )
        train, left_out = _Part(pixels, pictures.labels, []), 0
        parts = {name: parts.get(name) or _Part(pixels, pictures.labels, []) for name in held}
        for row in rows:
            part = split.part(Pair(keys[row].hex(), "", 0))
            if keys[row] in taken:
                left_out += 1
            else:
                (train if part == "train" else parts[str(part)]).rows.append(row)
        if not train.rows or not parts["dev"].rows:
            raise BadArgumentError(
                f"training needs images to train on and dev images; got {len(train.rows)} and"
                f" {len(parts['dev'].rows)}. Give more images, or dev images that do not repeat"
                " them."
            )
        labels, counts = self._labels(train, parts, held)
        numbers = {label: number for number, label in enumerate(labels)}
        for name, each in {"train": train, **parts}.items():
            each.write(self.folder / f"{name}.npy", numbers)
        for file in self.folder.glob("*cleaned.npy"):
            file.unlink()
        sizes = {"train": len(train.rows)} | {name: len(p.rows) for name, p in parts.items()}
        leak = f"; {left_out:,} left out because dev or test has them too" if left_out else ""
        said = ", ".join(f"{size:,} {name}" for name, size in sizes.items() if name != "train")
        self.say(f"{sizes['train']:,} to train on, {said}{leak}")
        return {"labels": labels, "counts": counts, "sizes": sizes}

    def _read(self, name: str, pictures: Pictures) -> tuple[Bytes, list[bytes], list[int]]:
        """The bytes of all images, a hash of each, and the numbers of those that stay.

        Raises:
            DamagedFileError: no image can be read.
        """
        size = self.preparation.crop or self.preparation.size
        assert size is not None
        count = len(pictures.labels)
        shape = (count, *size, 1 if self.gray else self.preparation.channels)
        pixels = open_memmap(self.folder / f"{name}.npy", "w+", np.uint8, shape)
        seen, keys, rows, broken = SeenHashes(), [b""] * count, [], Broken(pictures.path)
        for row, own in pictures.read(self.preparation, on_broken=broken.add):
            pixels[row] = own[..., :1] if self.gray else own
            digest = hashlib.blake2b(pixels[row].tobytes(), digest_size=16)
            keys[row] = digest.digest()
            digest.update(pictures.labels[row].encode("utf-8", "surrogatepass"))
            if seen.add(np.frombuffer(digest.digest()[:8], np.uint64))[0]:
                rows.append(row)
        broken.check(len(rows))
        twice = count - len(broken.errors) - len(rows)
        why = [f"{twice:,} duplicate"] if twice else []
        why += [broken.described(pictures)] if broken.errors else []
        left_out = ", ".join(why) or "none left out"
        self.say(f"{pictures.path}: {count:,} read, {len(rows):,} kept; {left_out}")
        return pixels, keys, rows

    def _labels(
        self, train: _Part, parts: dict[str, _Part], held: dict[str, Pictures | None]
    ) -> tuple[list[str], list[int]]:
        """The labels of the training images in order, and how many images have each."""
        counter = Counter(train.labels[row] for row in train.rows)
        if len(counter) < 2:
            raise BadArgumentError(
                f"classification needs at least two labels; the training images have only"
                f" {list(counter)}. Add images with another label."
            )
        for name, part in parts.items():
            rare = [row for row in part.rows if part.labels[row] not in counter]
            own = held[name]
            if rare and own is not None:
                raise BadArgumentError(
                    f"{own.path} has the label {part.labels[rare[0]]!r}, which no training image"
                    " has. Give training images with it, or take it out."
                )
            if rare:
                self.say(f"{name}: {len(rare):,} left out whose label no training image has")
                part.rows = [row for row in part.rows if part.labels[row] in counter]
        labels = sorted(counter, key=in_order)
        return labels, [counter[label] for label in labels]
