"""Token classification: names, parts of speech and other labels of the words of a text.

Devlin et al. 2019, section 5.3, for the head; Ramshaw and Marcus 1995 for the labels B-, I- and O.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

from regard.engine.batching import read_each
from regard.engine.reading import ReadingTask, Tokens
from regard.engine.result import Result, inside
from regard.errors import check_choice
from regard.lines import one_line
from regard.tasks.classification.task import softmax
from regard.tasks.token_classification.options import LabelingOptions
from regard.text import Tokenizer
from regard.text.cutting import windows

if TYPE_CHECKING:
    from torch import nn

    from regard.engine.handle import ModelHandle
    from regard.inspection import Trace
    from regard.inspection.hiding import Looks

AGGREGATIONS = LabelingOptions.settings()["aggregation"].metadata["choices"]
OUTSIDE = "O"
OVERLAP = 64  # tokens that two windows of a long text share


@dataclass(frozen=True)
class Span(Result):
    """A part of a text and its label."""

    label: str
    text: str
    start: int  # text[start:end] of the whole text is this one's text
    end: int
    score: float  # a probability
    ids: tuple[int, ...] = inside()  # of its tokens
    first: int = inside(0)  # the place of the first of them, special tokens counted


@dataclass(frozen=True)
class TokenClassification(Result):
    """The labeled parts of one text, in its order."""

    spans: list[Span]

    def line(self) -> str:
        """Return the spans as "Anna/PER", with tabs between."""
        return "\t".join(one_line(f"{span.text}/{span.label}") for span in self.spans)


class Scored(NamedTuple):
    """A token, or a word, with the probability of each label."""

    start: int
    end: int
    probabilities: NDArray[np.float32]  # (labels,)
    continues: bool  # a word that the token before it began
    ids: tuple[int, ...] = ()  # of the token, or of a word's tokens
    first: int = 0  # the place of the first of them, special tokens counted

    @property
    def score(self) -> float:
        return float(self.probabilities.max())


def parse_label(label: str) -> tuple[str, str]:
    """Return the position in an entity and the entity's type: "B-PER" → ("B", "PER"); a label
    without a position continues what stands before it: "NOUN" → ("I", "NOUN")."""
    position, dash, kind = label.partition("-")
    return (position, kind) if dash and position in "BIES" else ("I", label)


def has_positions(labels: Sequence[str]) -> bool:
    """Return whether the labels say where an entity begins: B-, I-, E- and S-."""
    return any(label[:2] in ("B-", "I-", "E-", "S-") for label in labels)


class TokenReader(ReadingTask):
    """A task of a model that gives each token of a text the probabilities of its labels.

    A text that is longer than the model reads is read in windows that overlap; each token's label
    is that of the window in which it stands farthest from an edge.
    """

    head = "token_classification"

    def __init__(
        self, model: "nn.Module | ModelHandle", tokenizer: Tokenizer, *, name: str = "tagger"
    ):
        super().__init__(model, tokenizer, name=name)
        self.labels: tuple[str, ...] = self.handle.config.labels

    def scores(
        self,
        texts: Sequence[str],
        *,
        batch_size: int = 32,
        progress: Callable[[int], None] = lambda done: None,
    ) -> list[list[Scored]]:
        """Each token of each text with the probability of each label; special tokens left out."""
        encodings = read_each(self.tokenizer.inputs, texts)
        length = self._reader.max_length
        parts = [windows(encoding, length, min(OVERLAP, length // 4)) for encoding in encodings]

        groups = [
            [Tokens([e.ids[k] for k in window], [e.type_ids[k] for k in window]) for window in its]
            for e, its in zip(encodings, parts, strict=True)
        ]
        outputs = self.computed(groups, self.token_outputs, batch_size, progress)
        return [
            self._tokens(text, encoding, its, logits)
            for text, encoding, its, logits in zip(texts, encodings, parts, outputs, strict=True)
        ]

    def trace(self, text: str, *, looks: "Looks" = (), keep: str = "auto") -> "Trace":
        """Read a text and keep what every attention layer was given.

        The notes name the label of the first token; a step of an ablation is a label of it.

        Args:
            looks: what a position sees alone, in every head and layer: {10: 1} by number, {"it":
                "animal"} by word, {"encoder.layers.2.self:1:10": 1} in one head.
            keep: where queries, keys and values stay: "memory", "disk" or "auto".

        Raises:
            BadArgumentError: an empty text, or more tokens than the model reads at a time.
        """
        return self._reader.trace(text, looks=looks, keep=keep)

    def _tokens(
        self,
        text: str,
        encoding: Encoding,
        parts: Sequence[Sequence[int]],
        logits: Sequence[NDArray[np.float32]],
    ) -> list[Scored]:
        """Return the text's tokens, each from the window in which it is farthest from an edge."""
        rows: dict[int, tuple[int, NDArray[np.float32]]] = {}
        for window, output in zip(parts, logits, strict=True):
            for place, (token, row) in enumerate(zip(window, output, strict=True)):
                margin = min(place, len(window) - 1 - place)
                if token not in rows or margin > rows[token][0]:
                    rows[token] = margin, row
        subwords, offsets = self._subwords(text, encoding), encoding.offsets
        special, ids = encoding.special_tokens_mask, encoding.ids
        return [
            Scored(
                *_trimmed(text, *offsets[token]),
                softmax(row),
                subwords[token],
                (ids[token],),
                token,
            )
            for token, (_, row) in sorted(rows.items())
            if not (special[token] or text[slice(*offsets[token])].isspace())
        ]

    def _subwords(self, text: str, encoding: Encoding) -> list[bool]:
        """Return whether each token continues a word, by the rule of transformers' pipeline; so
        does a further token of the bytes of one character, which has the same place."""
        prefix = getattr(self.tokenizer.backend.model, "continuing_subword_prefix", None)
        unknown = self.tokenizer.special.get("unk")
        offsets = encoding.offsets
        return [
            token != unknown
            and (
                len(token) != end - start
                if prefix
                else (start > 0 and " " not in text[start - 1 : start + 1]) or start < before
            )
            for token, (start, end), (_, before) in zip(
                encoding.tokens, offsets, [(0, 0), *offsets[:-1]], strict=True
            )
        ]


class TokenClassifier(TokenReader):
    """Labels the words of texts.

    >>> from regard.models import Encoder, encoder_preset
    >>> from regard.text import train_tokenizer
    >>> text = "Anna lives in Hamburg"
    >>> tokenizer = train_tokenizer([text] * 20, vocab_size=400, encoder=True)
    >>> labels = ("O", "B-PER", "B-LOC")
    >>> config = encoder_preset(
    ...     "tiny", tokenizer.vocab_size, head="token_classification", labels=labels
    ... )
    >>> classifier = TokenClassifier(Encoder(config).eval(), tokenizer)  # not trained
    >>> all(text[span.start : span.end] == span.text for span in classifier(text))
    True

    Args:
        model: one that reads texts, with the head "token_classification", in evaluation mode.
        name: what to call it in messages.
    """

    def __call__(self, text: str | Sequence[str], **options: Any) -> list[Span] | list[list[Span]]:
        """One text → its labeled spans; a list → a list. Options as in `run`."""
        if isinstance(text, str):
            return self.run([text], **options)[0].spans
        return [result.spans for result in self.run(text, **options)]

    def run(
        self,
        texts: Sequence[str],
        *,
        aggregation: str = "first",
        ignore_labels: Sequence[str] = (OUTSIDE,),
        batch_size: int = 32,
        progress: Callable[[int], None] = lambda done: None,
    ) -> list[TokenClassification]:
        """Return the labeled spans of each text, whatever else is in the list.

        The names and the rules of `aggregation` are those of transformers' pipeline: "none" gives
        each token with its label; "simple" joins tokens whose labels continue each other; "first",
        "average" and "max" give a word the label of its first token, the mean of its tokens'
        probabilities, or the label of its surest token, and then join words. Words are joined only
        if the model's labels say where an entity begins (B-, I-): of parts of speech, each word is
        a span.

        Args:
            ignore_labels: labels whose spans are left out.
            batch_size: windows read together.
            progress: called with the number of texts just finished.

        Raises:
            BadArgumentError: an unknown aggregation.
        """
        check_choice("aggregation", aggregation, AGGREGATIONS)
        tokens = self.scores(texts, batch_size=batch_size, progress=progress)
        joined = has_positions(self.labels)
        return [
            TokenClassification(
                [
                    span
                    for span in spans(text, row, self.labels, aggregation, joined=joined)
                    if span.label not in ignore_labels
                ]
            )
            for text, row in zip(texts, tokens, strict=True)
        ]


def spans(
    text: str, tokens: Sequence[Scored], labels: Sequence[str], aggregation: str, *, joined: bool
) -> list[Span]:
    """Return the labeled parts of a text; see `TokenClassifier.run`.

    Args:
        tokens: of the text, in order.
        labels: what the probabilities are of.
        joined: whether words with labels that continue each other are one span.
    """
    words = list(tokens) if aggregation in ("none", "simple") else list(_words(tokens, aggregation))
    labeled = [(labels[int(word.probabilities.argmax())], word) for word in words]
    if aggregation == "none" or (aggregation != "simple" and not joined):
        return [_span(text, label, [word]) for label, word in labeled]
    groups: list[list[tuple[str, str, Scored]]] = []
    for label, word in labeled:
        position, kind = parse_label(label)
        last = groups[-1][-1] if groups else None
        if last and last[1] == kind and position not in "BS" and last[0] not in "ES":
            groups[-1].append((position, kind, word))
        else:
            groups.append([(position, kind, word)])
    return [_span(text, group[0][1], [word for _, _, word in group]) for group in groups]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the part without the space that some tokenizers count to the word behind it."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end


def _span(text: str, label: str, words: Sequence[Scored]) -> Span:
    start, end = words[0].start, words[-1].end
    score = float(np.mean([word.score for word in words]))
    ids = tuple(chain.from_iterable(word.ids for word in words))
    return Span(label, text[start:end], start, end, score, ids, words[0].first)


def _words(tokens: Sequence[Scored], aggregation: str) -> Iterator[Scored]:
    """Each word with the probabilities that its tokens give it."""
    number = 0
    numbers = [number := number + (not token.continues) for token in tokens]
    for _, group in groupby(zip(numbers, tokens, strict=True), key=lambda pair: pair[0]):
        word = [token for _, token in group]
        chosen = word[0].probabilities
        if aggregation == "max":
            chosen = max(word, key=lambda token: token.score).probabilities
        elif aggregation == "average":
            chosen = np.mean([token.probabilities for token in word], 0)
        ids = tuple(chain.from_iterable(token.ids for token in word))
        yield Scored(word[0].start, word[-1].end, chosen, False, ids, word[0].first)
