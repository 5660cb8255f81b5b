"""Patches of an image and words of a text that their similarity rests on: it is computed again
without them.

Zeiler and Fergus 2014, Visualizing and Understanding Convolutional Networks, section 4.2.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard import figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Occlusion:
    """The cosines of an image and a text with nothing, a patch, a word or both hidden.

    >>> cosines = numpy.array([[0.3, 0.1], [0.2, 0.2]])
    >>> one = Occlusion(["cat"], cosines, (1, 1), numpy.zeros((14, 14)), "clip")
    >>> one.of_patches.round(1), one.of_words.round(1), one.of_both.round(1)
    (array([[0.2]]), array([0.1]), array([[[0.2]]]))

    Attributes:
        words: of the text, as far as they were read.
        cosines: (1 + words, 1 + rows · columns); row 0 is the whole text, column 0 the whole image.
        grid: rows and columns of patches.
        photo: the image as the model sees it, gray from 0 to 1, (height, width).
        name: of the model and the text.
    """

    words: list[str]
    cosines: Floats
    grid: tuple[int, int]
    photo: Floats
    name: str

    @property
    def cosine(self) -> float:
        """Cosine of the whole image and the whole text."""
        return float(self.cosines[0, 0])

    @property
    def of_patches(self) -> Floats:
        """Loss of the cosine without a patch, (rows, columns)."""
        return (self.cosines[0, 0] - self.cosines[0, 1:]).reshape(self.grid)

    @property
    def of_words(self) -> Floats:
        """Loss of the cosine without a word, (words,)."""
        return self.cosines[0, 0] - self.cosines[1:, 0]

    @property
    def of_both(self) -> Floats:
        """Part of a word in the loss without a patch, (words, rows, columns): that loss, minus what
        it is without the word. 0 where the patch matters to the rest of the text alone."""
        lost = self.cosines[:, :1] - self.cosines[:, 1:]
        return (lost[0] - lost[1:]).reshape(-1, *self.grid)

    def figure(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Return the image under what the cosine loses without each patch: of the whole text, and
        of each word; written to `path` (.svg, .pdf or .png) if one is given."""
        maps = {"the whole text": self.of_patches}
        for place, (word, map_) in enumerate(zip(self.words, self.of_both, strict=True)):
            again = f" ({place + 1})" if word in self.words[:place] else ""
            maps[f"{word}{again}: {self.of_words[place]:+.3f}"] = map_
        figure = figures.images.images(
            maps,
            scale="difference",
            title=f"{self.name}, cosine {self.cosine:.3f}",
            columns=min(len(maps), 4),
            behind=self.photo,
            quantity="cosine lost without the patch, and a word's part in that; in numbers: lost"
            " without the word",
        )
        if path is not None:
            figures.style.save(figure, path)
        return figure
