"""Links and reading level of the pages: `python docs/prose.py` prints what is wrong with them.

A link leads to a page of the repository, and to a heading that is on it. Prose has sentences and
words that many readers manage: the grade of Flesch and Kincaid (1975), years of school in the
United States, is at most that of GRADE. Nothing is fetched.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MADE = {"reference/commands.md", "benchmarks.md", "road/whole.md"}  # by `make docs`
GRADE = 9.0
LEAST = 100  # words; fewer say nothing of a page
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?!https?:|mailto:)([^)\s]*)\)")
NO_PROSE = re.compile(r"^(?:\||#|:::|<|!\[| {4}).*$", re.MULTILINE)


def pages() -> list[Path]:
    """What is read: the README, how to contribute, and all pages."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def anchors(text: str) -> set[str]:
    """The names of a page's headings, as its links have them."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    plain = [re.sub(r"[^\w\s-]", "", title).strip().lower() for title in titles]
    return {re.sub(r"[-\s]+", "-", title) for title in plain}


def broken(page: Path) -> Iterator[str]:
    """Links of a page that lead nowhere."""
    text = page.read_text(encoding="utf-8")
    for link in LINK.findall(FENCE.sub("", text)):
        path, _, section = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if target.is_relative_to(DOCS) and target.relative_to(DOCS).as_posix() in MADE:
            continue
        if not target.exists():
            yield f"{link}: there is no such file"
        elif section and section not in anchors(target.read_text(encoding="utf-8")):
            yield f"{link}: there is no such heading"


def syllables(word: str) -> int:
    """About how many: groups of vowels, without a silent e."""
    groups = len(re.findall(r"[aeiouy]+", word))
    silent = re.search(r"[^aeiouyl]e$|[^aeiouytd]ed$", word) is not None
    return max(1, groups - silent)


def grade(page: str) -> float | None:
    """Flesch and Kincaid's grade of the prose, without tables, lists of options and programs."""
    text = re.sub(r"`[^`]*`", "it", NO_PROSE.sub("", FENCE.sub("", page)))
    text = re.sub(r"\]\([^)]*\)|\{[^}]*\}", "", text)
    words = re.findall(r"[a-z]+(?:['’-][a-z]+)*", text.lower())
    if len(words) < LEAST:
        return None
    sentences = len(re.findall(r"[.!?:;](?=\s|$)|\n\n(?=[-\d])", text)) or 1
    return 0.39 * len(words) / sentences + 11.8 * sum(map(syllables, words)) / len(words) - 15.59


def main() -> None:
    found = []
    for page in pages():
        name = page.relative_to(ROOT).as_posix()
        found += [f"{name}: {link}" for link in broken(page)]
        level = grade(page.read_text(encoding="utf-8"))
        if level is not None and level > GRADE:
            found.append(f"{name}: reads like grade {level:.1f}; at most {GRADE:.0f}")
    print(*found, sep="\n", end="\n" * bool(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
