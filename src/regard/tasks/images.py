"""Images to labels: a vision Transformer, and the pixels as it was trained to see them."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints import Checkpoint, CheckpointLike, open_checkpoint
from regard.errors import (
    DamagedFileError,
    NotFoundError,
    UnsupportedError,
    optional_package,
    refusing,
)
from regard.files import write_json
from regard.generation.arrays import Array, arrays_of
from regard.json_files import JsonFiles
from regard.tasks.batching import by_length
from regard.tasks.classification import (
    Classification,
    Logits,
    check_problem_type,
    ranked,
    read_problem_type,
)
from regard.tasks.network import Network
from regard.tasks.reading import as_array
from regard.tasks.task import Task

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from torch import Tensor, nn

    from regard.inspection import Trace
    from regard.models import VisionTransformer

Size = tuple[int, int]  # height and width, in pixels
Picture: TypeAlias = "str | os.PathLike[str] | Image"
IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm", ".pgm")
NOT_SCALED = ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))  # mean and deviation


@dataclass(frozen=True)
class Preparation:
    """From an image to pixels, as preprocessor_config.json says it; transformers' defaults."""

    size: Size | None = (224, 224)  # to which it is resized; None: it is not
    resample: int = 2  # Pillow's number of the filter; 2 is bilinear
    crop: Size | None = None  # the part in the middle that is kept
    factor: float = 1 / 255  # by which bytes are multiplied
    mean: tuple[float, ...] = (0.5, 0.5, 0.5)  # subtracted, for red, green and blue; or for gray
    std: tuple[float, ...] = (0.5, 0.5, 0.5)  # divided by

    @property
    def channels(self) -> int:
        """Of the pixels: 3, or 1 for a model of gray images."""
        return len(self.mean)

    def __call__(self, image: Image) -> Tensor:
        """(channels, height, width)."""
        import torch

        return torch.from_numpy(self.pixels(image))

    def pixels(self, image: Image) -> NDArray[np.float32]:
        """What the model takes, as an array, (channels, height, width)."""
        found: NDArray[np.float32] = np.ascontiguousarray(self.scaled(self.cut(image)))
        return found

    def cut(self, image: Image) -> NDArray[np.uint8]:
        """The image upright, in the model's size and colors, (height, width, channels)."""
        from PIL import ImageOps

        image = ImageOps.exif_transpose(image)  # cameras note how they were held
        image = image.convert("L" if self.channels == 1 else "RGB")
        if self.size is not None and image.size != self.size[::-1]:
            image = image.resize(self.size[::-1], resample=self.resample)
        if self.crop is not None:
            height, width = self.crop
            left, top = (image.width - width) // 2, (image.height - height) // 2
            image = image.crop((left, top, left + width, top + height))
        pixels = np.array(image, np.uint8)
        return pixels[..., None] if self.channels == 1 else pixels

    def scaled(self, pixels: Array) -> Array:
        """Bytes, (…, height, width, channels) → what the model takes, (…, channels, height, width);
        a tensor or an array.

        Gray bytes of one channel fill all channels of the model.
        """
        arrays = arrays_of(pixels)
        mean, std = (arrays.floats(arrays.array(x, like=pixels)) for x in (self.mean, self.std))
        scaled = (arrays.floats(pixels) * self.factor - mean) / std
        return scaled.swapaxes(-1, -3).swapaxes(-1, -2)


class ImageReader:
    """A vision Transformer, whatever its head, with the preparation of images for it.

    Args:
        model: in evaluation mode; or a network, which may load it later.
        preparation: of images for it.
        name: what to call it in messages.
    """

    problem_type = ""  # of its labels, if it has any

    def __init__(
        self,
        model: VisionTransformer | Network,
        preparation: Preparation,
        *,
        name: str = "image reader",
    ):
        self.network = Network.of(model)
        config = self.network.config
        size = preparation.crop or preparation.size or config.image_size
        if size != config.image_size:
            raise DamagedFileError(
                f"images must be prepared to {config.image_size} (height, width) for {name};"
                f" its preprocessor_config.json says {size}. Copy it again."
            )
        channels = config.channels
        if preparation.channels != channels:
            raise DamagedFileError(
                f"images must be prepared to {channels} channels for {name}; the means in its"
                f" preprocessor_config.json are {len(preparation.mean)}. Copy it again."
            )
        self.preparation, self.name = preparation, name

    @property
    def model(self) -> VisionTransformer:
        """The model itself, also where a packed one computes; loaded when it is first asked for."""
        model: VisionTransformer = self.network.model
        return model

    @property
    def device(self) -> torch.device:
        """Where the model computes; `.model.to(device)` moves it."""
        return self.model.embed.patches.weight.device

    @classmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None, lazily: bool = False) -> Self:
        """The model in `folder` and its preparation of images."""
        checkpoint = open_checkpoint(folder)
        name = name or checkpoint.name
        check_vision(checkpoint, name)
        network = Network.of_checkpoint(checkpoint, kind="Vision", lazily=lazily)
        return cls(network, read_preparation(checkpoint.files), name=name)

    def trace(self, image: Picture, *, keep: str = "auto") -> Trace:
        """Looks at an image and keeps what every attention layer was given: see `Trace`.

        The notes say which labels are the likeliest, of a model with labels.

        Args:
            image: a file, or an image of Pillow.
            keep: where queries, keys and values stay: "memory", "disk" or "auto".

        Raises:
            BadArgumentError: a file that is no image; Pillow is not installed.
        """
        import torch

        from regard.inspection.models import traced

        pixels = self.preparation(open_image(image))[None].to(self.device)
        with torch.inference_mode():
            return traced(
                self.model,
                {"pixels": pixels},
                name=self.name,
                text=os.fspath(image) if isinstance(image, str | os.PathLike) else "",
                answers={"label": 0} if self.problem_type == "single_label_classification" else {},
                keep=keep,
            )


class ImageClassifier(ImageReader, Task):
    """Says what an image shows.

    Args:
        model: a vision Transformer with the head "classification", in evaluation mode.
        preparation: of images for it.
        problem_type: as for `Classifier`.
        name: what to call it in messages.
    """

    def __init__(
        self,
        model: nn.Module | Network,
        preparation: Preparation,
        *,
        problem_type: str = "single_label_classification",
        name: str = "image classifier",
    ):
        network = Network.of(model)
        vision = network.architecture == "VisionTransformer"
        if not vision or network.config.head != "classification":
            raise UnsupportedError(
                f"{name} must be a vision Transformer with labels (ViTForImageClassification); it"
                " is not. Give a checkpoint that was trained for this."
            )
        super().__init__(network, preparation, name=name)
        self.labels: tuple[str, ...] = network.config.labels
        self.problem_type = check_problem_type(problem_type)

    @classmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None, lazily: bool = False) -> Self:
        """The classifier in `folder`: model, preparation of images and kind of problem."""
        checkpoint = open_checkpoint(folder)
        name = name or checkpoint.name
        check_vision(checkpoint, name)
        preparation, kind = read_preparation(checkpoint.files), read_problem_type(checkpoint)
        network = Network.of_checkpoint(checkpoint, kind="Vision", lazily=lazily)
        return cls(network, preparation, problem_type=kind, name=name)

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
        """The labels of each image: a file, or an image of Pillow.

        Args:
            top_k: labels for each image; None: all.
            batch_size: images looked at together.
            progress: called with the number of images just finished.

        Raises:
            DamagedFileError: a file that is not an image.
            UnavailableError: Pillow is not installed.
        """

        def compute(batch: list[Picture]) -> list[Logits]:
            each = [self.preparation.pixels(open_image(image)) for image in batch]
            return list(self.logits(np.stack(each)))

        found = by_length(
            [[image] for image in images],
            compute,
            batch_size=batch_size,
            workers=self.network.workers,
            progress=progress,
        )
        return [
            Classification(ranked(logits, self.labels, self.problem_type, top_k))
            for [logits] in found
        ]

    def logits(self, pixels: Array) -> Logits:
        """Prepared images, (batch, channels, height, width), a tensor or an array → (batch,
        labels), by the engine."""
        packed = self.packed
        if packed is not None:
            found: Logits = packed(as_array(pixels))
            return found
        import torch

        with torch.inference_mode():
            dtype = self.model.embed.patches.weight.dtype
            return as_array(self.model(torch.as_tensor(pixels).to(self.device, dtype)))


def check_vision(checkpoint: Checkpoint, name: str) -> None:
    """Raises UnsupportedError unless the checkpoint is a vision Transformer."""
    if checkpoint.architecture != "VisionTransformer":
        raise UnsupportedError(
            f"{name} must be a vision Transformer (ViT) to take images; it is a"
            f" {checkpoint.settings['model_type']} model. Give the folder of a ViT."
        )


def open_image(image: Picture) -> Image:
    """A file as an image of Pillow; such an image as it is."""
    with optional_package("pillow", "reading images needs"):
        from PIL import Image
    if isinstance(image, Image.Image):
        return image
    try:
        with Image.open(image) as opened:
            opened.load()
            opened.getexif()  # says how it was held, which `Preparation.cut` reads
            return opened
    except (OSError, SyntaxError, ValueError, struct.error, Image.DecompressionBombError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the file, not its content
            raise
        raise DamagedFileError(
            f"{image} is not an image Pillow can read ({error}). Save it again, or take it away."
        ) from error


def image_files(folder: Path) -> list[Path]:
    """The images in a folder and the folders in it, by the names of the files, in order.

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
    """Whether a file's name is that of an image."""
    return file.suffix.lower() in IMAGE_ENDINGS and not file.name.startswith(".")


def read_preparation(files: JsonFiles) -> Preparation:
    """The one in preprocessor_config.json.

    Raises:
        NotFoundError: there is no such file.
        UnsupportedError: it has a setting that is not supported.
    """
    file = files.folder / "preprocessor_config.json"
    settings = files.get(file.name)
    if settings is None:
        raise NotFoundError(
            f"{files.folder} has no preprocessor_config.json, which says how to prepare images."
            " Copy it from where the model came from."
        )
    does = {"resize": True, "center_crop": False, "rescale": True, "normalize": True}
    does = {step: settings.get(f"do_{step}", usual) for step, usual in does.items()}
    scale = (settings.get("image_mean"), settings.get("image_std"))
    mean, std = scale if does["normalize"] else NOT_SCALED
    usual = Preparation()
    with refusing(f"{file} is malformed"):
        return Preparation(
            size=_size(settings.get("size", 224), file) if does["resize"] else None,
            resample=int(settings.get("resample", usual.resample)),
            crop=_size(settings.get("crop_size", 224), file) if does["center_crop"] else None,
            factor=float(settings.get("rescale_factor", usual.factor)) if does["rescale"] else 1.0,
            mean=tuple(float(each) for each in mean or usual.mean),
            std=tuple(float(each) for each in std or usual.std),
        )


def write_preparation(preparation: Preparation, folder: str | os.PathLike[str]) -> None:
    """Writes it as preprocessor_config.json, which `read_preparation` and transformers read."""
    size, crop = preparation.size, preparation.crop
    settings: dict[str, Any] = {
        "image_processor_type": "ViTImageProcessor",
        "do_convert_rgb": preparation.channels == 3,
        "do_resize": size is not None,
        "resample": preparation.resample,
        "do_center_crop": crop is not None,
        "do_rescale": True,
        "rescale_factor": preparation.factor,
        "do_normalize": True,
        "image_mean": list(preparation.mean),
        "image_std": list(preparation.std),
    }
    if size is not None:
        settings["size"] = dict(zip(("height", "width"), size, strict=True))
    if crop is not None:
        settings["crop_size"] = dict(zip(("height", "width"), crop, strict=True))
    write_json(Path(folder) / "preprocessor_config.json", settings)


def _size(size: Any, file: Path) -> Size:
    if isinstance(size, int):
        return size, size
    if isinstance(size, dict) and {"height", "width"} <= size.keys():
        return int(size["height"]), int(size["width"])
    raise UnsupportedError(
        f"{file} must give the size of images as height and width; it says {size}."
        " Use transformers for this model."
    )
