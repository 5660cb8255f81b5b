"""Norms of what attention adds to an output, instead of the weights alone.

‖α·f(x)‖ of one head is `Tap.norms`: f(x) = (x W_V + b_V) W_O, the head's own part of W_O
(Kobayashi et al. 2020, "Attention is Not Only a Weight", equations 4 and 5). Here are the norms of
a layer: its heads add up before the norm is taken, and, when the caller gives the `Connection`
around it, with the residual and the layer normalisation (Kobayashi et al. 2021, "Incorporating
Residual and Normalization Layers into Analysis of Masked Language Models", sections 2 and 3).

Biases: b_V is in f, because the recorded values have it. b_O and the normalisation's β come to an
output once whatever it looks at; they belong to no key and are left out, as in both papers.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.errors import BadArgumentError, UnsupportedError
from regard.inspection.tap import TILE_COLUMNS, TILE_ROWS, Tap
from regard.inspection.watching import watching
from regard.layers import Norm, TransformerLayer

KEYS_AT_ONCE = 512  # of which f(x) is held for all heads


@dataclass(frozen=True, eq=False)
class Connection:
    """What stands around one attention layer, for one sequence.

    Post-norm, LN(x + attention(x)): the normalisation is linear once its row's deviation is known,
    g(w) = γ ⊙ (w - mean(w)) / std, and is applied to each contribution. Pre-norm,
    x + attention(LN(x)): no `gamma`, and the normalisation is inside f already.
    """

    residual: Float[Tensor, "queries d_model"]  # x
    gamma: Float[Tensor, " d_model"] | None = None
    std: Float[Tensor, " queries"] | None = None  # of x + attention(x), with the norm's ε

    def __post_init__(self) -> None:
        if (self.gamma is None) != (self.std is None):
            raise BadArgumentError(
                "a connection's gamma and std go together: give both for post-norm, neither for "
                "pre-norm."
            )


@torch.no_grad()
def layer_norms(
    tap: Tap,
    queries: slice = slice(None),
    keys: slice = slice(None),
    *,
    around: Connection | None = None,
    item: int = 0,
) -> Float[Tensor, "tile_queries tile_keys"]:
    """‖Σ_h α_h f_h(x_j)‖ of a tile: how much key j adds to output i through all heads together.

    With `around`, the residual is part of what a position adds to itself (self-attention), and
    post-norm's g is applied: ‖g(Σ_h α_h f_h(x_j) + [i = j] x_i)‖. In cross-attention the residual
    comes from no key; `residual_norms` gives its share.

    No vector is made for each cell: the squared norm is α_ij · G_j · α_ij, with the inner products
    G_j of the heads' f(x_j), which a few hundred bytes a key hold.

    Raises:
        UnsupportedError: a layer whose W_O is not known.
        BadArgumentError: a connection of another shape, a tile that is not there.
    """
    rows, columns = tap.rows_of(queries), tap.columns_of(keys)
    check(tap, around)
    norms = torch.zeros(len(rows), len(columns), device=tap.query.device)
    for start in range(0, len(columns), KEYS_AT_ONCE):
        part = columns[start : start + KEYS_AT_ONCE]
        added = normalised(contributions(tap, part, item), around)  # (heads, keys, d_model)
        gram = torch.einsum("hkd,gkd->khg", added, added)
        for top in range(0, len(rows), TILE_ROWS):
            strip = rows[top : top + TILE_ROWS]
            weights = torch.stack(
                [tap.tile(head, strip, part, item=item) for head in range(tap.heads)], dim=-1
            ).double()  # (queries, keys, heads)
            squares = torch.einsum("qkh,khg,qkg->qk", weights, gram, weights).clamp_(min=0)
            if around is not None and tap.kind == "self":
                _add_residual(tap, squares, weights, added, strip, part, around)
            if around is not None and around.std is not None:
                squares /= around.std[strip].double().square()[:, None]
            norms[top : top + len(strip), start : start + len(part)] = squares.sqrt()
    return norms


@torch.no_grad()
def residual_norms(
    tap: Tap, around: Connection, queries: slice = slice(None)
) -> Float[Tensor, " tile_queries"]:
    """‖x_i‖, under post-norm ‖g(x_i)‖: what the residual alone brings to each output."""
    rows = tap.rows_of(queries)
    check(tap, around)
    own = normalised(around.residual[rows].double(), around)
    return _divided(own, around, rows).norm(dim=-1).float()


@torch.no_grad()
def mixing_ratio(
    tap: Tap, around: Connection, queries: slice = slice(None), *, item: int = 0
) -> Float[Tensor, " tile_queries"]:
    """How much of each output is context: ‖context‖ / (‖context‖ + ‖own‖), from 0 to 1.

    Own is what position i brings to itself, through the residual and its own weight; context is the
    sum over the other keys before its norm is taken (Kobayashi et al. 2021, section 3). In
    cross-attention every key is context. A row of nothing at all is NaN.

    Raises:
        UnsupportedError: a layer whose W_O is not known.
        BadArgumentError: a connection of another shape.
    """
    wanted = tap.rows_of(queries)
    check(tap, around)
    parts = []
    for rows in wanted.split(TILE_ROWS):
        own = around.residual[rows].double()
        context = _attended(tap, rows, item)
        if tap.kind == "self":
            same = _own_columns(tap, rows)
            itself = torch.zeros_like(context)
            for head, added in enumerate(contributions(tap, same, item)):
                weight = _diagonal(tap, head, rows, same, item)
                itself += weight[:, None] * added
            own, context = own + itself, context - itself
        own, context = (
            _divided(normalised(vectors, around), around, rows).norm(dim=-1)
            for vectors in (own, context)
        )
        parts.append((context / (context + own)).float())
    return torch.cat(parts) if parts else torch.zeros(0, device=tap.query.device)


@contextmanager
def connections(model: nn.Module, *, item: int = 0) -> Iterator[dict[str, Connection]]:
    """Within it, a run of one of this package's models fills the dictionary: by tap name, what
    stands around that layer.

    >>> with connections(model) as around:
    ...     trace = regard.trace(model, source=source, target=target)
    >>> mixing_ratio(trace["encoder.layers.0.self"], around["encoder.layers.0.self"])
    """
    found: dict[str, Connection] = {}
    first: dict[nn.Module, str] = {}  # what reads the residual stream, with the tap's name
    norms: dict[nn.Module, str] = {}  # of post-norm layers, which read the sum
    for path, layer in model.named_modules():
        if not isinstance(layer, TransformerLayer):
            continue
        for kind in ("self",) if layer.cross_attention is None else ("self", "cross"):
            attention = layer.get_submodule(f"{kind}_attention")
            norm = layer.get_submodule(f"{kind}_attention_norm")
            first[norm if layer.norm_first else attention] = f"{path}.{kind}"
            if not layer.norm_first:
                norms[norm] = f"{path}.{kind}"

    def before(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        states = args[0][item].detach()
        if module in first:
            found[first[module]] = Connection(states)
        else:
            assert isinstance(module, Norm)
            name = norms[module]
            std = (states.float().var(dim=-1, unbiased=False) + module.eps).sqrt()
            found[name] = Connection(found[name].residual, module.weight.detach(), std)

    with watching([*first, *norms], before=before):
        yield found


def check(tap: Tap, around: Connection | None) -> None:
    if tap.output_weight is None:
        raise UnsupportedError(
            f"norms need the output projection of {tap.name}, which is not known here; look at the "
            "weights instead."
        )
    if around is None:
        return
    width = tap.output_weight.shape[-1]
    expected = {"residual": (tap.rows, width), "gamma": (width,), "std": (tap.rows,)}
    for name, shape in expected.items():
        given = getattr(around, name)
        if given is not None and tuple(given.shape) != shape:
            raise BadArgumentError(
                f"{name} of {tap.name}'s connection must have shape {shape}; got "
                f"{tuple(given.shape)}."
            )


def contributions(tap: Tap, columns: Tensor, item: int) -> Float[Tensor, "heads tile_keys d_model"]:
    """f(x) of some keys for every head, in float64."""
    assert tap.output_weight is not None
    group = tap.heads // tap.key_heads
    value = tap.value[item][:, columns].double().repeat_interleave(group, dim=0)
    return value @ tap.output_weight.double()


def normalised(
    vectors: Float[Tensor, "*any d_model"], around: Connection | None
) -> Float[Tensor, "*any d_model"]:
    """g but for its division by the row's deviation; the vectors themselves without post-norm."""
    if around is None or around.gamma is None:
        return vectors
    return (vectors - vectors.mean(dim=-1, keepdim=True)) * around.gamma.double()


def _divided(vectors: Tensor, around: Connection, rows: Tensor) -> Tensor:
    return vectors if around.std is None else vectors / around.std[rows].double()[:, None]


def _own_columns(tap: Tap, rows: Tensor) -> Tensor:
    """The keys at the rows' own positions, which are aligned on the right."""
    return rows + (tap.columns - tap.rows)


def _add_residual(
    tap: Tap,
    squares: Tensor,
    weights: Tensor,
    added: Tensor,
    rows: Tensor,
    columns: Tensor,
    around: Connection,
) -> None:
    """Replaces the cells of a position and itself, where the residual comes on top."""
    at_row, at_column = (_own_columns(tap, rows)[:, None] == columns).nonzero(as_tuple=True)
    own = torch.einsum("ch,hcd->cd", weights[at_row, at_column], added[:, at_column])
    own = own + normalised(around.residual[rows[at_row]].double(), around)
    squares[at_row, at_column] = own.square().sum(-1)


def _attended(tap: Tap, rows: Tensor, item: int) -> Float[Tensor, "rows d_model"]:
    """Σ_j Σ_h α_h f_h(x_j) of some rows, from tiles."""
    assert tap.output_weight is not None
    total = torch.zeros(
        len(rows), tap.output_weight.shape[-1], dtype=torch.float64, device=rows.device
    )
    for head in range(tap.heads):
        value = tap.value[item, head // (tap.heads // tap.key_heads)]
        mixed = torch.zeros(len(rows), value.shape[-1], dtype=torch.float64, device=rows.device)
        for columns in torch.arange(tap.columns, device=rows.device).split(TILE_COLUMNS):
            if tap.is_seen(head, rows, columns, item):
                weights = tap.tile(head, rows, columns, item=item)
                mixed += weights.double() @ value[columns].double()
        total += mixed @ tap.output_weight[head].double()
    return total


def _diagonal(tap: Tap, head: int, rows: Tensor, same: Tensor, item: int) -> Tensor:
    """The weight of each row for its own position."""
    return tap.tile(head, rows, same, item=item).double().diagonal()
