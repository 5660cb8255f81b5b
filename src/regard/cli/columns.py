"""A table for the terminal whose columns stand below each other in every script."""

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]]) -> str:
    """The first column to the left, the others to the right."""
    from rich.cells import cell_len  # Chinese letters and emoji are two columns wide

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        gaps = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        first, *others = zip(row, gaps, strict=True)
        lines.append(
            "  ".join([first[0] + first[1], *(gap + cell for cell, gap in others)]).rstrip()
        )
    return "\n".join(lines)
