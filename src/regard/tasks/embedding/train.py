"""Learn vectors from pairs of texts: close where the texts belong together, or as a score says.

Contrastive with in-batch negatives: Henderson et al. 2017, section 4; van den Oord et al. 2018 call
the loss InfoNCE. Reimers and Gurevych 2019, section 3, for the encoder and for scores.

data/
    train.jsonl, dev.jsonl, test.jsonl   pairs after cleaning
    train.tokens                         the first of them as token ids of both texts
    scores.npy                           their scores, from -1 to 1, if they have scores
    tokenizer.json, …
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.checkpoints import Checkpoint, open_checkpoint
from regard.data import TokenStore
from regard.engine.reading import load_encoder
from regard.errors import BadArgumentError
from regard.models import Encoder
from regard.tasks.embedding.pairs import (
    PairBatch,
    PairBatches,
    contrastive_loss,
    cosine_loss,
    shared_texts,
)
from regard.tasks.embedding.score import PairEvaluator, evaluate_pairs
from regard.tasks.embedding.task import POOLING, Embedder, read_settings, write_settings
from regard.tasks.embedding.train_options import EmbeddingOptions
from regard.text import Tokenizer
from regard.training.card import CardText
from regard.training.encoded import encode_texts, output_of
from regard.training.encoders import EncoderData, EncoderRecipe
from regard.training.examples import Example, read_examples, split_examples
from regard.training.prepared import Numbers, Values


@dataclass(frozen=True)
class TextPairs(EncoderData):
    """Pairs of texts."""

    scores: Numbers | None  # (pairs,) to train on, from -1 to 1
    scale: float  # what the scores of a file are divided by
    dev: list[Example]
    test: list[Example]


class EmbeddingRecipe(EncoderRecipe[EmbeddingOptions, TextPairs]):
    """An encoder whose pooled states are a text's vector; see `Recipe`.

    Pairs without scores: each first text must be closest to its own second text of all in the
    batch. Pairs with scores: their cosine must be the score. The best model is the one of the
    highest mean reciprocal rank, or the highest rank correlation with the scores.
    """

    data_class = TextPairs
    title, tag, task_type = "Text embedding", "sentence-similarity", "FEATURE_EXTRACTION"
    evaluator = PairEvaluator
    metric = "score"
    shown: ClassVar = {
        "loss": "dev loss {:.3f}",
        "recall_1": "recall@1 {:.1%}",
        "recall_10": "recall@10 {:.1%}",
        "mrr": "MRR {:.3f}",
        "spearman": "Spearman {:.3f}",
    }

    @cached_property
    def _base(self) -> tuple[tuple[Encoder, Tokenizer], dict[str, Any]] | None:
        """The trained encoder, and an `Embedder`'s arguments if it was trained for this."""
        if self.options.base_model is None:
            return None
        checkpoint = open_checkpoint(self.options.base_model)
        folder, settings = read_settings(checkpoint)
        if folder != checkpoint.folder:
            checkpoint = Checkpoint(folder, name=checkpoint.name)
        return load_encoder(checkpoint, name=self.options.base_model), settings

    @cached_property
    def base(self) -> tuple[Encoder, Tokenizer] | None:
        return None if self._base is None else self._base[0]

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of the trained `Embedder`: vectors have length one, as cosines need."""
        base = {} if self._base is None else self._base[1]
        return {
            "pooling": self.options.pooling or base.get("pooling", "mean"),
            "normalize": True,
            "max_length": self.max_length,
            "lowercase": base.get("lowercase", False),
            "prompt": base.get("prompt", ""),
        }

    def fill(self, folder: Path) -> tuple[str, Values]:
        [path] = self.source
        sizes = split_examples(
            path,
            self.options,
            folder,
            read=self.examples,
            more=lambda example: (example.pair or "",),
            fold=self.fold,
            say=self.say,
        )
        scale = self._scale(path, folder)
        tokenizer = self.tokenizer(folder, self._texts(folder / "train.jsonl"))
        scores: list[float] = []
        counts = {"cut": 0}
        store = TokenStore.write(
            folder / "train.tokens",
            self._rows(folder / "train.jsonl", tokenizer, scores, counts),
            vocab_size=tokenizer.vocab_size,
        )
        if scale is not None:
            np.save(folder / "scores.npy", (np.array(scores) / scale).astype(np.float32))
        shorter = f"; {counts['cut']:,} texts cut to {self.max_length}" if counts["cut"] else ""
        self.say(f"{len(store):,} pairs, {len(store.tokens):,} tokens{shorter}")
        with_scores = " with scores" if scale is not None else ""
        summary = f"{sizes['train']:,} pairs{with_scores} to train on, {sizes['dev']:,} dev"
        return summary, {"scale": scale or 1.0}

    def _scale(self, path: str, folder: Path) -> float | None:
        """Return the divisor of the scores; None if the pairs have none."""
        parts = {
            name: [example.targets for example in read_examples(folder / f"{name}.jsonl")]
            for name in ("train", "dev", "test")
        }
        train = parts["train"]
        scored = bool(train[0])
        for name, rows in parts.items():
            if any(bool(targets) != scored for targets in rows):
                raise BadArgumentError(
                    "either every pair must have a score or no pair; some of the"
                    f" {name} pairs {'lack' if scored else 'have'} one. Give all of them a score,"
                    " or leave the others out."
                )
        if not scored:
            if self.options.score_scale is not None:
                raise BadArgumentError(
                    f"score_scale needs scores, and {path} has no column that is known to hold"
                    " them. Name it with `score`, or leave score_scale out."
                )
            return None
        if len({value for [value] in train}) == 1:
            raise BadArgumentError(
                f"every pair of {path} that is trained on has the score {train[0][0]:g}, from which"
                " nothing is learned. Give pairs with other scores as well, or a file without that"
                " column of pairs that all belong together."
            )
        scale = self.options.score_scale or max(1.0, max(value for [value] in train))
        largest = max(abs(value) for targets in parts.values() for [value] in targets)
        if largest > scale:
            raise BadArgumentError(
                f"a score divided by score_scale must be from -1 to 1; got {largest:g} and a scale"
                f" of {scale:g}. Give a larger score_scale."
            )
        self.say(f"the pairs have scores: cosines are trained to be the score divided by {scale:g}")
        return scale

    def _texts(self, path: Path) -> Iterator[str]:
        lowercase, prompt = self.settings["lowercase"], self.settings["prompt"]
        for example in read_examples(path):
            for text in (example.text, example.pair or ""):
                yield (prompt + text).lower() if lowercase else prompt + text

    def _rows(
        self, path: Path, tokenizer: Tokenizer, scores: list[float], counts: dict[str, int]
    ) -> Iterator[tuple[list[int], list[int]]]:
        texts = ((text, None) for text in self._texts(path))
        encoded = encode_texts(texts, tokenizer, self.max_length)
        for example, first, second in zip(read_examples(path), encoded, encoded, strict=True):
            scores += example.targets
            counts["cut"] += first.truncated + second.truncated
            yield first.ids, second.ids

    def model(self, data: TextPairs) -> Encoder:
        return cast(Encoder, self.encoder(data.tokenizer, "none"))

    def batches(self, data: TextPairs, model: nn.Module) -> PairBatches:
        return PairBatches(
            data.train,
            data.scores,
            cast(Encoder, model).config,
            max_tokens=self.options.max_tokens,
            batch_size=self.options.batch_size,
            seed=self.options.seed,
        )

    def loss(self, model: nn.Module, batch: PairBatch) -> tuple[Tensor, int, int]:
        batch = batch.to(next(model.parameters()).device)
        pool = POOLING[self.settings["pooling"]]
        first, second = (
            functional.normalize(pool(output_of(model, side), side.attention_mask), dim=-1)
            for side in (batch.first, batch.second)
        )
        return self._loss(first, second, batch.same, batch.scores), len(first), batch.num_tokens

    def _loss(self, first: Tensor, second: Tensor, same: Tensor, scores: Tensor | None) -> Tensor:
        if scores is not None:
            return cosine_loss(first, second, scores)
        options = self.options
        return contrastive_loss(
            first, second, same, temperature=options.temperature, symmetric=options.symmetric
        )

    def evaluate(self, model: nn.Module, data: TextPairs) -> dict[str, float]:
        embedder = Embedder(model, data.tokenizer, **self.settings)
        result = evaluate_pairs(embedder, [_scaled(pair, data.scale) for pair in data.dev])
        losses = []
        for start in range(0, len(data.dev), self.options.batch_size):
            part = slice(start, start + self.options.batch_size)
            same = shared_texts(
                [example.text for example in data.dev[part]],
                [example.pair for example in data.dev[part]],
            )
            scores = None if result.scores is None else torch.from_numpy(result.scores[part])
            first, second = (torch.from_numpy(side[part]) for side in (result.first, result.second))
            losses.append(self._loss(first, second, same, scores).item())
        return {"loss": sum(losses) / len(data.dev), **result.figures}

    def save_task(
        self, model: nn.Module, data: TextPairs, figures: dict[str, float], folder: Path
    ) -> None:
        super().save_task(model, data, figures, folder)
        write_settings(folder, d_model=cast(Encoder, model).config.d_model, **self.settings)

    def card(self, model: nn.Module, data: TextPairs, figures: dict[str, float]) -> CardText:
        if data.scores is not None:
            loss = "squared error of the cosine against a score"
            result = f"rank correlation with the scores {figures['spearman']:.3f}"
        else:
            loss = f"in-batch negatives, temperature {self.options.temperature:g}"
            loss += ", both directions" if self.options.symmetric else ""
            result = (
                f"recall@1 {figures['recall_1']:.1%}, recall@10 {figures['recall_10']:.1%}, mean"
                f" reciprocal rank {figures['mrr']:.3f}"
            )
        about = [
            f"Vectors: {self.settings['pooling']} pooling, length one; texts are cut to"
            f" {self.max_length} tokens",
            f"Loss: {loss}",
        ]
        dev = f"Dev set, {len(data.dev):,} pairs: {result}, loss {figures['loss']:.3f}"
        return CardText({"pairs": len(data.train)}, [dev], about)


def _scaled(example: Example, scale: float) -> Example:
    targets = [value / scale for value in example.targets]
    return Example(example.text, example.pair, targets, example.line)
