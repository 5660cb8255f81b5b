"""What generation needs of a model: tokens in, the next logits or the likeliest tokens out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from regard.generation.arrays import Array

if TYPE_CHECKING:
    from jaxtyping import Float, Int


@runtime_checkable
class Decoder(Protocol):
    """A model that remembers the tokens it has read: one row for each running hypothesis.

    >>> from regard.models import EncoderDecoder, preset
    >>> model = EncoderDecoder(preset("tiny", vocab_size=100)).eval()
    >>> decoder = model.start(torch.tensor([[5, 6, 1]]))
    >>> isinstance(decoder, Decoder)
    True
    """

    def step(
        self, tokens: Int[Array, " rows"] | Int[Array, "rows new"]
    ) -> Float[Array, "rows vocab"]:
        """Reads a token for each row, or a prompt (rows, new); gives the next one's logits."""

    def select(self, rows: Int[Array, " new_rows"]) -> None:
        """Keeps, repeats or reorders rows; `rows` holds indices into the present ones."""


@runtime_checkable
class RankingDecoder(Decoder, Protocol):
    """A decoder that can give the likeliest tokens alone, so that no one reads all logits."""

    def likeliest(
        self, tokens: Int[Array, " rows"] | Int[Array, "rows new"], count: int
    ) -> tuple[Float[Array, "rows candidates"], Int[Array, "rows candidates"]]:
        """Reads tokens as `step` does; gives the log-probabilities of the `count` likeliest next
        tokens (of all where the vocabulary has fewer) and the tokens, likeliest first."""
