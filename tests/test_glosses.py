"""WordNet's files as text."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
try:
    import glosses
finally:
    sys.path.pop(0)

NOUNS = """\
  1 This software and database is being provided to you, the LICENSEE, by
00000001 18 n 02 cricketer 0 bat_man 1 001 @ 09839665 n 0000 | an athlete who plays cricket
00000002 18 n 01 Hobbs 0 001 @i 00000001 n 0000 | notable English cricketer (1882-1963)
"""
ADJECTIVES = """\
00000003 00 a 01 awake(p) 0 000 | not asleep; "he is wide awake"; "the owls were awake"
"""


def test_a_word_stands_before_its_definition_and_examples_follow(tmp_path):
    contents = dict.fromkeys(glosses.FILES, "") | {"data.noun": NOUNS, "data.adj": ADJECTIVES}
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert list(glosses.lines(tmp_path)) == [
        "cricketer an athlete who plays cricket",
        "bat man an athlete who plays cricket",
        "awake not asleep",
        "he is wide awake",
        "the owls were awake",
    ]
