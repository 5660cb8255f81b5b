"""Images beside texts: which text fits an image, and which image a text."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from regard.arrays import finite
from regard.checkpoints import CheckpointLike, open_checkpoint
from regard.engine.batching import by_length, read_each
from regard.engine.engines import as_array
from regard.engine.handle import ModelHandle
from regard.engine.result import Result, asked
from regard.engine.task import Task
from regard.errors import BadArgumentError, UnsupportedError
from regard.inspection.models import no_changes, traced
from regard.inspection.naming import Naming
from regard.lines import one_line
from regard.models.configs.facts import facts_of
from regard.tasks.classification.task import SCORES
from regard.tasks.images.preparation import Preparation, read_preparation
from regard.tasks.images.task import Picture, check_preparation, open_image
from regard.tasks.matching.occlusion import Occlusion
from regard.tasks.matching.options import MatchingOptions
from regard.text import Tokenizer

if TYPE_CHECKING:
    from torch import nn

    from regard.inspection import Trace

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Fit(Result):
    """A text and how well it fits an image."""

    label: str
    score: float  # a probability: of this text among the others, or of this text by itself
    cosine: float  # of the two vectors, which all texts and images can be compared by
    # of each patch of the image, (rows, columns): see `Matcher.patches`
    patches: list[list[float]] = asked()


@dataclass(frozen=True)
class Match(Result):
    """The texts for one image, best first."""

    labels: list[Fit]

    @property
    def best(self) -> Fit:
        return self.labels[0]

    def line(self) -> str:
        return self.lines()[0]

    def lines(self) -> list[str]:
        return [f"{one_line(fit.label)}\t{fit.score:.4f}" for fit in self.labels]


class Matcher(Task):
    """Says which texts fit an image.

    A model of CLIP's kind shares a probability of one among the texts; one of SigLIP's gives each
    text a probability of its own.

    >>> from PIL import Image
    >>> from regard.models import DualEncoder, DualEncoderConfig, EncoderConfig, VisionConfig
    >>> tokenizer = regard.load("sentences").tokenizer
    >>> shared = dict(d_model=12, d_ff=20, num_layers=1, num_heads=2, head="embedding")
    >>> text = EncoderConfig(tokenizer.vocab_size, **shared)
    >>> model = DualEncoder(DualEncoderConfig(text, VisionConfig(**shared))).eval()
    >>> matcher = Matcher(model, tokenizer, Preparation())
    >>> [match] = matcher.run([Image.new("RGB", (640, 480))], ["a cat", "a dog"])
    >>> round(sum(fit.score for fit in match.labels), 3)
    1.0

    Args:
        model: a `DualEncoder`, in evaluation mode; or a handle, which may load it later.
        preparation: of images for it.
        name: what to call it in messages.

    Raises:
        UnsupportedError: another kind of model.
        DamagedFileError: a preparation that is not the model's.
    """

    def __init__(
        self,
        model: nn.Module | ModelHandle,
        tokenizer: Tokenizer,
        preparation: Preparation,
        *,
        name: str = "matcher",
    ):
        self.handle = ModelHandle.of(model)
        _check_kind(self.handle.architecture, name)
        check_preparation(preparation, self.handle.config.image, name)
        tokenizer = tokenizer.for_table(self.handle.config.text.vocab_size)
        self.tokenizer, self.preparation, self.name = tokenizer, preparation, name

    @classmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None, lazily: bool = False) -> Self:
        """Return the model in `folder`, its tokenizer and its preparation of images."""
        checkpoint = open_checkpoint(folder)
        name = name or checkpoint.name
        _check_kind(checkpoint.architecture, name)
        handle = ModelHandle.of_checkpoint(checkpoint, lazily=lazily)
        tokenizer = checkpoint.tokenizers.source
        return cls(handle, tokenizer, read_preparation(checkpoint.files), name=name)

    def __call__(
        self, image: Picture | Sequence[Picture], labels: Sequence[str], **options: Any
    ) -> str | list[str]:
        """One image → the text that fits it best; a list → a list. Options as in `run`."""
        if isinstance(image, Sequence) and not isinstance(image, str):
            return [result.best.label for result in self.run(image, labels, **options)]
        return self.run([image], labels, **options)[0].best.label

    def run(
        self,
        images: Sequence[Picture],
        labels: Sequence[str] = (),
        *,
        template: str = "{}",
        top_k: int | None = None,
        patches: bool = False,
        batch_size: int = 8,
        progress: Callable[[int], None] = lambda done: None,
    ) -> list[Match]:
        """Return the texts that fit each image, best first.

        Args:
            images: files, or images of Pillow.
            labels: the texts to choose among.
            template: of the text for a label, which takes the place of {}.
            top_k: texts for each image; None: all.
            patches: also compare each patch of the images.
            batch_size: images, or texts, that are read together.
            progress: called with the number of images just finished.

        Raises:
            BadArgumentError: no texts, or one that is too long.
            DamagedFileError: a file that is not an image.
            UnavailableError: Pillow is not installed.
        """
        MatchingOptions(top_k=top_k, template=template)
        if not labels or any(not label.strip() for label in labels):
            raise BadArgumentError(
                f"labels must be texts to choose among, at least one; got {list(labels)}."
            )
        written = [template.replace("{}", label) for label in labels]
        texts = self.texts(written, batch_size=batch_size)
        seen = self.images(images, batch_size=batch_size, progress=progress)
        kind = "multi_label" if self.handle.config.pairwise else "single_label"
        logits = finite(self.engine.logits(seen, texts))
        scores = SCORES[f"{kind}_classification"](logits)
        cosines, results = cosines_of(seen, texts), []
        for image, row, near in zip(images, scores.tolist(), cosines.tolist(), strict=True):
            maps = self._maps(image, texts).tolist() if patches else [[]] * len(labels)
            fits = [Fit(*fit) for fit in zip(labels, row, near, maps, strict=True)]
            results.append(Match(sorted(fits, key=lambda fit: -fit.cosine)[:top_k]))
        return results

    def similarity(self, images: Sequence[Picture], texts: Sequence[str]) -> Vectors:
        """Return the cosines of the vectors of images and texts, (images, texts): the largest of a
        row is of the text that fits an image best, and the largest of a column of the image for a
        text."""
        return cosines_of(self.images(images), self.texts(texts))

    def images(
        self,
        images: Sequence[Picture],
        *,
        batch_size: int = 8,
        progress: Callable[[int], None] = lambda done: None,
    ) -> Vectors:
        """Return the vectors of images, (images, width)."""

        def compute(batch: list[Picture]) -> Vectors:
            pixels = read_each(lambda image: self.preparation.pixels(open_image(image)), batch)
            return self.engine(pixels=np.stack(pixels))

        return self._computed(list(images), compute, batch_size, progress)

    def texts(self, texts: Sequence[str], *, batch_size: int = 32) -> Vectors:
        """Return the vectors of texts, (texts, width).

        Raises:
            BadArgumentError: a text with more tokens than the model reads.
        """

        def compute(batch: list[list[int]]) -> Vectors:
            return self.engine(**self._batch(batch))

        return self._computed([self._ids(text) for text in texts], compute, batch_size)

    def inputs(self, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Texts as the model reads them, `ids` and `attention_mask`, (texts, length).

        Raises:
            BadArgumentError: a text with more tokens than the model reads.
        """
        return self._batch([self._ids(text) for text in texts])

    def patches(self, image: Picture, text: str) -> Vectors:
        """Fit of each patch of an image to a text, (rows, columns): the cosine of the text's
        vector and of the one that the image would have if this patch were all that is pooled."""
        patches: Vectors = self._maps(image, self.texts([text]))[0]
        return patches

    def occlusion(
        self,
        image: Picture,
        text: str,
        *,
        batch_size: int = 8,
        progress: Callable[[int], None] = lambda done: None,
    ) -> Occlusion:
        """Return the cosine of an image and a text with each patch and each word hidden, alone and
        together. It takes a run for each patch and one for each word, and one of the whole of both.

        A patch is hidden by the mean color, which preparation makes 0; a word by the mask that no
        other token sees it through.

        Args:
            batch_size: images, or texts, that are read together.
            progress: called with the number of images just finished.

        Raises:
            BadArgumentError: a text with more tokens than the model reads.
            DamagedFileError: a file that is not an image.
        """
        ids = self._ids(text)
        words = Naming.of(self.tokenizer).axis(ids).words or []
        inputs = self._batch([ids] * (1 + len(words)))
        for mask, (first, last) in zip(inputs["attention_mask"][1:], words, strict=True):
            mask[first:last] = False
        texts = self._computed(
            [{name: array[k] for name, array in inputs.items()} for k in range(1 + len(words))],
            lambda batch: self.engine(**{x: np.stack([row[x] for row in batch]) for x in inputs}),
            batch_size,
        )
        pixels = self.preparation.pixels(open_image(image))
        height, width = self.handle.config.image.patch_size

        def seen(corner: tuple[int, int] | None) -> NDArray[np.float32]:
            left = pixels.copy()
            if corner is not None:
                top, start = corner
                left[:, top : top + height, start : start + width] = 0
            return left

        rows, columns = self.grid
        corners = [
            (row * height, column * width) for row in range(rows) for column in range(columns)
        ]
        images = self._computed(
            [None, *corners],
            lambda batch: self.engine(pixels=np.stack([seen(corner) for corner in batch])),
            batch_size,
            progress,
        )
        gray = pixels.mean(0)
        return Occlusion(
            [self.tokenizer.decode(ids[first:last]) for first, last in words],
            cosines_of(texts, images),
            (rows, columns),
            (gray - gray.min()) / max(float(np.ptp(gray)), 1e-6),
            f"{self.name}: “{text}”",
        )

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of patches."""
        facts: Any = facts_of("VisionTransformer", self.handle.config.image)
        grid: tuple[int, int] = facts.grid
        return grid

    def _maps(self, image: Picture, texts: Vectors) -> Vectors:
        """`patches` for the vectors of several texts, (texts, rows, columns)."""
        [patches] = self.engine.patches(self.preparation.pixels(open_image(image))[None])
        return cosines_of(texts, patches).reshape(len(texts), *self.grid)

    def trace(self, text: str | Picture, *, keep: str = "auto") -> Trace:
        """Look at a text or an image and keep what every attention layer was given: see `Trace`.

        Args:
            text: a text; or an image, as a `pathlib.Path` or of Pillow.
            keep: where queries, keys and values stay: "memory", "disk" or "auto".

        Raises:
            BadArgumentError: a text with more tokens than the model reads.
            DamagedFileError: a file that is not an image.
        """
        name = ""
        both: Any = self.engine.seen(self.handle)
        inputs: dict[str, Any]
        if isinstance(text, str):
            model, inputs, name = both.text, self.inputs([text]), text
        else:
            model, inputs = both.image, {"pixels": self.preparation.pixels(open_image(text))[None]}
            name = os.fspath(text) if isinstance(text, os.PathLike) else ""
        tokenizer = None if model is both.image else self.tokenizer
        with no_changes(model):
            return traced(model, inputs, tokenizer=tokenizer, name=self.name, text=name, keep=keep)

    @property
    def room(self) -> int:
        """Tokens that are read of a text, special ones included."""
        return int(self.handle.config.text.max_positions)

    def _ids(self, text: str) -> list[int]:
        ids = list(self.tokenizer.inputs(text).ids)
        if len(ids) > self.room:
            raise BadArgumentError(
                f"a text may have {self.room} tokens with {self.name}; got {len(ids)}. Shorten it."
            )
        return ids

    def _batch(self, texts: Sequence[list[int]]) -> dict[str, NDArray[Any]]:
        """Texts as the model reads them; one that pools the last place was trained on texts of one
        length, whose padding it reads."""
        reads_padding = self.handle.config.text.pooling == "last"
        length = self.room if reads_padding else max(map(len, texts))
        ids = np.full((len(texts), length), self.tokenizer.pad_id, np.int64)
        mask = np.full(ids.shape, reads_padding)
        for row, seen, text in zip(ids, mask, texts, strict=True):
            row[: len(text)], seen[: len(text)] = text, True
        return {"ids": ids, "attention_mask": mask}

    def _computed(
        self,
        items: list[Any],
        compute: Callable[[list[Any]], Vectors],
        batch_size: int,
        progress: Callable[[int], None] = lambda done: None,
    ) -> Vectors:
        vectors = by_length(
            [[item] for item in items],
            lambda batch: list(as_array(compute(batch))),
            batch_size=batch_size,
            workers=self.engine.workers,
            progress=progress,
        )
        empty = np.zeros((0, self.handle.config.width), np.float32)
        return np.stack([vector for [vector] in vectors]) if vectors else empty


def _check_kind(architecture: str, name: str) -> None:
    if architecture != "DualEncoder":
        raise UnsupportedError(
            f"{name} must be a model of texts and images (CLIP or SigLIP) to compare them; it is of"
            f" another kind, {architecture}. Give the folder of such a model."
        )


def cosines_of(first: Vectors, second: Vectors) -> Vectors:
    """Return the cosines of vectors, (n, width) and (m, width) → (n, m)."""
    one, other = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (first, second))
    cosines: Vectors = one @ other.T
    return cosines
