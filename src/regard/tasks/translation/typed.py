"""Sentence pairs as people type them in chats and search fields: noise for training.

Belinkov and Bisk 2018, "Synthetic and Natural Noise Both Break Neural Machine Translation": a model
that has read such sources in training translates them nearly as well as clean ones.
"""

import re
from collections.abc import Callable
from random import Random

# The letters beside each on a keyboard; those of one language's keyboard are close enough.
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_BESIDE = {
    letter: row[max(place - 1, 0) : place] + row[place + 1 : place + 2]
    for row in _ROWS
    for place, letter in enumerate(row)
}
_END = re.compile(r"(?<=\w)[.!]$")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_LETTERS = 48  # for one more typing error


def typed(source: str, target: str, draw: Random) -> tuple[str, str]:
    """Return a pair as it may be typed: in small letters, without its full stop or its apostrophes,
    with a typing error. The target changes in its full stop alone: the translation is well written.

    >>> typed("It's a big house.", "Das ist ein großes Haus.", Random(20))
    ('its a big house', 'Das ist ein großes Haus')
    """
    kinds = draw.sample((_small, misspelled, _without_apostrophes), draw.choice((1, 1, 2)))
    for kind in kinds:
        source = kind(source, draw)
    if draw.random() < 0.5:
        source, target = _END.sub("", source), _END.sub("", target)
    return source, target


def misspelled(text: str, draw: Random) -> str:
    """Return a text with a typing error inside a word; one more for every 48 letters.

    >>> misspelled("It is a big house.", Random(23))
    'It is a big hosue.'
    """
    letters = list(text)
    inside = [k for k in range(1, len(text) - 1) if text[k - 1 : k + 2].isalpha()]
    for place in draw.sample(inside, min(len(inside), 1 + len(inside) // _LETTERS)):
        letters[place], letters[place + 1] = draw.choice(_ERRORS)(
            letters[place], letters[place + 1], draw
        )
    return "".join(letters)


def _small(text: str, draw: Random) -> str:
    return text.lower()


def _without_apostrophes(text: str, draw: Random) -> str:
    return _APOSTROPHE.sub("", text)


_ERRORS: tuple[Callable[[str, str, Random], tuple[str, str]], ...] = (
    lambda letter, after, _: (after, letter),
    lambda letter, after, _: ("", after),
    lambda letter, after, _: (letter * 2, after),
    lambda letter, after, draw: (draw.choice(_BESIDE.get(letter, letter)), after),
)
