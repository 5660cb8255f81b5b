"""Examples of sentences whose words have labels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from regard.errors import BadArgumentError
from regard.letters import edge, words_and_signs
from regard.tasks.token_classification.task import OUTSIDE
from regard.training.examples import Example

# Names of the columns of a table with a word a row.
WORD_COLUMNS = ("word", "words", "token", "tokens", "form", "text", "sentence")
LABEL_COLUMNS: tuple[str, ...] = (
    "labels",
    "label",
    "ner_tags",
    "ner_tag",
    "ner",
    "tags",
    "tag",
    "bio",
    "entity",
)
LABEL_COLUMNS += ("word_labels", "upos", "pos_tags", "pos")
# BILOU's names of positions, as BIOES has them.
_POSITIONS = {"L-": "E-", "U-": "S-"}


def of_words(words: Sequence[str], labels: Sequence[str], line: int = 0) -> Example:
    """Return a sentence of words with a label each; the text is the words with spaces between
    them."""
    if len(words) != len(labels):
        raise BadArgumentError(
            f"expected a label for each of {len(words)} words; got {len(labels)} labels."
        )
    targets, end = [], -1
    for word, label in zip(words, labels, strict=True):
        start, end = end + 1, end + 1 + len(word)
        targets.append([start, end, _POSITIONS.get(label[:2], label[:2]) + label[2:]])
    return Example(" ".join(words), targets=targets, line=line)


def of_spans(text: str, spans: Sequence[Mapping[str, Any]], line: int = 0) -> Example:
    """Return a text whose labeled parts have a "start", an "end" and a "label".

    What is no part of a word is a word by itself, such as a comma; a word ends where a span does,
    but for marks that belong to its last letter.
    """
    parts = sorted((span["start"], span["end"], str(span["label"])) for span in spans)
    for start, end, label in parts:
        if not 0 <= start < end <= len(text):
            raise BadArgumentError(
                f"a span must be inside its text, of {len(text)} characters; got {start} to {end}"
                f" for {label!r}."
            )
    for (_, end, one), (start, _, other) in pairwise(parts):
        if start < end:
            raise BadArgumentError(
                f"spans must not overlap; those of {one!r} and {other!r} do at character {start}."
            )
    parts = [(edge(text, start), edge(text, end), label) for start, end, label in parts]
    edges = sorted({0, len(text), *(place for start, end, _ in parts for place in (start, end))})
    label_at = {start: label for start, _, label in parts}
    targets = []
    for start, end in pairwise(edges):
        kind = label_at.get(start)
        for number, word in enumerate(words_and_signs(text, start, end)):
            label = OUTSIDE if kind is None else f"{'I' if number else 'B'}-{kind}"
            targets.append([*word, label])
    return Example(text, targets=targets, line=line)


def from_beginnings(example: Example) -> tuple[Example, int]:
    """Return an example in whose labels an entity begins with B-, as in IOB2, and how many did not.

    In IOB1 an entity begins with I-, unless another of its kind is just before it. A sentence with
    ends (E-) or single words (S-) stays as it is.
    """
    if any(label[:2] in ("E-", "S-") for _, _, label in example.targets):
        return example, 0
    targets, before, changed = [], OUTSIDE, 0
    for start, end, label in example.targets:
        begins = label[:2] == "I-" and (before[:2] not in ("B-", "I-") or before[2:] != label[2:])
        changed += begins
        targets.append([start, end, f"B-{label[2:]}" if begins else label])
        before = label
    return replace(example, targets=targets), changed
