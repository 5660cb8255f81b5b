"""Experts of a run: which of them the router of each layer chose for each token."""

from __future__ import annotations

from dataclasses import dataclass

from regard.arrays import Array, arrays_of


@dataclass(eq=False, repr=False)
class Routes:
    """A layer's mixture of experts in one run: the router's probabilities.

    >>> from regard.models import Decoder, DecoderConfig
    >>> config = DecoderConfig(100, d_model=32, num_layers=2, num_heads=4, d_ff=64, experts=4)
    >>> trace = regard.trace(Decoder(config).eval(), ids=torch.tensor([[5, 6, 7]]))
    >>> trace.routes["decoder.layers.1.experts"]
    <Routes decoder.layers.1.experts: 2 of 4 experts for each of 3 tokens>
    """

    name: str  # "decoder.layers.3.experts"
    layer: int
    axis: str  # of its rows, "tokens"
    per_token: int  # experts that compute a token
    probabilities: Array  # (batch, length, experts), float32

    def __repr__(self) -> str:
        _, length, experts = self.probabilities.shape
        some = f"{self.per_token} of {experts} experts"
        return f"<Routes {self.name}: {some} for each of {length:,} tokens>"

    @property
    def chosen(self) -> Array:
        """Numbers of the experts that computed each token, likeliest first, (batch, length,
        per_token)."""
        batch, length, experts = self.probabilities.shape
        rows = self.probabilities.reshape(-1, experts)
        places = arrays_of(rows).top(rows, self.per_token)[1]
        return places.reshape(batch, length, -1)
