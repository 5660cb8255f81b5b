"""Images to labels: a vision Transformer, and the pixels as it was trained to see them."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from regard.checkpoints import Checkpoint, CheckpointLike, from_pretrained, open_checkpoint
from regard.errors import (
    DamagedFileError,
    NotFoundError,
    UnsupportedError,
    optional_package,
    refusing,
)
from regard.files import write_json
from regard.inspection import Trace
from regard.inspection.models import traced
from regard.json_files import JsonFiles
from regard.models import VisionTransformer
from regard.tasks.batching import by_length, read_each
from regard.tasks.classification import (
    Classification,
    check_problem_type,
    ranked,
    read_problem_type,
)
from regard.tasks.task import Task

if TYPE_CHECKING:
    from PIL.Image import Image

    from regard.runtime.packed import PackedVision

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
        return self.scaled(torch.from_numpy(self.cut(image)))

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

    def scaled(self, pixels: Tensor) -> Tensor:
        """Bytes, (…, height, width, channels) → what the model takes, (…, channels, height, width).

        Gray bytes of one channel fill all channels of the model.
        """
        mean, std = torch.tensor(self.mean), torch.tensor(self.std)
        scaled = (pixels.float() * self.factor - mean.to(pixels.device)) / std.to(pixels.device)
        return scaled.movedim(-1, -3)


class ImageReader:
    """A vision Transformer, whatever its head, with the preparation of images for it.

    Args:
        model: in evaluation mode.
        preparation: of images for it.
        name: what to call it in messages.
    """

    problem_type = ""  # of its labels, if it has any

    def __init__(
        self, model: VisionTransformer, preparation: Preparation, *, name: str = "image reader"
    ):
        size = preparation.crop or preparation.size or model.config.image_size
        if size != model.config.image_size:
            raise DamagedFileError(
                f"images must be prepared to {model.config.image_size} (height, width) for {name};"
                f" its preprocessor_config.json says {size}. Copy it again."
            )
        channels = model.config.channels
        if preparation.channels != channels:
            raise DamagedFileError(
                f"images must be prepared to {channels} channels for {name}; the means in its"
                f" preprocessor_config.json are {len(preparation.mean)}. Copy it again."
            )
        self.model, self.preparation, self.name = model, preparation, name

    @property
    def device(self) -> torch.device:
        """Where the model computes; `.model.to(device)` moves it."""
        return self.model.embed.patches.weight.device

    @classmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None) -> Self:
        """The model in `folder` and its preparation of images."""
        checkpoint = open_checkpoint(folder)
        name = name or checkpoint.name
        check_vision(checkpoint, name)
        model = cast(VisionTransformer, from_pretrained(checkpoint))
        return cls(model, read_preparation(checkpoint.files), name=name)

    @torch.inference_mode()
    def trace(self, image: Picture, *, keep: str = "auto") -> Trace:
        """Looks at an image and keeps what every attention layer was given: see `Trace`.

        The notes say which labels are the likeliest, of a model with labels.

        Args:
            image: a file, or an image of Pillow.
            keep: where queries, keys and values stay: "memory", "disk" or "auto".

        Raises:
            BadArgumentError: a file that is no image; Pillow is not installed.
        """
        pixels = self.preparation(open_image(image))[None].to(self.device)
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

    model: VisionTransformer
    packed: PackedVision | None = None

    def __init__(
        self,
        model: nn.Module,
        preparation: Preparation,
        *,
        problem_type: str = "single_label_classification",
        name: str = "image classifier",
    ):
        if not isinstance(model, VisionTransformer) or model.config.head != "classification":
            raise UnsupportedError(
                f"{name} must be a vision Transformer with labels (ViTForImageClassification); it"
                " is not. Give a checkpoint that was trained for this."
            )
        super().__init__(model, preparation, name=name)
        self.labels = model.config.labels
        self.problem_type = check_problem_type(problem_type)

    @classmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None) -> Self:
        """The classifier in `folder`: model, preparation of images and kind of problem."""
        checkpoint = open_checkpoint(folder)
        name = name or checkpoint.name
        check_vision(checkpoint, name)
        preparation, kind = read_preparation(checkpoint.files), read_problem_type(checkpoint)
        return cls(from_pretrained(checkpoint), preparation, problem_type=kind, name=name)

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

        def compute(batch: list[Picture]) -> list[Tensor]:
            pixels = torch.stack(
                read_each(lambda image: self.preparation(open_image(image)), batch)
            )
            return list(self.logits(pixels))

        found = by_length(
            [[image] for image in images], compute, batch_size=batch_size, progress=progress
        )
        return [
            Classification(ranked(logits, self.labels, self.problem_type, top_k))
            for [logits] in found
        ]

    @torch.inference_mode()
    def logits(self, pixels: Tensor) -> Tensor:
        """Prepared images, (batch, channels, height, width) → (batch, labels), by the engine."""
        if self.packed is not None:
            return torch.from_numpy(self.packed(pixels.float().cpu().numpy()))
        return self.model(pixels.to(self.device, self.model.embed.patches.weight.dtype))


def check_vision(checkpoint: Checkpoint, name: str) -> None:
    """Raises UnsupportedError unless the checkpoint is a vision Transformer."""
    if checkpoint.family.model is not VisionTransformer:
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
