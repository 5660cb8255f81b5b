"""Learn which text fits an image; data/ as `FileRecipe` has it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from regard.data.batches import Tensors
from regard.errors import BadArgumentError
from regard.models import DualEncoder
from regard.tasks.images.task import open_image
from regard.tasks.matching.score import MatchEvaluator, evaluate_matches
from regard.tasks.matching.task import Matcher
from regard.tasks.matching.train_options import MatchingOptions
from regard.training.card import CardText
from regard.training.examples import Example
from regard.training.files import FileBatches, FileData, FileRecipe, read_together


@dataclass(frozen=True)
class MatchBatch(Tensors):
    """Images, and the text of each."""

    pixels: Tensor  # (batch, channels, height, width)
    ids: Tensor  # (batch, length)
    mask: Tensor  # (batch, length)


class MatchingRecipe(FileRecipe[MatchingOptions, Matcher, MatchBatch]):
    """Two encoders that learn to tell the text of each image from the others of a batch, by
    `DualEncoder.loss`; see `Recipe`. The best model has the highest mean reciprocal rank.
    """

    task = Matcher
    title, tag = "Images and texts", "zero-shot-image-classification"
    evaluator = MatchEvaluator
    metric = "mrr"
    shown: ClassVar = {
        "loss": "dev loss {:.3f}",
        "text_recall_1": "recall@1 of texts {:.1%}",
        "image_recall_1": "of images {:.1%}",
        "mrr": "MRR {:.3f}",
    }

    def fault(self, example: Example) -> str | None:
        try:
            self.base.inputs([example.pair or ""])
        except BadArgumentError:
            return "long text"
        return None

    def batches(self, data: FileData, model: nn.Module) -> FileBatches[MatchBatch]:
        if len(data.train) < 2:
            raise BadArgumentError(
                "a batch needs at least two pairs, whose texts it tells apart; there is"
                f" {len(data.train)} to train on. Give more data."
            )
        return super().batches(data, model)

    def batch(self, examples: Sequence[Example]) -> MatchBatch:
        def read(file: str) -> NDArray[np.float32]:
            return self.base.preparation.pixels(open_image(file))

        pixels = np.stack(read_together(read, [example.text for example in examples]))
        inputs = self.base.inputs([example.pair or "" for example in examples])
        ids, mask = (torch.from_numpy(inputs[name]) for name in ("ids", "attention_mask"))
        return MatchBatch(torch.from_numpy(pixels), ids, mask)

    def loss(self, model: nn.Module, batch: MatchBatch) -> tuple[Tensor, int, int]:
        both = cast(DualEncoder, model)
        weight, count, tokens = both.logit_scale, len(batch.ids), int(batch.mask.sum())
        batch = batch.to(weight.device)
        images = both(pixels=batch.pixels.to(weight.dtype))
        texts = both(ids=batch.ids, attention_mask=batch.mask)
        wide = torch.promote_types(images.dtype, torch.float32)
        return both.loss(images.to(wide), texts.to(wide)) * count, count, tokens

    @torch.inference_mode()
    def evaluate(self, model: nn.Module, data: FileData) -> dict[str, float]:
        both, size = cast(DualEncoder, model), self.options.batch_size
        result, loss = evaluate_matches(self.task_of(model), data.dev), 0.0
        for start in range(0, len(data.dev), size):
            part = slice(start, start + size)
            images, texts = (
                torch.from_numpy(vectors[part]).to(both.logit_scale.device)
                for vectors in (result.images, result.texts)
            )
            loss += both.loss(images, texts).item() * len(images)
        return {"loss": loss / len(data.dev), **result.figures}

    def card(self, model: nn.Module, data: FileData, figures: dict[str, float]) -> CardText:
        result = (
            f"Dev set, {len(data.dev):,} pairs: recall@1 of texts {figures['text_recall_1']:.1%},"
            f" of images {figures['image_recall_1']:.1%}, mean reciprocal rank"
            f" {figures['mrr']:.3f}, loss {figures['loss']:.3f}"
        )
        return CardText({"pairs": len(data.train)}, [result])
