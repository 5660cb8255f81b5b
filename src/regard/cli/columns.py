"""A table for the terminal whose columns stand below each other in every script.

rich.table does not do it: it wraps cells to the width of the terminal, but a line must stay one
line for programs that read the output, and it is slow to import.
"""

from collections.abc import Sequence

from regard.lazy import rich
from regard.lines import one_line


def columns(rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Return the first `left` columns are aligned to the left, the others to the right."""
    cell_len = rich.cells.cell_len  # Chinese letters and emoji are two columns wide

    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        gaps = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        padded = [
            cell + gap if index < left else gap + cell
            for index, (cell, gap) in enumerate(zip(row, gaps, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)
