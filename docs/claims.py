"""Sentences of the pages that compare without a number: `python docs/claims.py` prints them.

A sentence with "better", "hardly", "almost" and the like must have a number, a link or a command,
or stand in a section whose program prints one.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMPARES = re.compile(
    r"\b(?:better|worse|faster|slower|hardly|nearly|almost|(?:much|far) (?:more|less|\w+er)|"
    r"(?:more|less) \w+ly than)\b",
    re.IGNORECASE,
)
NUMBERS = (
    "half two three four five six seven eight nine ten twelve fourteen third fifth seventh eighth"
)
CARRIED = re.compile(rf"\d|\]\(|`|\b(?:{'|'.join(NUMBERS.split())})s?\b", re.IGNORECASE)
PRINTS = re.compile(r"^```\w+ run\b", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(?=## )", re.MULTILINE)


def unsupported(page: str) -> Iterator[str]:
    """The sentences of a page that compare, and have no number in them or beside them."""
    for section in HEADING.split(page):
        if PRINTS.search(section):
            continue
        for paragraph in re.split(r"\n\n|\n(?=- |\|)", FENCE.sub("", section)):
            for sentence in re.split(r"(?<=[.?!])\s+", paragraph.replace("\n", " ")):
                if COMPARES.search(sentence) and not CARRIED.search(sentence):
                    yield sentence.strip()


def pages() -> list[Path]:
    """What the check reads: the README and all pages."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def main() -> None:
    found = 0
    for path in pages():
        for sentence in unsupported(path.read_text(encoding="utf-8")):
            found += 1
            print(f"{path.relative_to(ROOT)}: {sentence}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
