"""Documents with their summaries from a user's file."""

from collections.abc import Iterator
from typing import Any

from regard.recipes.examples import Example
from regard.records import BadCellError, Column, Role, read_examples
from regard.text import normalize

DOCUMENT = ("document", "article", "text", "source", "documents", "dialogue", "input")
SUMMARY = ("summary", "summaries", "highlights", "target", "abstract", "targets", "output")


def read_documents_with_summaries(
    path: str,
    *,
    document: Column | None = None,
    summary: Column | None = None,
    complete: bool = False,
    **reading: Any,
) -> Iterator[Example]:
    """The documents of a file with their summaries, a row at a time.

    Args:
        complete: whether a row with an empty cell is a bad line.
    """
    roles = (Role("document", DOCUMENT, document), Role("summary", SUMMARY, summary))

    def example(values: tuple[Any, ...], line: int) -> Example:
        cells = [_texts(cell, role.name) for cell, role in zip(values, roles, strict=True)]
        text = " ".join(cells[0])
        summaries = [summary for summary in cells[1] if summary.strip()]
        if complete and not (summaries and text.strip()):
            what = "a document" if summaries else "a summary"
            raise BadCellError(
                f"expected {what}; got an empty cell. Fill it, or take the line out.", "empty cell"
            )
        return Example(text, None, list(dict.fromkeys(summaries)), line)

    return read_examples(path, roles, example, **reading)


def read_summaries(path: str, **reading: Any) -> Iterator[Example]:
    """The documents to score a summarizer on, each once, with all of its summaries."""
    return iter(together(read_documents_with_summaries(path, complete=True, **reading)))


def together(examples: Iterator[Example]) -> list[Example]:
    """Return an example for each document, with all of its summaries as references."""
    by_text: dict[str, Example] = {}
    for example in examples:
        first = by_text.setdefault(normalize(example.text), example)
        first.targets.extend(text for text in example.targets if text not in first.targets)
    return list(by_text.values())


def _texts(value: Any, role: str) -> list[str]:
    """The texts of a cell: one, or a list of them."""
    texts = value if isinstance(value, list) else [value]
    if all(isinstance(text, str) for text in texts):
        return texts
    raise BadCellError(
        f"expected a text or a list of texts as the {role}; got {type(value).__name__}. Name its"
        f" column with `{role}`."
    )
