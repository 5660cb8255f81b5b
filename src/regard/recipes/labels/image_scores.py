"""What a classifier makes of labeled images."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from regard.errors import BadArgumentError
from regard.recipes.labels.image_batches import Images
from regard.recipes.labels.labels import LabelEvaluation, evaluate_logits
from regard.tasks.images import ImageReader, Preparation


@torch.inference_mode()
def evaluate_images(
    model: nn.Module,
    images: Images,
    preparation: Preparation,
    labels: Sequence[str],
    *,
    batch_size: int = 64,
) -> LabelEvaluation:
    """Labels the images and compares.

    Raises:
        BadArgumentError: there are no images.
    """
    if not len(images):
        raise BadArgumentError("evaluating needs at least one image; got none.")
    weight = next(model.parameters())
    found = []
    for start in range(0, len(images), batch_size):
        pixels = torch.from_numpy(np.array(images.pixels[start : start + batch_size]))
        found.append(model(preparation.scaled(pixels).to(weight.device, weight.dtype)).float())
    expected = np.eye(len(labels), dtype=np.bool_)[images.labels]
    return evaluate_logits(torch.cat(found).cpu(), expected, tuple(labels), several=False)


def evaluate_test(run: Path) -> LabelEvaluation | None:
    """What a run's finished model makes of the test images in its folder; None without any."""
    images = Images.open(run / "data", "test")
    if not len(images):
        return None
    reader = ImageReader.load(run / "model")
    labels = reader.model.config.labels
    return evaluate_images(reader.model, images, reader.preparation, labels)
