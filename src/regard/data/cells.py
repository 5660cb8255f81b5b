"""Cells of tables as programs write them: lists of Python and NumPy, and signs of no value."""

import ast
import re

MISSING = frozenset({"nan", "null", "n/a", "#n/a", "<na>", "na"})  # in lower case
_WORD = r"""(?:'[^']*'|"[^"]*"|[\w.+-]+)"""
_ITEM = re.compile(_WORD)
_NUMPY = re.compile(rf"\[\s*{_WORD}(?:\s+{_WORD})*\s*\]")


def literal(cell: object) -> object:
    """Return the list or object that a cell holds, as it is or as text; None for anything else.

    >>> literal("['a', 'b']"), literal("[1 0 1]"), literal("['a' 'b']"), literal("[a]")
    (['a', 'b'], [1, 0, 1], ['a', 'b'], None)
    """
    if isinstance(cell, list | dict):
        return cell
    if not (isinstance(cell, str) and cell[:1] + cell[-1:] in ("[]", "{}")):
        return None
    text = cell
    if _NUMPY.fullmatch(cell):
        text = f"[{', '.join(_ITEM.findall(cell))}]"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
