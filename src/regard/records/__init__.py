"""One reader of records: lines of files and pipes as text, cells or fields, or an error."""

from regard.records.lines import BadLine, LeftOut, OnBadLine, refuse
from regard.records.reader import BadCellError, Row, read_examples, read_rows
from regard.records.roles import Column, Role

__all__ = [
    "BadCellError",
    "BadLine",
    "Column",
    "LeftOut",
    "OnBadLine",
    "Role",
    "Row",
    "read_examples",
    "read_rows",
    "refuse",
]
