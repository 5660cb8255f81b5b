"""Positions on a grid: one sinusoidal code for the row, one for the column, side by side.

Source: the sinusoids of Vaswani et al. 2017 in two dimensions (Wang & Liu 2021; He et al. 2022).
"""

import torch
from torch import Tensor

from regard.errors import BadArgumentError
from regard.models.positions.sinusoidal import sinusoidal
from regard.shapes import Float


def grid(
    rows: int, columns: int, d_model: int, *, base: int | float = 10000.0
) -> Float[Tensor, "patches d_model"]:
    """Return a position for each cell of the grid, row after row: (patches, d_model).

    The first half of the dimensions tells the row, the second the column, each as all sines and
    then all cosines. Raises BadArgumentError unless d_model is a multiple of 4.

    >>> grid(rows=2, columns=3, d_model=8).shape
    torch.Size([6, 8])
    """
    if d_model < 4 or d_model % 4:
        raise BadArgumentError(f"a grid's d_model must be a multiple of 4; got {d_model}.")
    of_rows, of_columns = (
        sinusoidal(length, d_model // 2, base=base, layout="halves") for length in (rows, columns)
    )
    down = of_rows[:, None].expand(rows, columns, -1)
    across = of_columns[None].expand(rows, columns, -1)
    return torch.cat([down, across], -1).flatten(0, 1)
