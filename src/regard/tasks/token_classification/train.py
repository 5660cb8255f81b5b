"""Learn to label the words of texts: named entities, parts of speech.

data/
    train.jsonl, dev.jsonl, test.jsonl   sentences after cleaning
    train.tokens                         the first of them as token ids, with each token's label
    tokenizer.json, …

The first token of a word has the word's label, and the others none (Devlin et al. 2019, section
5.3).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.data import OnBadLine
from regard.errors import BadArgumentError
from regard.models import TextReader
from regard.tasks.token_classification.examples import from_beginnings
from regard.tasks.token_classification.score import WordEvaluator, evaluate_words, first_tokens
from regard.tasks.token_classification.task import TokenClassifier
from regard.tasks.token_classification.train_options import TokenClassificationOptions
from regard.tasks.token_classification.word_scores import word_baselines
from regard.text import Tokenizer
from regard.text.cutting import cut
from regard.training.baselines import Baselines
from regard.training.card import CardText
from regard.training.encoded import EncodedBatch, output_of, write_store
from regard.training.encoders import EncoderData, EncoderRecipe
from regard.training.examples import Example, read_examples, split_examples
from regard.training.head_start import start_head
from regard.training.labels import described
from regard.training.prepared import Values
from regard.training.recipe import Epochs

_AT_ONCE = 4096  # sentences


@dataclass(frozen=True)
class LabeledWords(EncoderData):
    """Sentences whose words have labels."""

    labels: tuple[str, ...]
    dev: list[Example]
    test: list[Example]


class TokenClassificationRecipe(EncoderRecipe[TokenClassificationOptions, LabeledWords]):
    """An encoder whose head gives the label of each token; see `Recipe`.

    The best model is the one of the highest F1 of entities; where labels do not say where an entity
    begins, of the highest accuracy of words.
    """

    data_class = LabeledWords
    title, tag, task_type = "Labeling of words", "token-classification", "TOKEN_CLS"
    evaluator = WordEvaluator
    metric = "score"

    shown: ClassVar = {"loss": "dev loss {:.3f}", "accuracy": "accuracy {:.1%}", "f1": "F1 {:.1%}"}

    def fill(self, folder: Path) -> tuple[str, Values]:
        [path] = self.source
        sizes = split_examples(
            path, self.options, folder, read=self.examples, fold=self.fold, say=self.say
        )
        train = folder / "train.jsonl"
        labels, counts = self._labels(folder)
        tokenizer = self.tokenizer(folder, (example.text for example in read_examples(train)))
        cuts: list[int] = []
        store = write_store(
            folder / "train.tokens",
            self._rows(train, tokenizer, labels, cuts),
            vocab_size=tokenizer.vocab_size,
            targets=len(labels) + 1,
            max_length=self.max_length,
        )
        shorter = f"; {len(cuts):,} sentences cut to {self.max_length}" if cuts else ""
        words = f"{sum(counts):,} words, {len(store.tokens):,} tokens{shorter}"
        self.say(f"{words}; {described(labels, counts)}")
        summary = f"{sizes['train']:,} to train on, {sizes['dev']:,} dev, {len(labels)} labels"
        return summary, {"labels": labels}

    def examples(self, path: str, on_bad_line: OnBadLine, **reading: object) -> Iterator[Example]:
        changed = 0
        for example in super().examples(path, on_bad_line, **reading):
            example, entities = from_beginnings(example)
            changed += entities
            yield example
        if changed:
            self.say(f"{path}: {changed:,} entities began with I-; they begin with B- now (IOB2)")

    def _labels(self, folder: Path) -> tuple[list[str], list[int]]:
        """Return the labels of all parts in order, and how many training words have each."""
        counts = {
            part: Counter(
                label
                for example in read_examples(folder / f"{part}.jsonl")
                for _, _, label in example.targets
            )
            for part in ("train", "dev", "test")
        }
        labels = sorted(set().union(*counts.values()))
        if len(counts["train"]) < 2:
            raise BadArgumentError(
                f"labeling words needs at least two labels; {self.source[0]} has only"
                f" {sorted(counts['train'])}. Check the column of the labels."
            )
        if unseen := [label for label in labels if label not in counts["train"]]:
            self.say(f"no training sentence has {', '.join(unseen)}, which dev or test have")
        return labels, [counts["train"][label] for label in labels]

    def _rows(
        self, path: Path, tokenizer: Tokenizer, labels: Sequence[str], cuts: list[int]
    ) -> Iterator[tuple[list[int], int, list[int]]]:
        """Token ids, their number, and for each the number of its label from 1, else 0."""
        numbers = {label: number for number, label in enumerate(labels, 1)}
        examples = read_examples(path)
        while chunk := list(islice(examples, _AT_ONCE)):
            encodings = tokenizer.inputs_batch([(example.text, None) for example in chunk])
            for example, encoding in zip(chunk, encodings, strict=True):
                targets = [0] * len(encoding.ids)
                offsets = list(encoding.offsets)
                for place, special in enumerate(encoding.special_tokens_mask):
                    if special:
                        offsets[place] = (-1, -1)
                tokens = first_tokens(offsets, example.targets)
                for token, (_, _, label) in zip(tokens, example.targets, strict=True):
                    if token is not None:
                        targets[token] = numbers[label]
                places = cut(encoding, self.max_length, tokenizer.truncation_side)
                if len(places) < len(targets):
                    cuts.append(example.line)
                ids = encoding.ids
                yield [ids[k] for k in places], len(places), [targets[k] for k in places]

    def model(self, data: LabeledWords) -> TextReader:
        return self.encoder(data.tokenizer, "token_classification", labels=data.labels)

    def begin(self, model: nn.Module, data: LabeledWords, batches: Epochs) -> Baselines:
        name = ""
        if self.base is not None and self.base[0].config.labels != data.labels:
            self.begun = start_head(
                model,
                batches,
                lambda model, batch: output_of(model, batch.inputs),
                lambda logits, batches: functional.cross_entropy(
                    logits, torch.cat([_labeled(batch)[1] for batch in batches]), reduction="sum"
                ),
                chosen=lambda states, batch: states[_labeled(batch)[0].to(states.device)],
            )
            name = f"logistic regression on the states of {self.options.base_model}" * self.begun
        classifier = TokenClassifier(model.eval(), data.tokenizer)
        parts = {"dev": data.dev, "test": data.test}
        return word_baselines(
            {part: evaluate_words(classifier, rows) for part, rows in parts.items() if rows},
            name or None,
        )

    def loss(self, model: nn.Module, batch: EncodedBatch) -> tuple[Tensor, int, int]:
        return token_loss(model, batch)

    def evaluate(self, model: nn.Module, data: LabeledWords) -> dict[str, float]:
        return evaluate_words(TokenClassifier(model, data.tokenizer), data.dev).figures

    def card(self, model: nn.Module, data: LabeledWords, figures: dict[str, float]) -> CardText:
        entities = f"entity F1 {figures['f1']:.1%}, " if "f1" in figures else ""
        return CardText(
            {"sentences": len(data.train)},
            [
                f"Dev set, {len(data.dev):,} sentences: {entities}accuracy of words"
                f" {figures['accuracy']:.1%}, loss {figures['loss']:.3f}"
            ],
            [f"Labels: {', '.join(data.labels)}"],
        )


def _labeled(batch: EncodedBatch) -> tuple[Tensor, Tensor]:
    """Return the mask of tokens that have a label, (batch, length), and the numbers of their
    labels."""
    targets = torch.zeros(batch.inputs.ids.shape, dtype=torch.long)
    for row, numbers in zip(targets, batch.targets, strict=True):
        row[: len(numbers)] = torch.from_numpy(numbers)
    return targets > 0, targets[targets > 0] - 1


def token_loss(model: nn.Module, batch: EncodedBatch) -> tuple[Tensor, int, int]:
    """See `Recipe.loss`; the targets are the numbers of the tokens' labels from 1, 0 of none."""
    logits = output_of(model, batch.inputs)  # (batch, length, labels)
    targets = torch.zeros(logits.shape[:2], dtype=torch.long)
    for row, numbers in zip(targets, batch.targets, strict=True):
        row[: len(numbers)] = torch.from_numpy(numbers)
    count = int(targets.count_nonzero())
    loss = functional.cross_entropy(
        logits.flatten(0, 1),
        targets.flatten().to(logits.device) - 1,
        ignore_index=-1,
        reduction="sum",
    )
    return loss, count, batch.num_tokens
