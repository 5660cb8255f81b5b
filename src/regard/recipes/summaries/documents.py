"""Documents with their summaries from a user's file."""

from collections.abc import Iterator
from typing import Any

from regard.data import Role, read_rows
from regard.data.columns import Column
from regard.data.pairs import OnBadLine, refuse
from regard.errors import DamagedFileError
from regard.recipes.examples import Example
from regard.text import normalize

DOCUMENT = ("document", "article", "text", "source", "documents", "dialogue", "input")
SUMMARY = ("summary", "summaries", "highlights", "target", "abstract", "targets", "output")


def read_documents_with_summaries(
    path: str,
    *,
    document: Column | None = None,
    summary: Column | None = None,
    on_bad_line: OnBadLine = refuse,
) -> Iterator[Example]:
    """The documents of a file with their summaries, a row at a time.

    Args:
        document, summary: the columns; by default those of a known name.

    Raises:
        BadArgumentError: a column that is missing.
        DamagedFileError: a row whose cells are not texts.
    """
    roles = (Role("document", DOCUMENT, document), Role("summary", SUMMARY, summary))
    for (own, found), line in read_rows(path, roles, on_bad_line=on_bad_line):
        texts = _texts(path, line, own, "document")
        summaries = [text for text in _texts(path, line, found, "summary") if text.strip()]
        yield Example(" ".join(texts), None, list(dict.fromkeys(summaries)), line)


def read_summaries(
    path: str, *, document: Column | None = None, summary: Column | None = None
) -> list[Example]:
    """The documents to score a summarizer on, each once, with all of its summaries.

    Raises:
        BadArgumentError, DamagedFileError: as `read_documents_with_summaries`; a document that has
            no summary.
    """
    examples = list(read_documents_with_summaries(path, document=document, summary=summary))
    for example in examples:
        if not example.targets or not example.text.strip():
            what = "a document" if example.targets else "a summary"
            raise DamagedFileError(
                f"{path}, line {example.line:,}: expected {what}; got an empty cell. Fill it, or"
                " take the line out."
            )
    return together(iter(examples))


def together(examples: Iterator[Example]) -> list[Example]:
    """One example for each document, with all of its summaries as references."""
    found: dict[str, Example] = {}
    for example in examples:
        first = found.setdefault(normalize(example.text), example)
        first.targets.extend(text for text in example.targets if text not in first.targets)
    return list(found.values())


def _texts(path: str, line: int, value: Any, role: str) -> list[str]:
    """The texts of a cell: one, or a list of them."""
    texts = value if isinstance(value, list) else [value]
    if all(isinstance(text, str) for text in texts):
        return texts
    raise DamagedFileError(
        f"{path}, line {line:,}: expected a text or a list of texts as the {role}; got"
        f" {type(value).__name__}. Name its column with `{role}`."
    )
