"""Any rectangle of an attention map, exact, without the rest of it: exp(score - lse)."""

from regard.arrays import Array as Tensor
from regard.arrays import arrays_of, dtype_of
from regard.attention.attend import check
from regard.attention.masks import Mask
from regard.attention.scores import Score
from regard.errors import BadArgumentError
from regard.shapes import Float


def attention_weights(
    query: Float[Tensor, "*query_heads queries query_dim"],
    key: Float[Tensor, "*key_heads keys key_dim"],
    *,
    score: str | Score = "scaled_dot",
    mask: Mask | Tensor | None = None,
    bias: Float[Tensor, "*any"] | None = None,
    queries: slice = slice(None),
    keys: slice = slice(None),
    lse: Float[Tensor, "*query_heads queries"] | None = None,
) -> Float[Tensor, "*query_heads tile_queries tile_keys"]:
    """Return the weights with which `attend`, given the same arguments, averages the values:
    (batch, heads, queries, keys) of the tile.

    A row of the tile is normalized over every key that its query may see, inside the tile or not;
    a query that sees nothing has zeros. Memory is that of the tile and of one block, whatever the
    length, unless gradients are recorded.

    >>> query, key = torch.randn(2, 4, 65, 16).unbind()
    >>> attention_weights(query, key, queries=slice(0, 8), keys=slice(32, 64)).shape
    torch.Size([4, 8, 32])

    Args:
        queries, keys: the tile, as slices of the map's rows and columns; all of it if not given.
        lse: the log-sum-exp of every row, (batch, heads, queries), as `attend` returns it; saves
            a pass over the keys.

    Raises:
        BadArgumentError: shapes that do not fit, a score that is not known.
    """
    inputs = check(query, key, key, score, mask, bias)
    height, width = inputs.query.shape[2], inputs.key.shape[2]
    arrays = arrays_of(query)
    rows = arrays.count(height, like=query)[_as_slice("queries", queries)]
    columns = arrays.count(width, like=query)[_as_slice("keys", keys)]
    lse = None if lse is None else _check_lse(lse, query)[:, :, rows]
    weights = inputs.weights(rows, columns, lse=lse)
    weights = arrays.converted(weights, dtype_of(inputs.query))
    return weights[(0,) * (4 - query.ndim)]


def _as_slice(name: str, part: object) -> slice:
    if not isinstance(part, slice) or (part.step or 1) < 1:
        raise BadArgumentError(
            f"{name} must be a slice that runs forward, like slice(0, 64); got {part!r}."
        )
    return part


def _check_lse(lse: Tensor, query: Tensor) -> Tensor:
    expected = tuple(query.shape[:-1])
    if tuple(lse.shape) != expected:
        raise BadArgumentError(
            f"lse must have one number for each query, {expected}; got {tuple(lse.shape)}."
            " Pass what attend(..., return_lse=True) returned for the whole map."
        )
    return lse[(None,) * (4 - query.ndim)]
