"""Learn which sentence of a document is its best summary.

data/
    train.jsonl, dev.jsonl, test.jsonl   documents with their summaries after cleaning
    train.tokens                         the first of them as token ids, with each token's label
    tokenizer.json, …

The tokens of the sentence that shares most with the summaries, by the mean of ROUGE-1, -2 and -L,
have one label, and all others the other (Liu and Lapata 2019, section 3, who take several sentences
and label each one's first token).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from torch import Tensor, nn

from regard.models import TextReader
from regard.tasks.extraction.task import CHOSEN, LABELS, TASK, Extractor
from regard.tasks.extraction.train_options import ExtractionOptions
from regard.tasks.summarization.score import (
    SummaryEvaluator,
    lead_scores,
    lead_words,
    require_rouge,
    rouge,
    rouge_line,
    together,
)
from regard.tasks.summarization.train import no_summary
from regard.tasks.token_classification.train import token_loss
from regard.text import Tokenizer
from regard.text.cutting import cut, sentences
from regard.training.card import CardText
from regard.training.encoded import EncodedBatch, write_store
from regard.training.encoders import EncoderData, EncoderRecipe
from regard.training.examples import Example, read_examples, split_examples, write_examples
from regard.training.prepared import Values


@dataclass(frozen=True)
class Documents(EncoderData):
    """Documents with summaries."""

    documents: int  # to train on
    lead_words: int  # of a training summary, on average
    dev: list[Example]
    test: list[Example]


class ExtractionRecipe(EncoderRecipe[ExtractionOptions, Documents]):
    """An encoder whose head tells the tokens of the best sentence from the others; see `Recipe`.

    The best model is the one of the highest ROUGE-L, as that of `SummarizationRecipe`.
    """

    data_class = Documents
    title, tag, task_type = "Extractive summarization", "summarization", "TOKEN_CLS"
    evaluator = SummaryEvaluator
    metric = "rougeL"
    shown: ClassVar = {
        "rouge1": "ROUGE-1 {:5.2f}",
        "rouge2": "-2 {:5.2f}",
        "rougeL": "-L {:5.2f}",
    }

    def check_files(self) -> None:
        require_rouge()
        super().check_files()

    def fill(self, folder: Path) -> tuple[str, Values]:
        [path] = self.source
        sizes = split_examples(
            path,
            self.options,
            folder,
            read=self.examples,
            fault=no_summary,
            fold=self.fold,
            say=self.say,
        )
        parts = {
            name: together(read_examples(folder / f"{name}.jsonl"))
            for name in ("train", "dev", "test")
        }
        for name, examples in parts.items():
            write_examples(folder / f"{name}.jsonl", examples)
        tokenizer = self.tokenizer(folder, (example.text for example in parts["train"]))
        store = write_store(
            folder / "train.tokens",
            self._rows(parts["train"], tokenizer),
            vocab_size=tokenizer.vocab_size,
            targets=len(LABELS) + 1,
            max_length=self.max_length,
        )
        self.say(f"{len(store.tokens):,} tokens")
        words = lead_words(parts["train"])
        for what, scores in lead_scores(parts["dev"], words).items():
            self.say(f"dev, the {what} of each document: {scores}")
        summary = f"{len(parts['train']):,} documents to train on; {sizes['dev']:,} dev"
        return summary, {"documents": len(parts["train"]), "lead_words": words}

    def _rows(
        self, examples: list[Example], tokenizer: Tokenizer
    ) -> Iterator[tuple[list[int], int, list[int]]]:
        """Token ids, their number, and for each the number of its label from 1, else 0."""
        encodings = tokenizer.inputs_batch([(example.text, None) for example in examples])
        for encoding, (first, last) in zip(encodings, best_sentences(examples), strict=True):
            special, ids = encoding.special_tokens_mask, encoding.ids
            targets = [
                0 if special[k] else 1 + LABELS.index(CHOSEN) * (first <= start < last)
                for k, (start, _) in enumerate(encoding.offsets)
            ]
            places = cut(encoding, self.max_length, tokenizer.truncation_side)
            yield [ids[k] for k in places], len(places), [targets[k] for k in places]

    def model(self, data: Documents) -> TextReader:
        return self.encoder(data.tokenizer, "token_classification", labels=LABELS)

    def loss(self, model: nn.Module, batch: EncodedBatch) -> tuple[Tensor, int, int]:
        return token_loss(model, batch)

    def evaluate(self, model: nn.Module, data: Documents) -> dict[str, float]:
        results = Extractor(model, data.tokenizer).run(
            [example.text for example in data.dev], force=True
        )
        return rouge(
            [result.summary for result in results], [example.targets for example in data.dev]
        ).with_ends

    def settings_of(self, data: Documents, figures: dict[str, float]) -> dict[str, object]:
        return {"task_specific_params": {TASK: {}}}

    def card(self, model: nn.Module, data: Documents, figures: dict[str, float]) -> CardText:
        leads = lead_scores(data.dev, data.lead_words)
        results = [
            f"Dev set, {len(data.dev):,} documents: {rouge_line(figures)}",
            *(f"The {what} of each of them: {lead}" for what, lead in leads.items()),
        ]
        about = [f"Takes one sentence; reads {self.max_length:,} tokens of a document at a time"]
        return CardText({"documents": data.documents}, results, about)


def best_sentences(examples: list[Example]) -> list[tuple[int, int]]:
    """Place in each document of the sentence that shares most with its summaries."""
    places = [sentences(example.text) for example in examples]
    pairs = [
        (example.text[a:b], example.targets)
        for example, its in zip(examples, places, strict=True)
        for a, b in its
    ]
    scores = iter(rouge(*zip(*pairs, strict=True)).each.mean(1))
    return [its[int(np.argmax([next(scores) for _ in its]))] for its in places]
