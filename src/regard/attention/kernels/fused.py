"""PyTorch's own kernel, scaled_dot_product_attention, for the scores that it knows."""

from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from regard.attention.masks import Causal
from regard.attention.record import Attention
from regard.attention.softmax import zero_where_empty
from regard.attention.whole_mask import lowest


def fused(attention: Attention, scale: float) -> Float[Tensor, "batch heads queries value_dim"]:
    """The weighted average of the values. A mask other than a square Causal is built whole."""
    query, key, value, _, mask, bias = attention
    queries, keys = query.shape[2], key.shape[2]
    grouped = query.shape[1] != key.shape[1]
    # PyTorch aligns its causal mask on the left: ours, unless the map is square.
    if bias is None and type(mask) is Causal and queries == keys:
        return scaled_dot_product_attention(
            query, key, value, is_causal=True, scale=scale, enable_gqa=grouped
        )
    whole = None if mask is None else mask.whole(queries, keys, query.device)
    added: Tensor | None = None
    live_rows: Tensor | None = None
    if bias is not None:
        added = bias.to(query.dtype)
        if whole is not None:
            added = added.masked_fill(whole.hidden, float("-inf"))
        live_rows = ~added.isneginf().all(-1, keepdim=True)
        added = added.clamp(min=lowest(query.dtype))
    elif whole is not None:
        added, live_rows = whole.allowed, whole.live_rows
    output = scaled_dot_product_attention(
        query, key, value, attn_mask=added, scale=scale, enable_gqa=grouped
    )
    # What an empty row gives differs between PyTorch's back ends.
    return output if live_rows is None else zero_where_empty(output, ~live_rows)
