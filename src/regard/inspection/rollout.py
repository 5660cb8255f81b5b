"""Attention rollout: from an output back through the layers to what went in at the bottom.

Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers", equation 1: with
A = ½ W + ½ I for each layer, the mean W over its heads and I the residual connection, rollout is
the product of all layers' A. Here it is computed for chosen outputs only, a row vector times one
matrix after another, each of them in tiles: a map is never whole.
"""

from collections.abc import Iterable, Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from regard.errors import BadArgumentError, UnsupportedError
from regard.inspection.tap import TILE_COLUMNS, TILE_ROWS, Tap

RESIDUAL = 0.5  # the part that the residual connection keeps


@torch.no_grad()
def rollout(
    taps: Mapping[str, Tap] | Iterable[Tap], positions: Sequence[int], *, item: int = 0
) -> dict[str, Float[Tensor, "positions length"]]:
    """How much of each input reaches the outputs at `positions` of the last layer.

    With a decoder that also looks at an encoder, each of its two attentions is a layer: ½ stays
    with the target, ½ goes where the weights point, over self-attention to the target's inputs and
    over cross-attention to the encoder's output, from there through the encoder to the source. (The
    paper has encoders only; both halves are its equation 1 applied to each residual connection.)
    Feed-forward layers do not mix positions and do not count. What a row does not give to any key,
    as one that may attend to nothing, stays with it.

    Args:
        taps: a trace, or attention layers in the order in which they ran; leave the upper ones out
            to look at a lower layer's output.
        positions: of the last layer's queries.

    Returns:
        For each axis ("source", "target") float32 parts; over all axes a row sums to one.

    Raises:
        BadArgumentError: no layers, or a position that does not exist.
        UnsupportedError: axes that do not follow from one layer to the next.
    """
    layers = list(taps.values() if isinstance(taps, Mapping) else taps)
    if not layers:
        raise BadArgumentError("rollout needs at least one attention layer; got none.")
    top = layers[-1]
    outside = [position for position in positions if not 0 <= position < top.rows]
    if outside:
        raise BadArgumentError(f"positions must be from 0 to {top.rows - 1}; got {outside[0]}.")
    start = torch.zeros(len(positions), top.rows, device=top.query.device)
    start[range(len(positions)), list(positions)] = 1
    flow = {top.queries: start}
    for tap in reversed(layers):
        arriving = flow.get(tap.queries)
        if arriving is None:  # nothing above looks at this sequence
            continue
        _check(tap, arriving)
        through, given = _through(tap, arriving * (1 - RESIDUAL), item)
        flow[tap.queries] = arriving - given
        below = flow.get(tap.keys)
        flow[tap.keys] = through if below is None else below + through
    return flow


def _check(tap: Tap, arriving: Tensor) -> None:
    names_differ = tap.queries != tap.keys
    if (tap.kind == "cross") != names_differ or arriving.shape[1] != tap.rows:
        raise UnsupportedError(
            f"rollout follows axes by name, and those of {tap.name} ({tap.queries} to {tap.keys}, "
            f"{tap.rows} rows) do not fit a {tap.kind}-attention above which "
            f"{arriving.shape[1]} positions are known; trace the model with its own axes."
        )


def _through(tap: Tap, vectors: Tensor, item: int) -> tuple[Tensor, Tensor]:
    """vectors · W for the mean W over heads, (positions, keys); and what each row gave away of
    each vector, (positions, queries), which is all of it where the row's weights sum to one."""
    device = vectors.device
    reached = vectors.new_zeros(len(vectors), tap.columns)
    given = torch.zeros_like(vectors)
    for rows in torch.arange(tap.rows, device=device).split(TILE_ROWS):
        part = vectors[:, rows]
        if not part.any():  # rows that none of the outputs depends on
            continue
        for columns in torch.arange(tap.columns, device=device).split(TILE_COLUMNS):
            seen = [h for h in range(tap.heads) if tap.is_seen(h, rows, columns, item)]
            if not seen:
                continue
            total = sum(tap.tile(head, rows, columns, item=item) for head in seen)
            weights = torch.as_tensor(total) / tap.heads
            reached[:, columns] += part @ weights
            given[:, rows] += part * weights.sum(-1)
    return reached, given
