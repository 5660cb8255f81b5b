"""Self-attention of a step, whose keys and values are written into shared storage."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.exporting.graph import Graph, cannot_export
from regard.exporting.layers.attention import settings_of
from regard.exporting.layers.norm import heads_norm
from regard.exporting.linear import linear, plain, split
from regard.layers import MultiHeadAttention, Rotary


class SharedCache:
    """The past keys and values of every layer, as inputs of a graph, and the same storage with what
    is new written into it, as outputs.

    past_k0, past_v0, …    (rows, key_heads, room, head_dim) each
    all_k0, all_v0, …      the same
    lengths                (rows,) of int32: how many tokens each row has with the new, minus 1
    longest                (1,) of int32: the largest number of tokens of a row

    Args:
        max_positions: of rotary tables; None: the model has none.
        bias: (1 or rows, heads, new, longest), added to the scores.
    """

    def __init__(self, graph: Graph, *, max_positions: int | None, bias: str = ""):
        self._graph, self._max_positions, self.bias = graph, max_positions, bias
        self.lengths = graph.input("lengths", np.int32, ("rows",))
        self.longest = graph.input("longest", np.int32, (1,))
        self._written: list[tuple[str, str, tuple[str | int, ...]]] = []

    def attend(
        self, index: int, x: str, module: MultiHeadAttention, *, window: int | None = None
    ) -> str:
        """x (rows, new, d_model) → the same shape, by layer number `index`."""
        graph = self._graph
        shape = ("rows", module.num_key_heads, "room", _width(module))
        past = [graph.input(f"past_{n}{index}", np.float32, shape) for n in "kv"]
        y, *cache = shared_cache_attention(
            graph,
            x,
            module,
            (past[0], past[1]),
            lengths=self.lengths,
            longest=self.longest,
            window=window,
            max_positions=self._max_positions,
            bias=self.bias,
        )
        self._written += [
            (f"all_{n}{index}", value, shape) for n, value in zip("kv", cache, strict=True)
        ]
        return y

    def to_outputs(self) -> None:
        """Makes the storage an output of the graph."""
        for name, value, shape in self._written:
            self._graph.output(value, name, np.float32, shape)


def shared_cache_attention(
    graph: Graph,
    x: str,
    module: MultiHeadAttention,
    past: tuple[str, str],
    *,
    lengths: str,
    longest: str,
    window: int | None,
    max_positions: int | None,
    bias: str = "",
) -> tuple[str, str, str]:
    """x (rows, new, d_model) → the same shape, and the caches with what is new written into them.

    Query heads may share key heads, and rotary positions are in the operator.

    Args:
        past: storage of keys and values, (rows, key_heads, room, head_dim) each; two "" where
            x is the whole text.
        lengths: (rows,) of int32: how many tokens each row has with these, minus 1.
        longest: (1,) of int32: the largest number of tokens of a row.
        window: how many positions a position attends to, itself included; None: all so far.
        max_positions: of the rotary tables.
        bias: (1 or rows, heads, new, longest), added to the scores.
    """
    *inward, outward = _padded(module)
    inputs: tuple[str, ...] = (linear(graph, x, *inward), "", "")
    if not isinstance(module.query_norm, nn.Identity):
        inputs = _normalized(graph, inputs[0], module)
    tables: tuple[str, ...] = ()
    settings = settings_of(module, decodes=True) | {"kv_num_heads": module.num_key_heads}
    if module.rotary is not None:
        if module.head_dim % 16 or module.rotary.dim % 16:
            raise cannot_export(
                f"rotary positions of {module.rotary.dim} numbers in heads of {module.head_dim}"
            )
        assert max_positions is not None  # the tables have their length
        tables = _tables(graph, module.rotary, max_positions)
        settings |= {"do_rotary": 1, "rotary_interleaved": 0}
    if window is not None:
        settings["local_window_size"] = window
    inputs = (*inputs, *past, lengths, longest, *tables)
    if bias:
        inputs = (*inputs, *[""] * (10 - len(inputs)), bias)
    y, keys, values = graph.ops("GroupQueryAttention", *inputs, outputs=3, **settings)
    return linear(graph, y, outward), keys, values


def _normalized(graph: Graph, together: str, module: MultiHeadAttention) -> tuple[str, str, str]:
    """Queries, keys and values of projections side by side; the first two are normalized."""
    width = _width(module)
    heads = (module.num_heads, module.num_key_heads, module.num_key_heads)
    query, key, value = split(graph, together, [count * width for count in heads])
    query = heads_norm(graph, query, module.query_norm, module.head_dim, width)
    return query, heads_norm(graph, key, module.key_norm, module.head_dim, width), value


def _width(module: MultiHeadAttention) -> int:
    """Width of a head in storage: ONNX Runtime's operator wants a multiple of 8."""
    return module.head_dim + -module.head_dim % 8


@torch.no_grad()
def _padded(module: MultiHeadAttention) -> tuple[nn.Linear, ...]:
    """Query, key, value and output with zeros behind each head, which change no product."""
    inward = (plain(projection) for projection in (module.query, module.key, module.value))
    outward, more = plain(module.output), _width(module) - module.head_dim
    if not more:
        return *inward, outward
    return *(_with_rows(projection, module.head_dim, more) for projection in inward), _with_columns(
        outward, module.head_dim, more
    )


def _with_rows(projection: nn.Linear, width: int, more: int) -> nn.Linear:
    weight = functional.pad(projection.weight.unflatten(0, (-1, width)), (0, 0, 0, more))
    bias: Tensor | None = projection.bias
    if bias is not None:
        bias = functional.pad(bias.unflatten(0, (-1, width)), (0, more)).flatten()
    return _projection(weight.flatten(0, 1), bias)


def _with_columns(projection: nn.Linear, width: int, more: int) -> nn.Linear:
    weight = functional.pad(projection.weight.unflatten(1, (-1, width)), (0, more))
    return _projection(weight.flatten(1), projection.bias)


def _projection(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    linear = nn.utils.skip_init(nn.Linear, weight.shape[1], weight.shape[0], bias is not None)
    linear.weight.copy_(weight)
    if bias is not None:
        linear.bias.copy_(bias)
    return linear


def _tables(graph: Graph, rotary: Rotary, max_positions: int) -> tuple[str, str]:
    angles = torch.arange(max_positions)[:, None].float() * rotary.frequencies
    cosine, sine = angles.cos() * rotary.attention_factor, angles.sin() * rotary.attention_factor
    return graph.constant(cosine), graph.constant(sine)
