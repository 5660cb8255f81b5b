"""Multi-head attention (Attention Is All You Need, section 3.2.2): project, attend, join."""

from torch import Tensor, nn

from regard.attention import Mask, attend
from regard.errors import RegardError
from regard.layers.cache import KeyValueCache


class MultiHeadAttention(nn.Module):
    """Concat(head_1, …, head_h) · W_O with head_i = attend(x W_Q,i, m W_K,i, m W_V,i).

    Self-attention and cross-attention differ only in `memory`, the sequence that keys and values
    are taken from: `None` means the input itself.

    Args:
        d_model: width of input and output.
        num_heads: number of query heads.
        head_dim: width of one head; d_model / num_heads when not given.
    """

    def __init__(self, d_model: int, num_heads: int, *, head_dim: int | None = None):
        super().__init__()
        if head_dim is None and d_model % num_heads:
            raise RegardError(
                f"d_model must be a multiple of num_heads; got {d_model} and {num_heads}."
                " Change one of them or give head_dim."
            )
        self.num_heads = num_heads
        self.head_dim = head_dim or d_model // num_heads
        width = self.num_heads * self.head_dim
        self.query = nn.Linear(d_model, width)
        self.key = nn.Linear(d_model, width)
        self.value = nn.Linear(d_model, width)
        self.output = nn.Linear(width, d_model)

    def forward(
        self,
        input: Tensor,
        memory: Tensor | None = None,
        *,
        mask: Mask | Tensor | None = None,
        cache: KeyValueCache | None = None,
    ) -> Tensor:
        """(batch, queries, d_model) → the same shape.

        With a cache, self-attention appends its keys and values to it; cross-attention fills it
        on the first call and afterwards reads it, ignoring what memory would give again.
        """
        query = self._split(self.query(input))
        if memory is not None and cache is not None and cache.length:
            key, value = cache.key, cache.value
        else:
            source = input if memory is None else memory
            key, value = self._split(self.key(source)), self._split(self.value(source))
            if cache is not None:
                key, value = cache.append(key, value)
        attended = attend(query, key, value, mask=mask)
        return self.output(attended.transpose(1, 2).flatten(2))

    def project(self, input: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Query and key, (batch, heads, length, head_dim) each: all that weights need."""
        return self._split(self.query(input)), self._split(self.key(memory))

    def _split(self, projected: Tensor) -> Tensor:
        batch, length, _ = projected.shape
        heads = projected.view(batch, length, self.num_heads, self.head_dim)
        return heads.transpose(1, 2)  # (batch, heads, length, head_dim)
