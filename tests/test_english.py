"""tools/english.py: docstrings begin with a noun or a verb, locals are called for things."""

import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[1] / "tools"
sys.path.insert(0, str(TOOLS))
try:
    import english
finally:
    sys.path.pop(0)


@pytest.mark.parametrize(
    ("text", "line", "kind"),
    [
        ('"""What is here."""\n', 1, "docstring"),
        ('def f():\n    """Whether it is."""\n', 1, "docstring"),
        (
            'class A:\n    x = 1\n\n    def f(self):\n        """How\n        many."""\n',
            4,
            "docstring",
        ),
        ("def f(x):\n    found = x\n", 2, "local"),
        ("def f(x):\n    return [each for each in x]\n", 2, "local"),
        ("for _, own in x:\n    pass\n", 1, "local"),
    ],
)
def test_a_place_that_breaks_a_rule_is_found(text, line, kind):
    (place,) = english.places(Path("a.py"), text)
    assert place[1:3] == (line, kind)


@pytest.mark.parametrize(
    "text",
    [
        '"""Whatever is here."""\n',
        'def f():\n    """Return what it is."""\n',
        "def f(found):\n    return found.own\n",
        "def f(x):\n    g(known=x)\n",
    ],
)
def test_what_keeps_the_rules_is_not(text):
    assert list(english.places(Path("a.py"), text)) == []
