"""Learn to find the answer to a question in a text, or that the text has no answer.

Devlin et al. 2019, sections 4.2 and 4.3.

data/
    train.jsonl, dev.jsonl, test.jsonl   questions after cleaning
    train.tokens                         the first of them in windows, each with its answer's place
    tokenizer.json, …
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from tokenizers import Encoding
from torch import Tensor, nn
from torch.nn import functional

from regard.errors import BadArgumentError
from regard.models import TextReader
from regard.tasks.question_answering.read import QuestionReader, fault, titles
from regard.tasks.question_answering.score import AnswerEvaluator, evaluate_answers
from regard.tasks.question_answering.task import Answerer, AnswerSettings
from regard.tasks.question_answering.train_options import QuestionAnsweringOptions
from regard.text import Tokenizer
from regard.text.cutting import windows
from regard.training.card import CardText
from regard.training.encoded import EncodedBatch, output_of, write_store
from regard.training.encoders import EncoderData, EncoderRecipe
from regard.training.examples import Example, read_examples, split_examples, write_examples
from regard.training.prepared import Values

_AT_ONCE = 256  # questions encoded together, each with its whole context


@dataclass(frozen=True)
class Questions(EncoderData):
    """Questions with contexts and answers."""

    count: int  # training questions
    impossible: bool  # some question has no answer in its context
    dev: list[Example]
    test: list[Example]


class QuestionAnsweringRecipe(EncoderRecipe[QuestionAnsweringOptions, Questions]):
    """A model whose head points at the first and the last token of an answer; see `Recipe`.

    A window of the context without the answer has the first special token as its target, and so has
    a question without an answer. If there are such questions, the threshold that decides whether to
    answer is the one with the highest F1 on dev. The best model is the one of the highest F1.
    """

    data_class = Questions
    title, tag, task_type = "Question answering", "question-answering", "QUESTION_ANS"
    evaluator = AnswerEvaluator
    metric = "f1"
    any_reader = True
    shown: ClassVar = {"exact_match": "exact match {:.1%}", "f1": "F1 {:.1%}"}

    def fill(self, folder: Path) -> tuple[str, Values]:
        [path] = self.source
        split_examples(
            path,
            self.options,
            folder,
            read=QuestionReader(self.options, self.say).read,
            fault=fault,
            key=lambda example: example.group or example.pair or "",
            share=0.1,  # whole articles, of which there are few
            fold=self.fold,
            say=self.say,
        )
        tokenizer = self.tokenizer(folder, _texts(read_examples(folder / "train.jsonl")))
        for name in ("dev", "test"):
            self._drop_unreadable(folder / f"{name}.jsonl", tokenizer)
        dev = list(read_examples(folder / "dev.jsonl"))
        if not dev and (self.fold is None or self.fold.number):
            raise BadArgumentError(
                f"no dev question can be read in windows of {self.max_length} tokens. Raise"
                " max_length."
            )
        counts = dict.fromkeys(("questions", "windows", "elsewhere", "open", "unreadable"), 0)
        store = write_store(
            folder / "train.tokens",
            self._rows(read_examples(folder / "train.jsonl"), tokenizer, counts),
            vocab_size=tokenizer.vocab_size,
            targets=self.max_length + 1,
            max_length=self.max_length,
        )
        self.say(
            f"{counts['questions']:,} questions, {counts['open']:,} of them without an answer, in"
            f" {counts['windows']:,} windows of at most {self.max_length} tokens;"
            f" {counts['elsewhere']:,} windows do not hold the answer; {len(store.tokens):,} tokens"
        )
        if counts["unreadable"]:
            self.say(
                f"train: {counts['unreadable']:,} left out that leave no room for the context, or"
                " whose answer has no token"
            )
        impossible = counts["open"] > 0 or any(not example.targets for example in dev)
        summary = (
            f"{counts['questions']:,} questions to train on, {len(dev):,} dev from"
            f" {titles(dev):,} articles or contexts"
        )
        return summary, {"count": counts["questions"], "impossible": impossible}

    @property
    def _stride(self) -> int:
        return min(self.options.doc_stride, self.max_length // 2)  # as `Answerer.run` takes it

    def _drop_unreadable(self, path: Path, tokenizer: Tokenizer) -> None:
        examples = list(read_examples(path))
        usable = [
            example
            for example, encoding in _encoded(iter(examples), tokenizer)
            if answer_windows(encoding, None, self.max_length, self._stride)
        ]
        if len(usable) < len(examples):
            self.say(
                f"{path.stem}: {len(examples) - len(usable):,} left out that leave no room for the"
                " context"
            )
            write_examples(path, usable)

    def _rows(
        self, examples: Iterator[Example], tokenizer: Tokenizer, counts: dict[str, int]
    ) -> Iterator[tuple[list[int], int, list[int]]]:
        """Yield each window's row of the store: ids, the length of the question's part, and [first
        and last token of the answer, begin and end of the context]."""
        for example, encoding in _encoded(examples, tokenizer):
            place = None
            if example.targets:
                text, start = example.targets[0]
                place = (start, start + len(text))
            cuts = answer_windows(encoding, place, self.max_length, self._stride)
            if not cuts or (place and not any(window.last for window in cuts)):
                counts["unreadable"] += 1
                continue
            counts["questions"] += 1
            counts["open"] += place is None
            counts["windows"] += len(cuts)
            counts["elsewhere"] += sum(not window.last for window in cuts) if place else 0
            ids, kinds = encoding.ids, encoding.type_ids
            for window in cuts:
                sides = [kinds[k] for k in window.positions]
                targets = [window.first, window.last, window.begin, window.end]
                yield [ids[k] for k in window.positions], len(sides) - sum(sides), targets

    def model(self, data: Questions) -> TextReader:
        return self.encoder(data.tokenizer, "question_answering")

    def loss(self, model: nn.Module, batch: EncodedBatch) -> tuple[Tensor, int, int]:
        logits = output_of(model, batch.inputs)
        places = torch.from_numpy(np.stack(batch.targets)).to(logits.device)
        return span_loss(logits, places), len(places), batch.num_tokens

    def settings(self, threshold: float | None) -> AnswerSettings:
        """Return the settings of the trained model."""
        return AnswerSettings(
            max_answer_len=self.options.max_answer_len,
            max_seq_len=self.max_length,
            doc_stride=self._stride,
            no_answer_threshold=threshold,
        )

    def evaluate(self, model: nn.Module, data: Questions) -> dict[str, float]:
        answerer = Answerer(model, data.tokenizer, settings=self.settings(None))
        scores = evaluate_answers(answerer, data.dev)
        if not data.impossible:
            return scores.figures_at(None)
        both = scores.answerable.any() and not scores.answerable.all()
        threshold = scores.best_threshold() if both else 0.0
        return scores.figures_at(threshold) | {"threshold": threshold}

    def settings_of(self, data: Questions, figures: dict[str, float]) -> dict[str, Any]:
        return self.settings(figures.get("threshold")).for_config()

    def card(self, model: nn.Module, data: Questions, figures: dict[str, float]) -> CardText:
        settings = self.settings(None)
        about = [
            f"Windows of {settings.max_seq_len} tokens that share {settings.doc_stride}; answers of"
            f" at most {settings.max_answer_len}"
        ]
        parts = ""
        if "threshold" in figures:
            threshold = figures["threshold"]
            about.append(
                f'Answers "" unless the margin of the best answer is above {threshold:.3f}'
            )
        if "has_answer_f1" in figures:
            parts = f"; F1 {figures['has_answer_f1']:.1%} where there is an answer"
        if "no_answer" in figures:
            parts += f", {figures['no_answer']:.1%} of the questions without one left unanswered"
        result = (
            f"Dev set, {len(data.dev):,} questions: exact match {figures['exact_match']:.1%}, F1"
            f" {figures['f1']:.1%}{parts}"
        )
        return CardText({"questions": data.count}, [result], about)


def _encoded(
    examples: Iterator[Example], tokenizer: Tokenizer
) -> Iterator[tuple[Example, Encoding]]:
    while chunk := list(islice(examples, _AT_ONCE)):
        encodings = tokenizer.inputs_batch([(example.text, example.pair) for example in chunk])
        yield from zip(chunk, encodings, strict=True)


def _texts(examples: Iterator[Example]) -> Iterator[str]:
    """Questions and contexts, each context once where its questions follow one another."""
    before = ""
    for example in examples:
        yield example.text
        if example.pair and example.pair != before:
            yield example.pair
            before = example.pair


@dataclass(frozen=True)
class AnswerWindow:
    """A window of a question and its context, and where the answer is in it.

    `first` and `last` are the answer's tokens, both 0 where the window does not hold all of it;
    `begin` and `end` bound the context's. All count from the window's first token.
    """

    positions: list[int]  # of the encoding's tokens
    first: int
    last: int
    begin: int
    end: int


def answer_windows(
    encoding: Encoding, answer: tuple[int, int] | None, max_length: int, stride: int
) -> list[AnswerWindow]:
    """Return the windows over a context; none if the question leaves no room, or the answer has no
    token.

    Args:
        answer: its first character in the context, and the one behind its last; None: there is no
            answer.
        max_length: tokens of a window, special ones included.
        stride: tokens that a window shares with the one before it.
    """
    texts, offsets = encoding.sequence_ids, encoding.offsets
    context = [k for k, text in enumerate(texts) if text == 1]
    first, end = answer or (0, 0)
    inside = [k for k in context if max(offsets[k][0], first) < min(offsets[k][1], end)]
    if not context or 0 not in texts or (answer and not inside):
        return []
    try:
        cuts = windows(encoding, max_length, stride)
    except BadArgumentError:
        return []
    return [_placed(positions, texts, inside) for positions in cuts]


def _placed(
    positions: list[int], texts: Sequence[int | None], inside: Sequence[int]
) -> AnswerWindow:
    rows = [row for row, k in enumerate(positions) if texts[k] == 1]  # without gaps
    begin, end = rows[0], rows[-1] + 1
    first = last = 0
    if inside and positions[begin] <= inside[0] and inside[-1] <= positions[end - 1]:
        first, last = (begin + k - positions[begin] for k in (inside[0], inside[-1]))
    return AnswerWindow(positions, first, last, begin, end)


def span_loss(logits: Tensor, places: Tensor) -> Tensor:
    """Return the summed loss of a batch: the mean of the cross-entropies of the answer's two ends,
    over the context's tokens and the first special token.

    Args:
        logits: (batch, length, 2).
        places: (batch, 4): first and last token of the answer, 0 for none; where the context begins
            and ends.
    """
    columns = torch.arange(logits.shape[1], device=logits.device)
    context = (columns >= places[:, 2:3]) & (columns < places[:, 3:4])
    allowed = context | (columns == 0)  # (batch, length)
    masked = logits.masked_fill(~allowed[..., None], -torch.inf)
    ends = [functional.cross_entropy(masked[..., k], places[:, k], reduction="sum") for k in (0, 1)]
    return (ends[0] + ends[1]) / 2
