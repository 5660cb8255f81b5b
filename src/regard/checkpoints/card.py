"""The model card: README.md beside the weights, its facts also as YAML front matter."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from regard.files import whole_file


def write_card(
    folder: str | os.PathLike[str], title: str, facts: dict[str, Any], lines: Sequence[str]
) -> None:
    """Write a card: its facts for programs, and a list of lines for people."""
    with whole_file(Path(folder) / "README.md") as file:
        file.write_text(render(title, facts, lines), encoding="utf-8")


def render(title: str, facts: dict[str, Any], lines: Sequence[str]) -> str:
    """Return the card's text. The values of its front matter are JSON, which is also YAML."""
    front = "\n".join(
        f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items()
    )
    listed = "\n".join(f"- {line}" for line in lines)
    return f"---\n{front}\n---\n# {title}\n\n{listed}\n"


def read_card(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the facts in a folder's card, one a line as `write_card` writes them; {} without one.

    PyYAML does not read it: in a stranger's card, aliases could expand without limit, dates would
    not fit into JSON, and `no`, the code of Norwegian, would be False.
    """
    file = Path(folder) / "README.md"
    if not file.is_file():
        return {}
    parts = file.read_text(encoding="utf-8", errors="replace").split("---\n", 2)
    if len(parts) < 3 or parts[0]:
        return {}
    facts = {}
    for line in parts[1].split("\n"):
        name, separator, value = line.partition(": ")
        if not separator:
            continue
        try:
            facts[name] = json.loads(value)
        except (ValueError, RecursionError):
            facts[name] = value
    return facts
