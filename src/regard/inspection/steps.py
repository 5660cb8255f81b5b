"""Attention one step at a time, as recurrent decoders do it, captured as one layer of many rows."""

from collections import Counter
from collections.abc import Sequence

import torch

from regard.attention import Call
from regard.errors import UnsupportedError
from regard.inspection.trace_data import Edit


def joined(calls: Sequence[Call]) -> Call:
    """The one call that has every step's query, over the keys that all steps share.

    Raises:
        UnsupportedError: there was no call.
    """
    if not calls:
        raise UnsupportedError(
            "there is no attention to look at: this recurrent model sees one fixed context;"
            " choose a model with attention 'bahdanau' or 'luong'."
        )
    if len(calls) == 1:
        return calls[0]
    query = torch.cat([call.inputs.query for call in calls], dim=2)
    sums = [call.lse for call in calls if call.lse is not None]
    return Call(
        calls[0].inputs._replace(query=query),
        torch.cat([call.output for call in calls], dim=2),
        torch.cat(sums, dim=2) if len(sums) == len(calls) else None,
    )


def row_by_row(edit: Edit, rows: int) -> Edit:
    """An edit of a layer of so many rows, for a model that computes them one after the other.

    Each step is shown to `edit` as if all rows were like it, and its own row of the answer counts.
    """
    steps: Counter[str] = Counter()

    def edit_step(name: str, call: Call) -> torch.Tensor | None:
        if call.inputs.query.shape[2] == rows:
            return edit(name, call)
        row = steps[name]
        steps[name] += 1
        output = edit(name, _repeated(call, rows))
        return None if output is None else output[:, :, row : row + 1]

    return edit_step


def _repeated(call: Call, rows: int) -> Call:
    return Call(
        call.inputs._replace(query=call.inputs.query.expand(-1, -1, rows, -1)),
        call.output.expand(-1, -1, rows, -1),
        None if call.lse is None else call.lse.expand(-1, -1, rows),
    )
