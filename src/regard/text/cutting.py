"""Cutting of a text: into sentences; too long for its model, to the first tokens or to windows."""

import re

from tokenizers import Encoding

from regard.errors import BadArgumentError

_SENTENCE = re.compile(r"\S.*?(?:(?<=[.!?।…])(?=\s)|(?<=[。！？])|\s*\Z)", re.DOTALL)


def sentences(text: str) -> list[tuple[int, int]]:
    """Begin and end of each sentence, which ends at a mark before white space, or at a mark of
    Chinese and Japanese."""
    return [match.span() for match in _SENTENCE.finditer(text.rstrip())]


def cut(encoding: Encoding, max_length: int, side: str = "right") -> list[int]:
    """Positions of the tokens that stay: the end of the longer text goes first, or with the side
    "left" its beginning; special tokens stay."""
    first, second = _positions(encoding, 0), _positions(encoding, 1)
    room = max(0, max_length - (len(encoding.ids) - len(first) - len(second)))
    shorter, longer = sorted((first, second), key=len)
    few = min(len(shorter), room // 2)
    if side == "left":
        shorter, longer = shorter[::-1], longer[::-1]
    dropped = {*shorter[few:], *longer[room - few :]}
    return [k for k in range(len(encoding.ids)) if k not in dropped]


def windows(encoding: Encoding, max_length: int, stride: int) -> list[list[int]]:
    """Positions of the tokens of each window: a part of a single text, or the whole first text
    with a part of the second.

    Args:
        max_length: tokens of a window, special ones included.
        stride: tokens that a window shares with the one before it.
    """
    texts = encoding.sequence_ids
    last = max((number for number in texts if number is not None), default=0)
    second = [k for k, number in enumerate(texts) if number == last]
    if not second:  # of an empty text, special tokens alone
        return [list(range(len(texts)))]
    around = len(texts) - len(second)
    room = max_length - around
    if room <= stride and len(second) > room:
        raise BadArgumentError(
            f"a question must leave more than {stride} of {max_length} tokens to the text that is"
            f" searched; it leaves {max(0, room)}. Shorten the question, or take a smaller"
            " doc_stride."
        )
    start, end = second[0], second[-1] + 1
    before, after = range(start), range(end, len(texts))
    cuts = []
    for first in range(start, end, room - stride if len(second) > room else len(second)):
        cuts.append([*before, *range(first, min(first + room, end)), *after])
        if first + room >= end:
            break
    return cuts


def _positions(encoding: Encoding, text: int) -> list[int]:
    return [k for k, number in enumerate(encoding.sequence_ids) if number == text]
