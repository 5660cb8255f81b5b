"""Learn to label images: one label each.

data/
    train.npy, dev.npy, test.npy    bytes in the model's size, (n, height, width, channels)
    train.labels.npy, …             numbers of their labels
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import torch
from torch import Tensor, nn

from regard.checkpoints import open_checkpoint, save_pretrained
from regard.errors import BadArgumentError
from regard.json_files import read_object
from regard.models import VisionTransformer
from regard.models.heads import LinearHead, replace_head
from regard.models.model import init_weights
from regard.tasks.classification.read import remarks
from regard.tasks.images.batches import (
    Augmentation,
    Bytes,
    ImageBatch,
    ImageBatches,
    Images,
    PictureParts,
    PreparedPictures,
)
from regard.tasks.images.preparation import Preparation, ground_of, write_preparation
from regard.tasks.images.read import Look, check_pictures, common_size, look_at, open_pictures
from regard.tasks.images.score import ImageEvaluator, evaluate_images
from regard.tasks.images.task import ImageReader
from regard.tasks.images.train_options import ImageClassificationOptions
from regard.training.baselines import Baselines
from regard.training.card import CardText
from regard.training.encoders import freeze, layer_rate
from regard.training.head_start import start_head
from regard.training.label_baselines import label_baselines
from regard.training.label_losses import balanced_weights, one_label_loss
from regard.training.labels import (
    SHOWN,
    described,
    figures_line,
    problem_type,
)
from regard.training.prepared import Prepared, Values
from regard.training.recipe import Epochs, Recipe

# Patches a side: on digits of 28 pixels 4 learned more in equal time than 7; ViT has 14 at 224.
FEWEST_PATCHES, MOST_PATCHES = 4, 14
USUAL_PATCH = 8  # pixels, where that gives as many


@dataclass(frozen=True)
class LabeledImages(Prepared):
    """Images with labels."""

    train: Images
    dev: Images
    test: Images
    labels: tuple[str, ...]
    counts: list[int]  # training images that have each label
    preparation: Preparation


class ImageClassificationRecipe(Recipe[ImageClassificationOptions, LabeledImages]):
    """A vision Transformer whose head gives the label of an image; see `Recipe`."""

    data_class = LabeledImages
    more_made_by = ("channels", "seed")
    title = "Image classification"
    tag = "image-classification"
    evaluator = ImageEvaluator
    metric = "accuracy"
    shown: ClassVar = SHOWN

    def check_files(self) -> None:
        for path in self.files:
            check_pictures(path)
        _ = self.base

    @cached_property
    def base(self) -> ImageReader | None:
        """The trained model; None for random weights."""
        name = self.options.base_model
        return None if name is None else ImageReader.load(open_checkpoint(name), name=name)

    def fill(self, folder: Path) -> tuple[str, Values]:
        [path] = self.source
        options = self.options
        pictures = open_pictures(path, say=self.say)
        held = {
            name: None if file is None else open_pictures(file, say=self.say)
            for name, file in (("dev", options.dev), ("test", options.test))
        }
        look = look_at(pictures)
        every = [look, *(look_at(other) for other in held.values() if other is not None)]
        preparation = self._size(look, path)
        size = preparation.crop or preparation.size
        others = sum(sum(other.sizes.values()) - other.sizes[size or (0, 0)] for other in every)
        if others:
            self.say(f"{others:,} images resized to {size[0]} × {size[1]} pixels" if size else "")
        gray = all(other.gray for other in every)
        if preparation.channels == 1 and not gray:
            self.say("images in color become gray: the model has 1 channel")
        parts = PictureParts(folder, preparation, gray, options.seed, self.say)
        about = parts.write(pictures, held)
        if self.base is None:
            preparation = _measured(preparation, Images.open(folder, "train").pixels)
        labels, sizes = about["labels"], about["sizes"]
        for remark in remarks(dict(zip(labels, about["counts"], strict=True))):
            self.say(remark)
        self.say(described(labels, about["counts"]))
        summary = f"{sizes['train']:,} to train on, {sizes['dev']:,} dev, {len(labels)} labels"
        return summary, about | {"preparation": asdict(preparation)}

    def _size(self, look: Look, path: str) -> Preparation:
        """Return the preparation of the images, but for the means of a new model."""
        if self.base is not None:
            size = self.base.model.config.image_size
            return replace(self.base.preparation, size=self.base.preparation.size or size)
        side = self.options.image_size
        size = common_size(look, path) if side is None else (side, side)
        self.patch_size(size)
        neutral = (0.5,) * (self.options.channels or 3)
        return Preparation(size, mean=neutral, std=neutral)

    def patch_size(self, size: tuple[int, int]) -> int:
        """Return the side of a patch, in pixels: as was asked, or the smallest that gives few
        enough."""
        patch, (height, width) = self.options.patch_size, size
        if patch is not None:
            if height % patch or width % patch:
                raise BadArgumentError(
                    f"patch_size must divide the images' {height} × {width} pixels; got {patch}."
                )
            return patch
        patches = min(MOST_PATCHES, max(FEWEST_PATCHES, round(max(size) / USUAL_PATCH)))
        least = -(-max(size) // patches)
        for side in range(least, min(size) // 2 + 1):
            if not height % side and not width % side:
                return side
        raise BadArgumentError(
            f"images of {height} × {width} pixels cannot be cut into square patches. Give an"
            f" image_size that can, such as {max(8, round(max(size) / 8) * 8)}."
        )

    def model(self, data: LabeledImages) -> VisionTransformer:
        if self.base is not None:
            changes = self.options.chosen("dropout")
            model = replace_head(self.base.model, "classification", labels=data.labels, **changes)
            freeze(model, self.options.train_layers)
            return model.train()
        size = data.preparation.size
        assert size is not None
        config = self.options.model_settings(
            data.labels,
            image_size=size,
            patch_size=(self.patch_size(size),) * 2,
            channels=data.preparation.channels,
        )
        model = VisionTransformer(config)
        initialize(model)
        return model

    def describe(self, model: nn.Module) -> str:
        config = cast(VisionTransformer, model).config
        (height, width), (rows, columns) = config.image_size, config.patch_size
        name = self.options.base_model
        kind = f"from {name}" if name else self.options.model_name
        return f"ViT {kind}, {height} × {width} pixels in patches of {rows} × {columns}"

    def batches(self, data: LabeledImages, model: nn.Module) -> ImageBatches:
        options, device = self.options, next(model.parameters()).device
        weights = balanced_weights(data.counts) if options.class_weights else None
        self._weights = (torch.ones(len(data.labels)) if weights is None else weights).to(device)
        self._tokens = cast(VisionTransformer, model).embed.positions.shape[1]
        if self._tokens > options.max_tokens:
            raise BadArgumentError(
                f"max_tokens must be at least {self._tokens}, the tokens of one image; got"
                f" {options.max_tokens}."
            )
        return ImageBatches(
            data.train,
            data.preparation,
            Augmentation(options.shift, options.rotate, options.scale, options.flip),
            batch_size=min(options.batch_size, options.max_tokens // self._tokens),
            seed=options.seed,
        )

    def begin(self, model: nn.Module, data: LabeledImages, batches: Epochs) -> Baselines:
        name = ""
        if self.base is not None and self.base.model.config.labels != data.labels:
            self.begun = start_head(
                model,
                batches,
                self.loss,
                lambda logits, batches: one_label_loss(
                    logits, torch.cat([batch.labels for batch in batches]), self._weights.cpu()
                ),
            )
            name = f"logistic regression on the vectors of {self.options.base_model}" * self.begun
        parts = {"dev": data.dev, "test": data.test}
        evaluations = {
            part: evaluate_images(model.eval(), images, data.preparation, data.labels)
            for part, images in parts.items()
            if len(images)
        }
        return label_baselines(evaluations, data.counts, name or None)

    def loss(self, model: nn.Module, batch: ImageBatch) -> tuple[Tensor, int, int]:
        weight = next(model.parameters())
        logits = model(batch.pixels.to(weight.device, weight.dtype)).float()
        loss = one_label_loss(logits, batch.labels, self._weights)
        return loss, len(logits), len(logits) * self._tokens

    def evaluate(self, model: nn.Module, data: LabeledImages) -> dict[str, float]:
        return evaluate_images(model, data.dev, data.preparation, data.labels).figures

    def save_task(
        self, model: nn.Module, data: LabeledImages, figures: dict[str, float], folder: Path
    ) -> None:
        settings = {"problem_type": problem_type(False)}
        save_pretrained(model, folder, dtype=self.dtype(model), settings=settings)
        write_preparation(data.preparation, folder)

    def card(self, model: nn.Module, data: LabeledImages, figures: dict[str, float]) -> CardText:
        result = figures_line("Dev set", figures, len(data.dev), "images")
        about = [f"Labels: one of {', '.join(data.labels)}"]
        return CardText({"images": len(data.train)}, [result], about)

    def test_sets(self, run: Path, part: str = "test") -> Iterator[tuple[str, Any]]:
        images = Images.open(run / "data", part)
        if len(images):
            labels = read_object(run / "data" / "prepared.json")["values"]["labels"]
            yield "", PreparedPictures(f"the {part} set", images, labels)

    def rate_scale(self, name: str) -> float:
        if self.base is not None:
            layers = self.base.model.config.num_layers
        else:
            layers = self.options.model_settings(()).num_layers
        return layer_rate(name, {"encoder": layers}, self.options.layer_decay)


@torch.no_grad()
def initialize(model: VisionTransformer) -> None:
    """Random weights to learn from few images with: projections keep the size of what they read,
    positions are as large as patches, and the first logits are zero.

    ViT's own deviation of 0.02 suits wide models and long training. A narrow model passes little
    of its input on, and sees at first a bag of patches, because their positions hardly count.
    """
    init_weights(model, std=model.config.d_model**-0.5)
    if model.embed.positions.requires_grad:
        nn.init.normal_(model.embed.positions, std=0.5)
    if model.embed.class_token is not None:
        nn.init.normal_(model.embed.class_token, std=0.5)
    if isinstance(model.head, LinearHead):
        nn.init.zeros_(model.head.output.weight)


def _measured(preparation: Preparation, pixels: Bytes) -> Preparation:
    """Return the preparation with the mean and deviation of the channels over all images, and with
    the background, dark or light, that all of them have, if they are gray."""
    total, squares, count = np.zeros(1), np.zeros(1), 0
    for start in range(0, len(pixels), 1024):
        part = pixels[start : start + 1024].astype(np.float64).reshape(-1, pixels.shape[-1]) / 255
        total, squares = total + part.sum(0), squares + (part**2).sum(0)
        count += len(part)
    mean = total / count
    deviation = np.sqrt(np.maximum(squares / count - mean**2, 1e-6))
    repeats = preparation.channels // len(mean)
    grounds = list({ground_of(image) for image in pixels}) if pixels.shape[-1] == 1 else []
    return replace(
        preparation,
        background=grounds[0] if len(grounds) == 1 else None,
        mean=tuple(round(float(value), 6) for value in mean) * repeats,
        std=tuple(round(float(value), 6) for value in deviation) * repeats,
    )
