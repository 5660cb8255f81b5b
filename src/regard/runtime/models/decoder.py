"""The graph of Decoder, a language model, whose keys and values are written into shared storage.

step.onnx    ids, positions, lengths, longest, last, past keys and values
             → the tokens after each row's last (`heads.next_tokens`), the same keys and values
               with the new ones
"""

import numpy as np

from regard.layers import Embedding, MultiHeadAttention
from regard.models import Decoder
from regard.runtime.graph import Graph, as_array, cannot_pack
from regard.runtime.layers.attention import shared_cache_attention
from regard.runtime.layers.embeddings import embedding
from regard.runtime.layers.transformer import stack
from regard.runtime.linear import product
from regard.runtime.models.heads import next_tokens


def graphs(model: Decoder, precision: str) -> dict[str, Graph]:
    """The graph by the name of its file."""
    config, graph = model.config, Graph(precision)
    if model.head is not None:
        raise cannot_pack(f"a decoder with the head {config.head!r}")
    ids = graph.input("ids", np.int64, ("rows", "new"))
    lengths = graph.input("lengths", np.int32, ("rows",))
    longest = graph.input("longest", np.int32, (1,))
    last = graph.input("last", np.int64, ("rows", 1))
    embed = model.decoder.embed
    assert isinstance(embed, Embedding)
    positions = ""
    if embed.positions is not None:
        positions = graph.input("positions", np.int64, ("rows", "new"))
    caches: list[tuple[str, str]] = []

    def attend(index: int, x: str, module: MultiHeadAttention) -> str:
        shape = ("rows", module.num_key_heads, "room", module.head_dim)
        key, value = (graph.input(f"past_{n}{index}", np.float32, shape) for n in "kv")
        y, *cache = shared_cache_attention(
            graph,
            x,
            module,
            (key, value),
            lengths=lengths,
            longest=longest,
            window=model.decoder.windows[index],
            max_positions=config.max_positions,
        )
        caches.append((cache[0], cache[1]))
        return y

    x = embedding(graph, ids, embed, positions=positions)
    states = stack(graph, x, model.decoder, attend)
    newest = graph.op("GatherND", states, last, batch_dims=1)
    logits = product(graph, newest, as_array(model.output_weight))
    next_tokens(graph, logits, config.vocab_size)
    for index, cache in enumerate(caches):
        attention = model.decoder.layers[index].self_attention
        assert isinstance(attention, MultiHeadAttention)
        shape = ("rows", attention.num_key_heads, "room", attention.head_dim)
        for name, value in zip("kv", cache, strict=True):
            graph.output(value, f"all_{name}{index}", np.float32, shape)
    return {"step": graph}
