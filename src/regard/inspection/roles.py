"""Roles of heads, as numbers: how much of a row's weight falls on the keys of a role.

previous     the token before: Clark et al. 2019, section 3.1
duplicate    the same token, earlier in the text
induction    what followed the same token earlier in the text: Olsson et al. 2022, In-context
             Learning and Induction Heads
first        the first token, where sinks are: Xiao et al. 2024, section 3.1
copying      a token whose own logit the head raises above the mean of all logits, by the direct
             path W_V W_O W_U, without the last norm: Elhage et al. 2021, A Mathematical
             Framework for Transformer Circuits, on OV circuits
names        from the end of a sentence such as "Mary and Tom met, and Tom gave a book to", the name
             that would complete it: Wang et al. 2022, Interpretability in the Wild, section 3.1
"""

import numpy as np
from numpy.typing import NDArray

from regard.arrays import as_numpy
from regard.inspection.tap import Tap
from regard.shapes import Bool, Float, Int64

ROLES = ("previous", "duplicate", "induction", "first", "copying", "names")
_COPIES_BY_CHANCE = 0.5


def role_keys(ids: Int64[NDArray, " length"]) -> Bool[NDArray, "roles length length"]:
    """Return the keys of the first four roles, for each row of a text's map."""
    row, key = np.arange(len(ids))[:, None], np.arange(len(ids))[None]
    duplicate = (key < row) & (ids[None] == ids[:, None])
    induction = np.zeros_like(duplicate)
    induction[:, 1:] = duplicate[:, :-1]
    first = np.broadcast_to(key == 0, duplicate.shape)
    return np.stack([key == row - 1, duplicate, induction, first])


def role_shares(
    tap: Tap,
    ids: Int64[NDArray, " length"],
    unembedding: Float[NDArray, "vocab d_model"] | None = None,
) -> tuple[Float[NDArray, "roles heads"], Float[NDArray, " roles"]]:
    """Return the share of each head's weight on the keys of each role but names, and of an even
    look.

    Means over the rows whose mask allows some but not all of the allowed keys to be of the role;
    NaN where no row does. Copying has all rows, and chance 0.5.

    Args:
        tap: of self-attention; a learned sink is a column before the tokens'.
        ids: of the text's tokens.
        unembedding: W_U, without which copying is NaN, as it is for a tap without W_O.
    """
    mask = tap.allowed(0, tap.positions(tap.rows), tap.positions(tap.columns))
    allowed = np.full((tap.rows, tap.columns), True)
    if mask is not None:
        allowed &= as_numpy(mask)
    sinks = tap.columns - tap.rows
    keys = np.pad(role_keys(ids), ((0, 0), (0, 0), (sinks, 0))) & allowed
    there, seen = keys.sum(-1), allowed.sum(-1)
    shows = (there > 0) & (there < seen)
    weights = as_numpy(tap.weights())
    on_keys = np.einsum("hqk,rqk->rhq", weights, keys, optimize=True)
    with np.errstate(invalid="ignore"):  # of a role that no row shows
        rows = shows.sum(-1)
        shares = (on_keys * shows[:, None]).sum(-1) / rows[:, None]
        chance = (there / seen.clip(1) * shows).sum(-1) / rows
    copying = np.full(tap.heads, np.nan)
    if unembedding is not None and tap.output_weight is not None:
        copies = np.pad(_copies(tap, unembedding, ids), ((0, 0), (sinks, 0)))
        copying = (weights * copies[:, None]).sum(-1).mean(-1)
    return np.vstack([shares, copying]), np.append(chance, _COPIES_BY_CHANCE)


def name_shares(tap: Tap, name: slice) -> tuple[Float[NDArray, " heads"], float]:
    """Return the share of each head's last row on a name, and that of an even look; NaN where the
    row may see none of it, or nothing else.

    Args:
        tap: of self-attention; a learned sink is a column before the tokens'.
        name: its places in the text.
    """
    last, sinks = slice(tap.rows - 1, tap.rows), tap.columns - tap.rows
    mask = tap.allowed(0, tap.rows_of(last), tap.positions(tap.columns))
    allowed = np.full(tap.columns, True)
    if mask is not None:
        allowed &= as_numpy(mask)[0]
    places = slice(name.start + sinks, name.stop + sinks)
    there, seen = allowed[places].sum(), allowed.sum()
    if not 0 < there < seen:
        return np.full(tap.heads, np.nan), np.nan
    return as_numpy(tap.weights(queries=last))[:, 0, places].sum(-1), there / seen


def _copies(
    tap: Tap, unembedding: NDArray[np.float32], ids: NDArray[np.int64]
) -> Bool[NDArray, "heads length"]:
    """Return for each token True where the head's value of it raises its own logit above the mean
    of all logits."""
    floats = tap.arrays.floats
    values = as_numpy(floats(tap.value))[0, :, -len(ids) :].repeat(tap.heads // tap.key_heads, 0)
    added = values @ as_numpy(floats(tap.output_weight))
    rises = unembedding[ids] - unembedding.mean(0)
    copies: NDArray[np.bool_] = np.einsum("hkd,kd->hk", added, rises) > 0
    return copies
