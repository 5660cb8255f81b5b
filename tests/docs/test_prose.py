"""docs/prose.py: links lead to pages and headings, and the prose is readable."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
try:
    import prose
finally:
    sys.path.pop(0)


def test_a_link_into_nothing_is_found(tmp_path):
    page = tmp_path / "page.md"
    (tmp_path / "other.md").write_text("# Other\n\n## Its *second* part: 2\n")
    page.write_text(
        "[a](none.md) [b](other.md#first) [c](other.md#its-second-part-2) [d](#here)\n\n"
        "```text\n[e](nowhere.md)\n```\n\n## Here\n"
    )
    assert list(prose.broken(page)) == [
        "none.md: there is no such file",
        "other.md#first: there is no such heading",
    ]


@pytest.mark.parametrize(
    ("word", "count"),
    [("cat", 1), ("weight", 1), ("average", 3), ("attention", 3), ("made", 1), ("added", 2)],
)
def test_syllables_are_counted_about_right(word, count):
    assert prose.syllables(word) == count


def test_the_grade_is_flesch_and_kincaid_s():
    page = "The cat sat on the mat. " * 20
    assert prose.grade(page) == pytest.approx(0.39 * 6 + 11.8 - 15.59)


def test_long_words_in_long_sentences_are_too_much():
    sentence = "Institutional considerations necessitate organizational characteristics, " * 3
    level = prose.grade((sentence + ".\n\n") * 10)
    assert level is not None
    assert level > prose.GRADE
    assert prose.grade("Too short to say.") is None
