"""What the page has in other languages of the server's sentences is what the server says."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_sentences_that_the_page_recognizes_are_the_servers():
    table = (ROOT / "web" / "src" / "words" / "interface.ts").read_text(encoding="utf-8")
    sentences = re.findall(r'^  "server\.[\w.]+": \["([^"]*)"', table, re.MULTILINE)
    assert len(sentences) > 15
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "src/regard").rglob("*.py"))
    # A sentence may go over several lines, each with a string of its own.
    said = re.sub(r'"\s*\n\s*f?"', "", "\n".join(sources)).lower()
    parts = {part.lower() for sentence in sentences for part in re.split(r"\{\w+\}", sentence)}
    assert {part for part in parts if part not in said} == set()
