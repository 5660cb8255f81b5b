"""docs/claims.py: a sentence that compares has a number, or stands beside one."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
try:
    import claims
finally:
    sys.path.pop(0)


@pytest.mark.parametrize(
    "text",
    [
        "It is much faster.",
        "That hardly matters, it is said.",
        "A sentence. With attention it is better! Another.",
        "## One\n\n```console run\n$ ls\n```\n\n## Two\n\nHere it is almost level.",
    ],
)
def test_a_comparison_without_a_number_is_found(text):
    assert len(list(claims.unsupported(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "It is 3.5 times faster.",
        "It is faster: [the table](table.md).",
        "It is better by a seventh.",
        "```console run\n$ ls\n```\n\nIt is faster.",
        "Nothing is compared.",
    ],
)
def test_one_with_a_number_in_it_or_beside_it_is_not(text):
    assert list(claims.unsupported(text)) == []
