"""Images to labels: a vision Transformer, and the pixels as it was trained to see them."""

from __future__ import annotations

import math
import os
import struct
import warnings
from base64 import b64decode
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias, cast

import numpy as np

from regard.arrays import Array
from regard.checkpoints import Checkpoint, CheckpointLike, open_checkpoint
from regard.engine.batching import by_length, read_each
from regard.engine.engines import as_array
from regard.engine.handle import ModelHandle
from regard.engine.task import Task
from regard.errors import DamagedFileError, NotFoundError, RegardError, UnsupportedError
from regard.figures.png import png_text
from regard.files import check_content
from regard.lazy import PIL
from regard.tasks.classification.task import (
    Classification,
    Logits,
    check_problem_type,
    classified,
    label_trace,
    ranked,
    read_problem_type,
)
from regard.tasks.images.preparation import Preparation, read_preparation

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from torch import nn

    from regard.inspection import Trace
    from regard.models import VisionTransformer
    from regard.models.configs.vision import VisionConfig

Picture: TypeAlias = "str | os.PathLike[str] | Image"
WRITTEN = "data:image/"  # how the text of an image begins
IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm", ".pgm")


class ImageReader:
    """A vision Transformer, whatever its head, with the preparation of images for it.

    Args:
        model: in evaluation mode; or a handle, which may load it later.
        preparation: of images for it.
        name: what to call it in messages.
    """

    problem_type = ""  # of its labels, if it has any

    def __init__(
        self,
        model: VisionTransformer | ModelHandle,
        preparation: Preparation,
        *,
        name: str = "image reader",
    ):
        self.handle = ModelHandle.of(model)
        check_preparation(preparation, self.handle.config, name)
        self.preparation, self.name = preparation, name

    @property
    def model(self) -> VisionTransformer:
        """The model itself, whatever computes; loaded when it is first asked for."""
        model: VisionTransformer = self.handle.model
        return model

    @property
    def device(self) -> torch.device:
        """Device of the model; `.model.to(device)` moves it."""
        return self.model.embed.patches.weight.device

    @classmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None, lazily: bool = False) -> Self:
        """Return the model in `folder` and its preparation of images."""
        checkpoint = open_checkpoint(folder)
        name = name or checkpoint.name
        check_vision(checkpoint, name)
        handle = ModelHandle.of_checkpoint(checkpoint, lazily=lazily)
        settings = cls.settings_of(checkpoint)
        return cls(handle, read_preparation(checkpoint.files), name=name, **settings)

    @classmethod
    def settings_of(cls, checkpoint: Checkpoint) -> dict[str, Any]:
        """Return the other arguments, by the files of a checkpoint."""
        return {}

    def trace(
        self, image: Picture, *, without: Sequence[int | str] = (), keep: str = "auto"
    ) -> Trace:
        """Look at an image and keep what every attention layer was given: see `Trace`.

        The notes say which labels are the likeliest, of a model with labels.

        Args:
            image: a file, the text of one, or an image of Pillow.
            without: what is switched off: positions, by number, which no other position sees; heads
                ("encoder.layers.1.self:0") or edges of a head, from query 4 to key 2
                ("encoder.layers.1.self:0:4:2").
            keep: where queries, keys and values stay: "memory", "disk" or "auto".

        Raises:
            BadArgumentError: a file that is not an image; Pillow is not installed; a part that
                does not exist.
            UnsupportedError: `without` of a model without labels.
        """
        from regard.inspection.models import no_changes, switched_off, traced

        seen = self.preparation.cut(open_image(image))
        model = self.handle.engine.seen(self.handle)
        off = switched_off(model, without, {"patches": self.handle.config.length})
        with no_changes(model):
            trace = traced(
                model,
                {"pixels": np.ascontiguousarray(self.preparation.scaled(seen))[None]},
                name=self.name,
                text=os.fspath(image) if isinstance(image, str | os.PathLike) else "",
                answers={"label": 0} if self.problem_type == "single_label_classification" else {},
                without=off,
                keep=keep,
            )
        trace.axes["patches"] = replace(trace.axes["patches"], image=png_text(seen))
        if self.problem_type:
            label_trace(trace, self.handle.config.labels, self.problem_type)
        return trace


class ImageClassifier(ImageReader, Task):
    """Says what an image shows.

    >>> from PIL import Image
    >>> pixels = numpy.zeros((28, 28), dtype="uint8")
    >>> pixels[4:24, 13:15] = 255
    >>> regard.load("digits")(Image.fromarray(pixels))
    '1'

    Args:
        model: a vision Transformer with the head "classification", in evaluation mode.
        preparation: of images for it.
        problem_type: as for `Classifier`.
        name: what to call it in messages.
    """

    def __init__(
        self,
        model: nn.Module | ModelHandle,
        preparation: Preparation,
        *,
        problem_type: str = "single_label_classification",
        name: str = "image classifier",
    ):
        handle = ModelHandle.of(model)
        vision = handle.architecture == "VisionTransformer"
        if not vision or handle.config.head != "classification":
            raise UnsupportedError(
                f"{name} must be a vision Transformer with labels (ViTForImageClassification); it"
                " is not. Give a checkpoint that was trained for this."
            )
        super().__init__(handle, preparation, name=name)
        self.labels: tuple[str, ...] = handle.config.labels
        self.problem_type = check_problem_type(problem_type)

    @classmethod
    def settings_of(cls, checkpoint: Checkpoint) -> dict[str, Any]:
        return {"problem_type": read_problem_type(checkpoint)}

    def __call__(self, image: Picture | Sequence[Picture], **options: Any) -> str | list[str]:
        """One image → its best label; a list → a list. Options as in `run`."""
        if isinstance(image, Sequence) and not isinstance(image, str):
            return [result.best.label for result in self.run(image, **options)]
        return self.run([image], **options)[0].best.label

    def run(
        self,
        images: Sequence[Picture],
        *,
        top_k: int | None = None,
        batch_size: int = 8,
        progress: Callable[[int], None] = lambda done: None,
    ) -> list[Classification]:
        """Return the labels of each image: a file, or an image of Pillow.

        Args:
            top_k: labels for each image; None: all.
            batch_size: images looked at together.
            progress: called with the number of images just finished.

        Raises:
            DamagedFileError: a file that is not an image.
            UnavailableError: Pillow is not installed.
        """

        def compute(batch: list[Picture]) -> list[Logits]:
            each = read_each(lambda image: self.preparation.pixels(open_image(image)), batch)
            return list(self.logits(np.stack(each)))

        results = by_length(
            [[image] for image in images],
            compute,
            batch_size=batch_size,
            workers=self.engine.workers,
            progress=progress,
        )
        return [
            classified(ranked(logits, self.labels, self.problem_type), top_k)
            for [logits] in results
        ]

    def logits(self, pixels: Array) -> Logits:
        """Read prepared images, (batch, channels, height, width), a tensor or an array → (batch,
        labels), by the engine."""
        return self.engine(pixels=as_array(pixels))


def check_preparation(preparation: Preparation, config: VisionConfig, name: str) -> None:
    """Raise DamagedFileError for a preparation to another size than the model's."""
    size = preparation.crop or preparation.size or config.image_size
    if size != config.image_size:
        raise DamagedFileError(
            f"images must be prepared to {config.image_size} (height, width) for {name};"
            f" its preprocessor_config.json says {size}. Copy it again."
        )
    if preparation.channels != config.channels:
        raise DamagedFileError(
            f"images must be prepared to {config.channels} channels for {name}; the means in its"
            f" preprocessor_config.json are {len(preparation.mean)}. Copy it again."
        )


def check_vision(checkpoint: Checkpoint, name: str) -> None:
    """Raise UnsupportedError unless the checkpoint is a vision Transformer."""
    if checkpoint.architecture != "VisionTransformer":
        raise UnsupportedError(
            f"{name} must be a vision Transformer (ViT) to take images; it is a"
            f" {checkpoint.settings['model_type']} model. Give the folder of a ViT."
        )


def open_image(image: Picture) -> Image:
    """Return a file, or the text of one (data:image/…;base64,…), as an image of Pillow; such an
    image as it is."""
    if isinstance(image, PIL.Image.Image):
        return image
    name, file = image, cast("str | os.PathLike[str] | BytesIO", image)
    try:
        if isinstance(image, str) and image.startswith(WRITTEN):
            name = "this text of an image"
            file = BytesIO(b64decode(image.partition(",")[2], validate=True))
        with unread_image(file) as opened:
            opened.load()
            opened.getexif()  # says how it was held, which `Preparation.cut` reads
            return opened
    except RegardError:
        raise
    except (
        OSError,
        SyntaxError,
        ValueError,
        struct.error,
        PIL.Image.DecompressionBombError,
    ) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the file, not its content
            raise
        raise DamagedFileError(
            f"{name} is not an image Pillow can read ({error}). Save it again, or take it away."
        ) from error


def unread_image(file: str | os.PathLike[str] | BytesIO) -> Image:
    """Return a file as an image of Pillow, of which only the head has been read.

    Raises:
        DamagedFileError: it has more pixels than Pillow takes for safe, or cannot be waited for.
        Exception: Pillow's, of a file that it cannot read.
    """
    if not isinstance(file, BytesIO):
        check_content(file)
        if os.path.exists(file) and not os.path.isfile(file) and not os.path.isdir(file):
            raise DamagedFileError(f"{file} is a pipe or a device, not a file. Take it away.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PIL.Image.DecompressionBombWarning)  # refused below
        opened = PIL.Image.open(file)
    if opened.width * opened.height > (most := PIL.Image.MAX_IMAGE_PIXELS or math.inf):
        opened.close()
        raise DamagedFileError(
            f"{file} has {opened.width} × {opened.height} pixels; an image may have {most:,} in"
            " all. Make it smaller."
        )
    return opened


def image_files(folder: Path) -> list[Path]:
    """Return the images in a folder and the folders in it, by the names of the files, in order.

    Raises:
        NotFoundError: there is no image.
    """
    every = (Path(root, name) for root, _, names in os.walk(folder) for name in names)
    found = sorted(file for file in every if is_image(file))
    if not found:
        raise NotFoundError(
            f"there is no image in the folder {folder}; names of images end in"
            f" {', '.join(IMAGE_ENDINGS)}."
        )
    return found


def is_image(file: Path) -> bool:
    """Return True if a file's name is that of an image."""
    return file.suffix.lower() in IMAGE_ENDINGS and not file.name.startswith(".")
