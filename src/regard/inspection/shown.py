"""Tokens by the letters of a text that says something else in places than what the model read."""

from collections.abc import Collection, Iterator, Sequence

from regard.inspection.grouping import SPECIAL, Span, word_spans

_BEGINS = "▁Ġ"


def spread(tokens: Sequence[str], text: str, special: Collection[str] = SPECIAL) -> list[str]:
    """Return the tokens with a text's letters, which are theirs but for some words.

    >>> spread(["▁Write", "▁to", "▁Boston", ".", "</s>"], "Write to me@x.org.")
    ['▁Write', '▁to', '▁me@x.org', '.', '</s>']

    The words of both are matched in order. A word without a match goes to the tokens at its place,
    or to the next word if there are no tokens.
    """
    shown, spans = list(tokens), word_spans(tokens, special)
    words = ["".join(map(_bare, tokens[begin:end])) for begin, end in spans]
    said = text.split()
    for (first, last), (begin, end) in _places(words, said):
        its = range(spans[first][0], spans[last - 1][1])
        parts = _parted([_bare(tokens[place]) for place in its], " ".join(said[begin:end]))
        for place, part in zip(its, parts, strict=True):
            mark, _, behind = tokens[place].partition(_bare(tokens[place]) or "\0")
            shown[place] = mark + part + behind
    return shown


def _places(words: Sequence[str], said: Sequence[str]) -> Iterator[tuple[Span, Span]]:
    """Yield spans of words and what is said there, by the longest common subsequence."""
    if not words or not said:
        return
    one, other = [list(map(_folded, words_of)) for words_of in (words, said)]
    length = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in reversed(range(len(one))):
        for j in reversed(range(len(other))):
            longest = max(length[i + 1][j], length[i][j + 1])
            length[i][j] = length[i + 1][j + 1] + 1 if one[i] == other[j] else longest
    i = j = first = begin = 0
    match: tuple[Span, Span] | None = None
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            yield from _gap(first, i, begin, j)
            # What was inserted before a word stands with it.
            match = (i, i + 1), (j if i > first else begin, j + 1)
            yield match
            i, j = first, begin = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            i += 1
        else:
            j += 1
    if match and first == len(one):
        yield match[0], (match[1][0], len(other))
    yield from _gap(first, len(one), begin, len(other))


def _gap(first: int, last: int, begin: int, end: int) -> Iterator[tuple[Span, Span]]:
    """Yield the words between two matches: one by one where as many are said."""
    if last - first == end - begin:
        for place in range(last - first):
            yield (first + place, first + place + 1), (begin + place, begin + place + 1)
    elif first < last:
        yield (first, last), (begin, end)


def _parted(tokens: Sequence[str], text: str) -> list[str]:
    """Return a text in as many parts as there are tokens, of which those at its ends are its."""
    parts, first, last = [""] * len(tokens), 0, len(tokens)
    while last > first + 1 and (at := _begin_of_end(text, tokens[last - 1])) >= 0:
        last -= 1
        text, parts[last] = text[:at], text[at:]
    while first < last - 1 and _folded(text).startswith(_folded(tokens[first])):
        parts[first], text = text[: len(tokens[first])], text[len(tokens[first]) :]
        first += 1
    inner = tokens[first:last]
    if (at := _folded(text).find(_folded("".join(inner)))) >= 0:
        ends = [at + len("".join(inner[: place + 1])) for place in range(len(inner))]
        ends[-1] = len(text)
    else:
        ends = [len(text) * (place + 1) // len(inner) for place in range(len(inner))]
    for place, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
        parts[first + place] = text[begin:end]
    return parts


def _begin_of_end(text: str, token: str) -> int:
    """Return where the token is that a text ends with, but for what stands apart; -1: it is not."""
    at = _folded(text).rfind(_folded(token))
    more = text[at + len(token) :]
    apart = more[:1].isspace() and not any(map(str.isalnum, token))
    return at if token and (not more or apart) else -1


def _bare(token: str) -> str:
    """Strip the marks that tokenizers leave."""
    return token.lstrip(_BEGINS).removeprefix("##").removesuffix("</w>")


def _folded(text: str) -> str:
    """Return a text without cases, of the same length."""
    return "".join(upper if len(upper := letter.upper()) == 1 else letter for letter in text)
