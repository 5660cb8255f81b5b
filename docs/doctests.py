"""For the reference: examples in docstrings, lines after >>>, become blocks of code."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!$|[A-Z]\w+:$).*\n?)*)+", re.MULTILINE)


class Doctests(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """The text, with a fence around each run of examples and what they give."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)
