"""Tokens as they are read in figures: a hyphen marks what continues a word."""

import re
from collections.abc import Sequence

from regard.inspection.answers import Group
from regard.inspection.naming import joined
from regard.inspection.trace_data import TraceData
from regard.inspection.views.tiles import spans

_SPECIAL = re.compile(r"<[^<>\s]+>|\[[A-Z]+\d*\]")
_MARKED = re.compile(r"[▁Ġ]| \S")  # a token that begins a word
_MARKS = re.compile(r"^[▁Ġ]+|^##|</w>$")


def readable(tokens: Sequence[str], among: Sequence[str] | None = None) -> list[str]:
    """Tokens as labels, as the page writes them: "▁prepar", "ing" are "prepar", "-ing".

    Args:
        among: the tokens that show how their tokenizer marks words; the same ones by default.
    """
    style = _style(tokens if among is None else among)
    first = [] if among is not None else list(tokens[:1])
    return [
        _label(token, "none" if first and place == 0 and style == "start" else style)
        for place, token in enumerate(tokens)
    ]


def is_special(token: str) -> bool:
    """Return True for a token that is written by the model's rules: <s>, </s>, [CLS]."""
    return _SPECIAL.fullmatch(token) is not None


def query_labels(trace: TraceData, axis: str, group: Group) -> list[str]:
    """Label of each row: what it reads and, in a decoder, what it predicts from that."""
    tokens, predicted = trace.axes[axis].tokens, trace.axes[axis].predicts
    own_labels = labels(trace, axis, group)
    if not predicted or group == "sentence":
        return own_labels
    following = readable(predicted, tokens)
    groups = spans(trace, axis, group)
    if groups is None:
        return [f"{label} → {after}" for label, after in zip(own_labels, following, strict=True)]
    words = {first: own_labels[place] for place, (first, _) in enumerate(groups)}
    nexts = [
        words[last] if tokens[last : last + 1] == [predicted[last - 1]] and last in words
        else following[last - 1]
        for _, last in groups
    ]  # fmt: skip
    return [f"{label} → {after}" for label, after in zip(own_labels, nexts, strict=True)]


def labels(trace: TraceData, axis: str, group: Group) -> list[str]:
    """Label of each row or column: tokens to read, or the words or sentences they spell."""
    tokens = trace.axes[axis].tokens
    groups = spans(trace, axis, group)
    if groups is None:
        return readable(tokens)
    if trace.axes[axis].peaks is not None:
        return [tokens[first] for first, _ in groups]
    return [_joined(tokens[first:last]) for first, last in groups]


def _joined(tokens: Sequence[str]) -> str:
    style = _style(tokens)
    parts = list[str]()
    for token in tokens:
        bare = _MARKS.sub("", token) if style == "hash" else token
        apart = style == "hash" and not token.startswith("##")
        parts += [*([" "] if apart and parts else []), re.sub("[▁Ġ]", " ", bare)]
    return joined(parts).strip()


def _style(tokens: Sequence[str]) -> str:
    if any(_MARKED.match(token) for token in tokens):
        return "start"
    return "hash" if any(token.startswith("##") for token in tokens) else "none"


def _label(token: str, style: str) -> str:
    if is_special(token):
        return token
    text = re.sub("[▁Ġ]", " ", _MARKS.sub("", token)).replace("Ċ", "\n")
    if not text.strip():
        return text if "\n" in text else "␣"
    inside = token.startswith("##") if style == "hash" else not re.match(r"[▁Ġ\s]", token)
    return f"-{text}" if style != "none" and inside and text[0].isalnum() else text.strip(" ")
