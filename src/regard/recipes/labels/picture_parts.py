"""Labeled images divided into parts, as bytes in a run's folder.

train.npy, dev.npy, test.npy            bytes, (n, height, width, channels)
train.labels.npy, …                     numbers of the labels, (n,)
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap

from regard.data.seen import SeenHashes
from regard.errors import BadArgumentError
from regard.recipes.examples import Example, Say, read_examples, split
from regard.recipes.labels.image_batches import Bytes
from regard.recipes.labels.labels import in_order
from regard.recipes.labels.pictures import Broken, Pictures
from regard.tasks.preparation import Preparation


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
        own = {
            name: [] if theirs is None else list(self._examples(f"{name}.cleaned", theirs))
            for name, theirs in held.items()
        }
        examples = self._examples("cleaned", pictures)
        split(examples, own, self.folder, seed=self.seed, say=self.say)
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
        """The images that stay: an example's text is a hash of its bytes, its line the row of the
        pixels in its group's file.
        """
        size = self.preparation.crop or self.preparation.size
        assert size is not None
        count, kept = len(pictures.labels), 0
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
                kept += 1
                yield Example(key, None, [label], row, name)
        broken.check(kept)
        twice = count - len(broken.errors) - kept
        why = [f"{twice:,} duplicate"] if twice else []
        why += [broken.described(pictures)] if broken.errors else []
        left_out = ", ".join(why) or "none left out"
        self.say(f"{pictures.path}: {count:,} read, {kept:,} kept; {left_out}")

    def _labels(
        self, parts: dict[str, list[Example]], held: dict[str, Pictures | None]
    ) -> tuple[list[str], list[int]]:
        """The labels of the training images in order, and how many images have each; dev and test
        lose images of other labels."""
        counter = Counter(example.targets[0] for example in parts["train"])
        if len(counter) < 2:
            raise BadArgumentError(
                f"classification needs at least two labels; the training images have only"
                f" {list(counter)}. Add images with another label."
            )
        for name, theirs in held.items():
            rare = [each.targets[0] for each in parts[name] if each.targets[0] not in counter]
            if rare and theirs is not None:
                raise BadArgumentError(
                    f"{theirs.path} has the label {rare[0]!r}, which no training image has. Give"
                    " training images with it, or take it out."
                )
            if rare:
                self.say(f"{name}: {len(rare):,} left out whose label no training image has")
                parts[name] = [each for each in parts[name] if each.targets[0] in counter]
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
