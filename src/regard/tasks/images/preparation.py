"""Images to the pixels that a model takes, as preprocessor_config.json says."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from regard.arrays import Array, arrays_of
from regard.errors import DamagedFileError, NotFoundError, UnsupportedError, check_choice, refusing
from regard.files import write_json
from regard.json_files import JsonFiles
from regard.lazy import PIL, torch

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor

Background = Literal["dark", "light"]
Size = tuple[int, int]  # height and width, in pixels
NOT_SCALED = ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))  # mean and deviation


@dataclass(frozen=True)
class Preparation:
    """From an image to pixels, as preprocessor_config.json says it; transformers' defaults."""

    size: Size | None = (224, 224)  # to which it is resized; None: it is not …
    shorter: int | None = None  # … or to this length of its shorter side, in its own shape
    resample: int = 2  # Pillow's number of the filter; 2 is bilinear
    crop: Size | None = None  # the part in the middle that is kept
    factor: float = 1 / 255  # by which bytes are multiplied
    mean: tuple[float, ...] = (0.5, 0.5, 0.5)  # subtracted, for red, green and blue; or for gray
    std: tuple[float, ...] = (0.5, 0.5, 0.5)  # divided by
    # What is behind the things on all of the model's images, dark or light: others are inverted.
    background: Background | None = None

    @property
    def channels(self) -> int:
        """Channels of the pixels: 3, or 1 for a model of gray images."""
        return len(self.mean)

    def __call__(self, image: Image) -> Tensor:
        """(channels, height, width)."""
        return torch.from_numpy(self.pixels(image))

    def pixels(self, image: Image) -> NDArray[np.float32]:
        """Return an image as the model takes it: an array, (channels, height, width)."""
        found: NDArray[np.float32] = np.ascontiguousarray(self.scaled(self.cut(image)))
        return found

    def cut(self, image: Image) -> NDArray[np.uint8]:
        """Return the image upright, in the model's size and colors, (height, width, channels).

        Raises:
            DamagedFileError: one so long and thin that it would have more pixels than Pillow takes
                for safe, once its shorter side is as the model wants it.
        """
        image = PIL.ImageOps.exif_transpose(image)  # cameras note how they were held
        if self.background is not None and image.has_transparency_data:
            sheet = PIL.Image.new("RGBA", image.size, "white")
            image = PIL.Image.alpha_composite(sheet, image.convert("RGBA"))
        image = image.convert("L" if self.channels == 1 else "RGB")
        size = self.size
        if self.shorter is not None:
            width, height = (self.shorter * side // min(image.size) for side in image.size)
            size = height, width
            if width * height > (PIL.Image.MAX_IMAGE_PIXELS or math.inf):
                raise DamagedFileError(
                    f"an image of {image.width} × {image.height} pixels would have {width} ×"
                    f" {height} with a shorter side of {self.shorter}. Cut off its ends."
                )
        if size is not None and image.size != size[::-1]:
            image = image.resize(size[::-1], resample=self.resample)
        if self.crop is not None:
            height, width = self.crop
            left, top = (image.width - width) // 2, (image.height - height) // 2
            image = image.crop((left, top, left + width, top + height))
        pixels = np.array(image, np.uint8)
        if self.background not in (None, ground_of(pixels)):
            pixels = 255 - pixels
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


def ground_of(pixels: NDArray[np.uint8]) -> Background:
    """Ground of an image, (height, width) or (height, width, channels), by the pixels at its
    border: "dark" or "light"."""
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    return "light" if np.median(border) > 127 else "dark"


# By the beginning of a processor's name, what transformers takes where a file does not say.
USUAL = {
    "CLIP": Preparation(
        size=None,
        shorter=224,
        resample=3,
        crop=(224, 224),
        mean=(0.48145466, 0.4578275, 0.40821073),
        std=(0.26862954, 0.26130258, 0.27577711),
    ),
    "Siglip": Preparation(resample=3),
}


def read_preparation(files: JsonFiles) -> Preparation:
    """Return the one in preprocessor_config.json.

    Raises:
        NotFoundError: there is no such file.
        UnsupportedError: it has a setting that is not supported.
    """
    file = files.folder / "preprocessor_config.json"
    settings = files.get(file.name)
    if settings is None and (both := files.get("processor_config.json")) is not None:
        settings = both.get("image_processor")  # of a model that reads texts too
    if settings is None:
        raise NotFoundError(
            f"{files.folder} has no preprocessor_config.json, which says how to prepare images."
            " Copy it from where the model came from."
        )
    name = str(settings.get("image_processor_type", settings.get("feature_extractor_type", "")))
    usual = next((usual for kind, usual in USUAL.items() if name.startswith(kind)), Preparation())
    does = {"resize": True, "rescale": True, "normalize": True}
    does["center_crop"] = usual.crop is not None
    does = {step: settings.get(f"do_{step}", usual) for step, usual in does.items()}
    crops = does["center_crop"]
    scale = (settings.get("image_mean"), settings.get("image_std"))
    mean, std = scale if does["normalize"] else NOT_SCALED
    with refusing(f"{file} is malformed"):
        size = settings.get("size", 224)
        if usual.shorter and isinstance(size, int):
            size = {"shortest_edge": size}
        # A crop gives all images one size.
        shorter = size.get("shortest_edge") if isinstance(size, dict) and crops else None
        found = Preparation(
            size=_size(size, file) if does["resize"] and shorter is None else None,
            shorter=None if shorter is None or not does["resize"] else int(shorter),
            resample=int(settings.get("resample", usual.resample)),
            crop=_size(settings.get("crop_size", 224), file) if crops else None,
            factor=float(settings.get("rescale_factor", usual.factor)) if does["rescale"] else 1.0,
            mean=tuple(float(each) for each in mean or usual.mean),
            std=tuple(float(each) for each in std or usual.std),
            background=settings.get("background"),
        )
        if len(found.mean) not in (1, 3) or len(found.std) != len(found.mean):
            raise ValueError("image_mean and image_std need a number for each channel, 1 or 3")
        if not 0 <= found.resample <= 5:
            raise ValueError(f"resample must be from 0 to 5; it is {found.resample}")
        if found.background is not None:
            check_choice("background", found.background, ("dark", "light"))
        return found


def write_preparation(preparation: Preparation, folder: str | os.PathLike[str]) -> None:
    """Write it as preprocessor_config.json, which `read_preparation` and transformers read."""
    size, crop = preparation.size, preparation.crop
    settings: dict[str, Any] = {
        "image_processor_type": "ViTImageProcessor",
        "do_convert_rgb": preparation.channels == 3,
        "do_resize": size is not None or preparation.shorter is not None,
        "resample": preparation.resample,
        "do_center_crop": crop is not None,
        "do_rescale": True,
        "rescale_factor": preparation.factor,
        "do_normalize": True,
        "image_mean": list(preparation.mean),
        "image_std": list(preparation.std),
    }
    if preparation.shorter is not None:
        settings["size"] = {"shortest_edge": preparation.shorter}
        settings["image_processor_type"] = "CLIPImageProcessor"
    if size is not None:
        settings["size"] = dict(zip(("height", "width"), size, strict=True))
    if preparation.background is not None:
        settings["background"] = preparation.background
    if crop is not None:
        settings["crop_size"] = dict(zip(("height", "width"), crop, strict=True))
    write_json(Path(folder) / "preprocessor_config.json", settings)


def _size(size: object, file: Path) -> Size:
    if isinstance(size, int):
        return size, size
    if isinstance(size, dict) and {"height", "width"} <= size.keys():
        return int(size["height"]), int(size["width"])
    raise UnsupportedError(
        f"{file} must give the size of images as height and width; it says {size}."
        " Use transformers for this model."
    )
