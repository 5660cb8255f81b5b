"""Scores of classifiers on labeled images."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import nn

from regard.arrays import finite
from regard.errors import BadArgumentError, did_you_mean
from regard.tasks.images.batches import Images
from regard.tasks.images.preparation import Preparation
from regard.tasks.images.read import Pictures, check_pictures, open_pictures
from regard.tasks.images.task import ImageClassifier
from regard.training.evaluation import Progress, no_progress
from regard.training.labels import LabelEvaluation, evaluate_logits
from regard.training.options.evaluation import LabelOptions
from regard.training.report import LabelEvaluator


@torch.inference_mode()
def evaluate_images(
    model: nn.Module,
    images: Images,
    preparation: Preparation,
    labels: Sequence[str],
    *,
    batch_size: int = 64,
) -> LabelEvaluation:
    if not len(images):
        raise BadArgumentError("evaluating needs at least one image; got none.")
    weight = next(model.parameters())
    logits = []
    for start in range(0, len(images), batch_size):
        pixels = torch.from_numpy(np.array(images.pixels[start : start + batch_size]))
        logits.append(model(preparation.scaled(pixels).to(weight.device, weight.dtype)).float())
    expected = np.eye(len(labels), dtype=np.bool_)[images.labels]
    return evaluate_logits(torch.cat(logits).cpu(), expected, tuple(labels), multi_label=False)


class ImageEvaluator(LabelEvaluator[LabelOptions, ImageClassifier, Pictures]):
    """Evaluation of classifiers of images."""

    unit = "images"

    def read(self, path: str) -> Pictures:
        check_pictures(path)
        return open_pictures(path, say=self.say)

    def score(
        self, task: ImageClassifier, data: Pictures, *, progress: Progress = no_progress
    ) -> LabelEvaluation:
        """Label the images and compare; they are read a batch at a time."""
        numbers = {label: number for number, label in enumerate(task.labels)}
        if unknown := next((label for label in data.labels if label not in numbers), None):
            raise BadArgumentError(
                f"the classifier has no label {unknown!r}, which images in {data.path} have; it has"
                f" {', '.join(task.labels)}. Correct the label, or take those images out."
                f"{did_you_mean(unknown, task.labels)}"
            )
        if not len(data.labels):
            raise BadArgumentError(
                f"evaluating needs at least one image; {data.path} has none. Give images."
            )
        batches = []
        source = (pixels for _, pixels in data.read(task.preparation))
        while chunk := list(islice(source, self.options.batch_size)):
            pixels = task.preparation.scaled(torch.from_numpy(np.stack(chunk)))
            batches.append(torch.from_numpy(finite(task.logits(pixels))))
            progress(len(chunk))
        rows = np.array([numbers[label] for label in data.labels])
        expected = np.eye(len(numbers), dtype=np.bool_)[rows]
        multi_label = task.problem_type == "multi_label_classification"
        logits = torch.cat(batches)
        return evaluate_logits(logits, expected, tuple(task.labels), multi_label=multi_label)

    def size(self, data: Pictures) -> int:
        return len(data.labels)

    def named(self, data: Pictures, row: int) -> dict[str, Any]:
        return {"texts": [data.name(row)]}
