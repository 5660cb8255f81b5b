"""Texts to labels: the head of a fine-tuned model, as probabilities."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints import Checkpoint
from regard.engine.batching import read_each
from regard.engine.engines import as_array
from regard.engine.reading import ReadingTask, Tokens
from regard.engine.result import Result
from regard.errors import BadArgumentError, DamagedFileError, unknown
from regard.lines import one_line
from regard.tasks.classification.options import ClassificationOptions
from regard.text import Tokenizer

if TYPE_CHECKING:
    from torch import nn

    from regard.engine.handle import ModelHandle
    from regard.inspection import Trace
    from regard.inspection.hiding import Looks
    from regard.models.configs.config import ModelConfig

Logits = NDArray[np.float32]
TEMPLATE = "This example is {}."  # of the hypothesis that a text has a label


@dataclass(frozen=True)
class Label:
    """A label and how much the model is for it."""

    label: str
    score: float  # a probability; the bare output of a regression


@dataclass(frozen=True)
class Classification(Result):
    """The labels of one text, best first."""

    labels: list[Label]
    chosen: list[str]  # those that it has: the best one, or those above the classifier's threshold
    truncated: bool = False  # the text had more tokens than are read

    @property
    def best(self) -> Label:
        return self.labels[0]

    def line(self) -> str:
        return self.lines()[0]

    def lines(self) -> list[str]:
        return [f"{one_line(each.label)}\t{each.score:.4f}" for each in self.labels]


def softmax(logits: Logits) -> Logits:
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    scores: Logits = powers / powers.sum(-1, keepdims=True)
    return scores


@np.errstate(over="ignore")  # of a large negative logit, whose probability is 0
def _sigmoid(logits: Logits) -> Logits:
    return np.asarray(1 / (1 + np.exp(-logits)), np.float32)


TRACED = 3  # labels that a trace has
# By the problem_type of config.json: logits (…, labels) → scores.
SCORES: dict[str, Callable[[Logits], Logits]] = {
    "single_label_classification": softmax,
    "multi_label_classification": _sigmoid,
    "regression": lambda logits: logits,
}


class Classifier(ReadingTask):
    """Says which labels a text, or a pair of texts, has.

    >>> classifier = regard.load("emotions")
    >>> classifier("Thank you so much!")
    'gratitude'

    Args:
        model: one that reads texts, with the head "classification", in evaluation mode.
        problem_type: a name in SCORES: one label of several, any number of them, or a number.
        threshold: where a text may have any number of labels, it has those with a score above this.
        name: what to call it in messages.
    """

    head = "classification"
    beside = ("text_pair",)

    def __init__(
        self,
        model: "nn.Module | ModelHandle",
        tokenizer: Tokenizer,
        *,
        problem_type: str = "single_label_classification",
        threshold: float = 0.5,
        name: str = "classifier",
    ):
        super().__init__(model, tokenizer, name=name)
        self.labels: tuple[str, ...] = self.handle.config.labels
        self.problem_type = check_problem_type(problem_type)
        self.threshold = threshold

    @classmethod
    def settings_of(cls, checkpoint: Checkpoint, config: "ModelConfig") -> dict[str, Any]:
        kind = read_problem_type(checkpoint, config)
        return {"problem_type": kind, "threshold": read_threshold(checkpoint)}

    def __call__(self, text: str | Sequence[str], **options: Any) -> str | list[str]:
        """One text → its best label; a list → a list. Options as in `run`."""
        if isinstance(text, str):
            return self.run([text], **options)[0].best.label
        return [result.best.label for result in self.run(text, **options)]

    def run(
        self,
        texts: Sequence[str],
        text_pair: Sequence[str] | None = None,
        *,
        top_k: int | None = None,
        labels: str | Sequence[str] | None = None,
        template: str = TEMPLATE,
        multi_label: bool = False,
        batch_size: int = 32,
        progress: Callable[[int], None] = lambda done: None,
    ) -> list[Classification]:
        """Return the labels of each text, whatever else is in the list.

        Args:
            text_pair: the second text of each, for a model of pairs.
            top_k: labels for each text; None: all.
            labels, template, multi_label: as in `zero_shot`; None: the model's own labels.
            batch_size: texts read together.
            progress: called with the number of texts just finished.

        Raises:
            BadArgumentError: not as many second texts as texts, or as in `zero_shot`.
        """
        if labels is not None:
            if text_pair is not None:
                raise BadArgumentError("labels are of single texts; leave out text_pair.")
            return self.zero_shot(
                texts,
                labels,
                template=template,
                multi_label=multi_label,
                top_k=top_k,
                batch_size=batch_size,
                progress=progress,
            )
        tokens = self.read(texts, text_pair)
        found = self.logits(tokens, batch_size=batch_size, progress=progress)
        several = self.problem_type == "multi_label_classification"
        return [
            classified(
                ranked(logits, self.labels, self.problem_type),
                top_k,
                threshold=self.threshold if several else None,
                truncated=text.truncated,
            )
            for text, logits in zip(tokens, found, strict=True)
        ]

    def run_rows(self, rows: Sequence[tuple[str, ...]], **options: Any) -> list[Classification]:
        texts, *pairs = (list(column) for column in zip(*rows, strict=True)) if rows else [[]]
        return self.run(texts, *pairs, **options)

    def read(self, texts: Sequence[str], text_pair: Sequence[str] | None = None) -> list[Tokens]:
        """Tokens of each text, or pair; the arguments are those of `run`."""
        if text_pair is not None and len(text_pair) != len(texts):
            raise BadArgumentError(
                f"text_pair must be one for each text; got {len(text_pair)} for {len(texts)} texts."
            )
        seconds = [None] * len(texts) if text_pair is None else text_pair
        both = list(zip(texts, seconds, strict=True))
        return read_each(lambda these: self._reader.tokens(*these), both)

    def logits(
        self,
        tokens: Sequence[Tokens],
        *,
        batch_size: int = 32,
        progress: Callable[[int], None] = lambda done: None,
    ) -> list[Logits]:
        """Return the head's output for each of the texts that `read` returned, (labels,)."""
        groups = [[text] for text in tokens]
        outputs = self.computed(groups, self.outputs, batch_size, progress)
        return [logits for [logits] in outputs]

    def zero_shot(
        self,
        texts: Sequence[str],
        labels: str | Sequence[str],
        *,
        template: str = TEMPLATE,
        multi_label: bool = False,
        top_k: int | None = None,
        batch_size: int = 32,
        progress: Callable[[int], None] = lambda done: None,
    ) -> list[Classification]:
        """Scores of any labels for each text, by a classifier of entailment.

        Yin, Hay and Roth 2019: the text is the premise, the label in its template the hypothesis. A
        label's score is the softmax over the labels of the logit of "entailment"; with
        `multi_label`, the probability of "entailment" against "contradiction" for each by itself.

        Args:
            labels: a list, or one string with commas between them.
            template: the hypothesis, with {} in the label's place.
            top_k, batch_size, progress: as in `run`.

        Raises:
            BadArgumentError: no labels, a template without {}, or a classifier without a label that
                begins with "entail".
        """
        entails, contradicts = self._entailment()
        labels = split_labels(labels)
        if not labels or any(not label.strip() for label in labels):
            raise BadArgumentError(f"labels must be words to choose among; got {list(labels)}.")
        if "{}" not in template:
            raise BadArgumentError(f"template must have {{}} for the label; got {template!r}.")
        hypotheses = [template.replace("{}", label) for label in labels]
        groups = [self.read([text] * len(labels), hypotheses) for text in texts]
        results = []
        outputs = self.computed(groups, self.outputs, batch_size, progress)
        for group, rows in zip(groups, outputs, strict=True):
            logits = np.stack(rows)
            if multi_label or len(labels) == 1:
                scores = softmax(logits[:, [contradicts, entails]])[:, 1].tolist()
            else:
                scores = softmax(logits[:, entails]).tolist()
            best = sorted(range(len(labels)), key=lambda k: -scores[k])
            ordered = [Label(labels[k], scores[k]) for k in best]
            truncated = any(each.truncated for each in group)
            results.append(classified(ordered, top_k, truncated=truncated))
        return results

    def _entailment(self) -> tuple[int, int]:
        """Return the numbers of the labels "entailment" and "contradiction"."""
        lowered = [label.lower() for label in self.labels]
        found = [k for k, label in enumerate(lowered) if label.startswith("entail")]
        if not found or len(lowered) < 2:
            raise BadArgumentError(
                "labels of your own need a classifier of entailment, trained on pairs such as"
                f" MultiNLI's; {self.name} has the labels {', '.join(self.labels)}."
            )
        named = [k for k, label in enumerate(lowered) if label.startswith("contra")]
        # As transformers has it where no label is called so: the first or the last one.
        return found[0], named[0] if named else (len(lowered) - 1 if found[0] == 0 else 0)

    def trace(
        self, text: str, text_pair: str | None = None, *, looks: "Looks" = (), keep: str = "auto"
    ) -> "Trace":
        """Read a text, or a pair, and keep what every attention layer was given: see `Trace`.

        The notes say which labels are the likeliest, where there is one label for a text.

        Args:
            text_pair: the second text, for a model of pairs.
            looks: what a position sees alone, in every head and layer: {10: 1} by number, {"it":
                "animal"} by word, {"encoder.layers.2.self:1:10": 1} in one head.
            keep: where queries, keys and values stay: "memory", "disk" or "auto".

        Raises:
            BadArgumentError: no text, or one with more tokens than the model reads.
        """
        answers = {"label": 0} if self.problem_type == "single_label_classification" else {}
        trace = self._reader.trace(
            text, text_pair, answers=lambda ids: answers, looks=looks, keep=keep
        )
        label_trace(trace, self.labels, self.problem_type)
        return trace


def label_trace(trace: "Trace", labels: Sequence[str], problem_type: str) -> None:
    """Put the likeliest labels into the trace of a classifier."""
    if problem_type == "regression":
        return
    from regard.inspection.answers import Candidate

    best = ranked(as_array(trace.output[0]), labels, problem_type)[:TRACED]
    trace.labels = [Candidate(each.label, each.score) for each in best]
    trace.several = problem_type == "multi_label_classification"


def split_labels(labels: str | Sequence[str]) -> list[str]:
    """Labels that may be one string with commas between them."""
    return [each.strip() for each in labels.split(",")] if isinstance(labels, str) else [*labels]


def classified(
    labels: list[Label],
    top_k: int | None,
    *,
    threshold: float | None = None,
    truncated: bool = False,
) -> Classification:
    """Return the result of a text with all its labels, best first.

    Args:
        threshold: what the score of each chosen label is above; None: one label is chosen.

    Raises:
        BadArgumentError: top_k out of range.
    """
    ClassificationOptions(top_k=top_k)
    chosen = labels[:1] if threshold is None else [x for x in labels if x.score > threshold]
    return Classification(labels[:top_k], [each.label for each in chosen], truncated)


def ranked(logits: Logits, labels: Sequence[str], problem_type: str) -> list[Label]:
    """Labels with their scores, best first; logits are (labels,)."""
    scores = SCORES[problem_type](logits).tolist()
    order = sorted(range(len(labels)), key=lambda k: -scores[k])
    return [Label(labels[k], scores[k]) for k in order]


def read_problem_type(checkpoint: Checkpoint, config: "ModelConfig | None" = None) -> str:
    """Return the one in config.json; if it names none, a single label is a yes-or-no question."""
    problem_type = checkpoint.settings.get("problem_type")
    if problem_type is not None:
        return check_problem_type(problem_type)
    alone = len((config or checkpoint.config).labels) == 1
    return "multi_label_classification" if alone else "single_label_classification"


def read_threshold(checkpoint: Checkpoint) -> float:
    """`decision_threshold` in config.json, which training writes; without it, one half.

    Raises:
        DamagedFileError: it is not a probability.
    """
    threshold = checkpoint.settings.get("decision_threshold", 0.5)
    if not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise DamagedFileError(
            f"{checkpoint.name}: decision_threshold in config.json must be from 0 to 1; got"
            f" {threshold!r}."
        )
    return float(threshold)


def check_problem_type(problem_type: str) -> str:
    """`problem_type`, if it is a name in SCORES."""
    if str(problem_type) not in SCORES:
        raise unknown("problem_type", problem_type, SCORES)
    return problem_type
