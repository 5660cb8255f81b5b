"""Learn to label texts: one label each, or several.

data/
    train.jsonl, dev.jsonl, test.jsonl   examples after cleaning
    train.tokens                         the first of them as token ids and label numbers
    tokenizer.json, …
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, cast

import torch
from torch import Tensor, nn

from regard.errors import BadArgumentError
from regard.models import Encoder, TextReader
from regard.models.heads import ClassificationHead, LinearHead
from regard.tasks.classification.read import NO_LABEL, looks_english, remarks
from regard.tasks.classification.score import TextLabelEvaluator, evaluate_labels
from regard.tasks.classification.task import Classifier
from regard.tasks.classification.train_options import ClassificationOptions
from regard.training.baselines import Baselines
from regard.training.card import CardText
from regard.training.encoded import (
    EncodedBatch,
    EncodedTexts,
    encode_texts,
    output_of,
    padded,
    write_store,
)
from regard.training.encoders import EncoderData, EncoderRecipe
from regard.training.examples import Example, read_examples, split_examples, write_examples
from regard.training.head_start import start_head
from regard.training.label_baselines import label_baselines
from regard.training.label_losses import balanced_weights, label_loss, log_odds
from regard.training.labels import (
    SHOWN,
    best_threshold,
    described,
    figures_line,
    in_order,
    problem_type,
)
from regard.training.mean_reading import pass_on, reads_by_mean, with_mean_layer
from regard.training.prepared import Values
from regard.training.recipe import Epochs

FEW_TEXTS = 2000  # to train on, under which a trained model is suggested
SAMPLE = 64  # texts by which it is judged whether the first state says anything


@dataclass(frozen=True)
class LabeledTexts(EncoderData):
    """Texts with labels."""

    labels: tuple[str, ...]
    multi_label: bool  # whether a text may have several
    counts: list[int]  # training texts that have each label
    dev: list[Example]
    test: list[Example]


class ClassificationRecipe(EncoderRecipe[ClassificationOptions, LabeledTexts]):
    """A model whose head gives the labels of a text, or of a pair; see `Recipe`.

    The best model is the one of the highest accuracy; where a text may have several labels, of the
    highest macro-F1. The threshold of probability above which a text has a label is the best for
    the dev set.
    """

    data_class = LabeledTexts
    title, tag, task_type = "Text classification", "text-classification", "SEQ_CLS"
    evaluator = TextLabelEvaluator
    metric = "score"
    shown: ClassVar = SHOWN
    any_reader = True

    def fill(self, folder: Path) -> tuple[str, Values]:
        [path] = self.source
        multi_label = self._survey([path, self.options.dev, self.options.test])
        sizes = split_examples(
            path,
            self.options,
            folder,
            read=self.examples,
            fault=lambda example: None if multi_label or example.targets else NO_LABEL,
            key=_key,
            label=lambda example: "\n".join(sorted(example.targets)),
            fold=self.fold,
            say=self.say,
        )
        labels, counts = self._labels(path, folder)
        tokenizer = self.tokenizer(folder, _texts(read_examples(folder / "train.jsonl")))
        numbers = {label: number for number, label in enumerate(labels)}
        truncated = 0

        def rows() -> Iterator[tuple[list[int], int, list[int]]]:
            nonlocal truncated
            file = folder / "train.jsonl"
            texts = ((example.text, example.pair) for example in read_examples(file))
            encoded = encode_texts(texts, tokenizer, self.max_length)
            for example, tokens in zip(read_examples(file), encoded, strict=True):
                truncated += tokens.truncated
                yield tokens.ids, tokens.first, [numbers[label] for label in example.targets]

        store = write_store(
            folder / "train.tokens",
            rows(),
            vocab_size=tokenizer.vocab_size,
            targets=len(labels),
            max_length=self.max_length,
        )
        cut = f"; {truncated:,} texts cut to {self.max_length}" if truncated else ""
        self.say(f"{len(store.tokens):,} tokens{cut}; {described(labels, counts)}")
        if self.base is None and sizes["train"] <= FEW_TEXTS:
            texts = [example.text for example in read_examples(folder / "train.jsonl")]
            if looks_english(texts):
                self.say(
                    "a model from random weights knows no word; with few English texts,"
                    " --from minilm (base_model) learns more"
                )
        summary = (
            f"{sizes['train']:,} to train on, {sizes['dev']:,} dev, {len(labels)} labels,"
            f" {'several' if multi_label else 'one'} a text"
        )
        return summary, {"labels": labels, "counts": counts, "multi_label": multi_label}

    def _survey(self, paths: Sequence[str | None]) -> bool:
        """Report on the labels of the files; return whether a text may have several."""
        spellings: Counter[str] = Counter()
        sizes: Counter[int] = Counter()  # of the texts' sets of labels
        for path in filter(None, paths):
            examples = self.examples(path, _silent, say=_silent, note=_silent, spellings=spellings)
            sizes.update(len(example.targets) for example in examples)
        many = sum(texts for labels, texts in sizes.items() if labels > 1)
        self.say(
            f"multi-label classification: {many:,} of {sizes.total():,} texts have several labels"
            if many
            else "single-label classification: each text has one label"
        )
        for remark in remarks(spellings):
            self.say(remark)
        return bool(many)

    def _labels(self, path: str, folder: Path) -> tuple[list[str], list[int]]:
        """Return the labels of the training texts in order, and how often each occurs; those of dev
        and test must be among them."""
        counter: Counter[str] = Counter()
        for example in read_examples(folder / "train.jsonl"):
            counter.update(example.targets)
        labels = sorted(counter, key=in_order)
        if len(labels) < 2:
            raise BadArgumentError(
                f"classification needs at least two labels; {path} has only {labels}. Check the"
                " column of the labels, or add texts with another label."
            )
        for name, source in (("dev", self.options.dev), ("test", self.options.test)):
            held = list(read_examples(folder / f"{name}.jsonl"))
            examples = [example for example in held if counter.keys() >= set(example.targets)]
            if source and len(examples) < len(held):
                example = next(example for example in held if example not in examples)
                label = next(label for label in example.targets if label not in counter)
                raise BadArgumentError(
                    f"{source}, line {example.line:,}, has the label {label!r}, which no training"
                    " text has. Give training texts with it, or take it out."
                )
            if name == "dev" and held and not examples:
                raise BadArgumentError(
                    f"no label of the {len(held):,} texts held out as dev is one that is trained on"
                    f" too. Check the column of the labels in {path}, or add texts with its labels."
                )
            if len(examples) < len(held):
                rare = len(held) - len(examples)
                self.say(f"{name}: {rare:,} left out whose label is too rare to be trained on too")
                write_examples(folder / f"{name}.jsonl", examples)
        return labels, [counter[label] for label in labels]

    def model(self, data: LabeledTexts) -> TextReader:
        trained = self._head_is_trained(data)
        start = None if trained else self._with_mean_layer(data)
        model = self.encoder(data.tokenizer, "classification", start=start, labels=data.labels)
        if start is not None:
            pass_on(model)
        bias = cast(ClassificationHead | LinearHead, model.head).output.bias
        if data.multi_label and not trained and bias is not None:
            with torch.no_grad():
                bias.copy_(log_odds(data.counts, len(data.train)))
        return model

    def _head_is_trained(self, data: LabeledTexts) -> bool:
        return self.base is not None and self.base[0].config.labels == data.labels

    def _with_mean_layer(self, data: LabeledTexts) -> TextReader | None:
        """Return the trained model with a layer that gives the head the mean; None where the first
        state is as good, or adapters, which are of the model as it is, are to learn."""
        if self.base is None:
            return None
        base = self.base[0]
        rows = range(min(SAMPLE, len(data.train)))
        batch = padded([data.train[row][0] for row in rows], base.config)
        if not reads_by_mean(base, batch):
            return None
        alike = f"the first state of {self.options.base_model} is alike for all texts"
        if self.options.lora_rank:
            self.say(f"{alike}, and adapters hardly change that; without lora_rank more is learned")
            return None
        self.say(f"{alike}: a new layer gives it the mean")
        return with_mean_layer(cast(Encoder, base))

    def begin(self, model: nn.Module, data: LabeledTexts, batches: Epochs) -> Baselines:
        name = None
        if self.base is not None and not self._head_is_trained(data):
            self.begun = start_head(
                model,
                batches,
                lambda model, batch: output_of(model, batch.inputs),
                lambda logits, batches: self._label_loss(logits, *batches),
            )
            name = f"logistic regression on the vectors of {self.options.base_model}" * self.begun
        kind = problem_type(data.multi_label)
        classifier = Classifier(model.eval(), data.tokenizer, problem_type=kind)
        parts = {"dev": data.dev, "test": data.test}
        evaluations = {
            part: evaluate_labels(classifier, rows) for part, rows in parts.items() if rows
        }
        return label_baselines(evaluations, data.counts, name or None)

    def batches(self, data: LabeledTexts, model: nn.Module) -> EncodedTexts:
        self._weights = self._weigh(data).to(next(model.parameters()).device)
        self._multi_label = data.multi_label
        return self.encoded(data.train, model)

    def _weigh(self, data: LabeledTexts) -> Tensor:
        """Return the weight of each label's loss, (labels,)."""
        if not self.options.class_weights:
            return torch.ones(len(data.labels))
        if not data.multi_label:
            return balanced_weights(data.counts)
        counts = torch.tensor(data.counts, dtype=torch.float32)
        # Positives against negatives, at most a hundredfold.
        return ((len(data.train) - counts) / counts).clamp(max=100)

    def loss(self, model: nn.Module, batch: EncodedBatch) -> tuple[Tensor, int, int]:
        loss = self._label_loss(output_of(model, batch.inputs), batch)
        return loss, len(batch.targets), batch.num_tokens

    def _label_loss(self, logits: Tensor, *batches: EncodedBatch) -> Tensor:
        targets = [numbers for batch in batches for numbers in batch.targets]
        weights = self._weights.to(logits.device)
        return label_loss(logits, targets, weights, multi_label=self._multi_label)

    def evaluate(self, model: nn.Module, data: LabeledTexts) -> dict[str, float]:
        kind = problem_type(data.multi_label)
        classifier = Classifier(model, data.tokenizer, problem_type=kind)
        evaluation = evaluate_labels(classifier, data.dev)
        if not data.multi_label:
            return evaluation.figures
        threshold = best_threshold(evaluation)
        predicted = evaluation.probabilities > threshold
        return replace(evaluation, predicted=predicted).figures | {"threshold": threshold}

    def settings_of(self, data: LabeledTexts, figures: dict[str, float]) -> dict[str, Any]:
        settings: dict[str, Any] = {"problem_type": problem_type(data.multi_label)}
        if data.multi_label:
            settings["decision_threshold"] = figures["threshold"]
        return settings

    def card(self, model: nn.Module, data: LabeledTexts, figures: dict[str, float]) -> CardText:
        kind = "any number of" if data.multi_label else "one of"
        about = [f"Labels: {kind} {', '.join(data.labels)}"]
        if data.multi_label:
            threshold = figures["threshold"]
            about.append(f"A text has the labels with a probability above {threshold:.2f}")
        return CardText(
            {"texts": len(data.train)},
            [figures_line("Dev set", figures, len(data.dev), "texts")],
            about,
        )


def _silent(what: object) -> None:
    """Nothing: it is said when the texts are read."""


def _key(example: Example) -> str:
    return example.text if example.pair is None else f"{example.text}\t{example.pair}"


def _texts(examples: Iterator[Example]) -> Iterator[str]:
    for example in examples:
        yield example.text
        if example.pair is not None:
            yield example.pair
