"""Learned positions: a table with one row per position, looked up and nothing else."""

from torch import Tensor
from torch.nn.functional import embedding

from regard.errors import BadArgumentError
from regard.shapes import Float, Int


def learned(
    table: Float[Tensor, "max_positions d_model"], length: int, *, start: int = 0
) -> Float[Tensor, "length d_model"]:
    """Rows start … start + length - 1, (length, d_model), of a table (max_positions, d_model).

    Gradients reach these rows only.
    Raises BadArgumentError for a position outside the table: there is nothing to read there,
    unlike with sinusoidal positions.
    Source: Gehring et al. 2017, section 3.1.

    >>> table = torch.tensor([[0.5, 0.1], [0.2, 0.4], [0.3, 0.9]])
    >>> learned(table, 2, start=1)
    tensor([[0.2000, 0.4000],
            [0.3000, 0.9000]])
    """
    if start < 0 or length < 0:
        raise BadArgumentError(
            f"learned positions start at 0; got start={start} and length={length}."
        )
    if start + length > len(table):
        raise _beyond(start + length - 1, table)
    return table[start : start + length]


def learned_at(
    table: Float[Tensor, "max_positions d_model"], positions: Int[Tensor, "*any"]
) -> Float[Tensor, "*any d_model"]:
    """Positions (…), in any order → the rows (…, d_model) of a table (max_positions, d_model).

    Errors as for `learned`.

    >>> table = torch.tensor([[0.5, 0.1], [0.2, 0.4], [0.3, 0.9]])
    >>> learned_at(table, torch.tensor([2, 0]))
    tensor([[0.3000, 0.9000],
            [0.5000, 0.1000]])
    """
    if positions.numel():
        first, last = int(positions.min()), int(positions.max())
        if first < 0:
            raise BadArgumentError(f"learned positions start at 0; got {first}.")
        if last >= len(table):
            raise _beyond(last, table)
    return embedding(positions, table)


def _beyond(position: int, table: Tensor) -> BadArgumentError:
    return BadArgumentError(
        f"positions must be below {len(table)}, the rows of the table; got {position}."
        " Shorten or split the input, or use a model with more positions."
    )
